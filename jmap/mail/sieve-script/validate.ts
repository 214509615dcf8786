import { defineMethod } from '../../type/method.ts'
import { p } from '../../type/property.ts'
import { SIEVE } from './capability.ts'
import { readScript } from './content.ts'
import { SieveScript } from './sieve-script.type.ts'

/** SieveScript/validate: RFC 9661 2.6. */
export const validateMethod = defineMethod({
  name: 'SieveScript/validate',
  capability: SIEVE,
  accounts: 'mailbox',
  scope: SieveScript.scopes.read,
  writes: false,
  args: { blobId: p.string() },
  async run(method, { blobId }) {
    const script = await readScript(method, method.resolveId(blobId))
    return { accountId: method.account.id, error: 'error' in script ? { ...script.error } : null }
  },
})
