import { SIEVE } from '../../capabilities.ts'
import { defineMethod } from '../../type/method.ts'
import { p } from '../../type/property.ts'
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
  async run(method, args) {
    const resolved = method.request.createdIds.resolveId(args['blobId'] as string)
    const blobId = 'unknown' in resolved ? (args['blobId'] as string) : resolved.value
    const script = await readScript(method, blobId)
    return { accountId: method.account.id, error: 'error' in script ? { ...script.error } : null }
  },
})
