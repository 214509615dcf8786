import {
  SIEVE_SCRIPT_MAX_BYTES,
  SIEVE_SCRIPT_NAME_MAX_BYTES,
  SIEVE_SCRIPTS_MAX,
} from '../../../server/base/sieve-limits.ts'
import { SIEVE_EXTENSIONS } from '../../sieve/index.ts'
import type { Capability } from '../../type/capability.ts'

/** RFC 9661 1.3 */
export const SIEVE: Capability = {
  urn: 'urn:ietf:params:jmap:sieve',
  accounts: 'mailbox',
  server: () => ({ implementation: 'Posthouse' }),
  account: () => ({
    maxSizeScriptName: SIEVE_SCRIPT_NAME_MAX_BYTES,
    maxSizeScript: SIEVE_SCRIPT_MAX_BYTES,
    maxNumberScripts: SIEVE_SCRIPTS_MAX,
    // Redirects are not supported: the message is kept instead.
    maxNumberRedirects: 0,
    sieveExtensions: [...SIEVE_EXTENSIONS],
    notificationMethods: null,
    externalLists: null,
  }),
}
