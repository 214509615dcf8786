/** What the session tells of Sieve: RFC 9661 1.3. */
import {
  SIEVE_SCRIPT_MAX_BYTES,
  SIEVE_SCRIPT_NAME_MAX_BYTES,
  SIEVE_SCRIPTS_MAX,
} from '../../../server/base/sieve-limits.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { SIEVE_EXTENSIONS } from '../../sieve/index.ts'

export const SIEVE_CAPABILITY: JsonObject = { implementation: 'Posthouse' }

export const SIEVE_ACCOUNT_CAPABILITY: JsonObject = {
  maxSizeScriptName: SIEVE_SCRIPT_NAME_MAX_BYTES,
  maxSizeScript: SIEVE_SCRIPT_MAX_BYTES,
  maxNumberScripts: SIEVE_SCRIPTS_MAX,
  // Mail is not sent on in the name of others: such a message is kept instead.
  maxNumberRedirects: 0,
  sieveExtensions: [...SIEVE_EXTENSIONS],
  notificationMethods: null,
  externalLists: null,
}
