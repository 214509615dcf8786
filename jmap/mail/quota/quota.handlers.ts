/**
 * Handlers of Quota: RFC 9425 4. An account with a limit has one quota: the octets of its messages. An account without a limit has
 * none, because hardLimit is always a number.
 */
import { findAccount } from '../../../storage/repos/accounts.ts'
import type { Services } from '../../type/context.ts'
import type { ObjectOf } from '../../type/derived.ts'
import { passesFilter } from '../../type/filter.ts'
import type { Handlers, ReadContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { Email } from '../email/email.type.ts'
import { STORAGE_QUOTA } from './octets.ts'
import { Quota } from './quota.type.ts'

export const quotaHandlers: Handlers<typeof Quota> = {
  all: async ({ method }) => (hasLimit(method.services) ? [STORAGE_QUOTA] : []),

  async load(read, { numbers, properties }) {
    const quota = numbers.includes(STORAGE_QUOTA) ? await storageQuota(read) : null
    return new Map(quota ? [[STORAGE_QUOTA, pick(quota, properties)]] : [])
  },

  async query(read, { filter }) {
    const quota = await storageQuota(read)
    // RFC 9425 4.3
    const isFound =
      quota &&
      passesFilter(filter, {
        name: (text) => quota.name.toLowerCase().includes(text.toLowerCase()),
        type: (name) => quota.types.includes(name),
        scope: (scope) => quota.scope === scope,
        resourceType: (type) => quota.resourceType === type,
      })
    // There is at most one, so every order is right.
    return listResult(isFound ? [STORAGE_QUOTA] : [])
  },

  // RFC 9425 4.2: `used` changes often, other properties seldom.
  extraChanges: (props) => ({ updatedProperties: props?.size === 1 && props.has('used') ? ['used'] : null }),
}

function hasLimit({ limits }: Services): boolean {
  return limits.mailboxStorageBytes > 0
}

async function storageQuota({ method, reader }: ReadContext): Promise<ObjectOf<typeof Quota> | null> {
  const { services, account } = method
  const row = hasLimit(services) ? await findAccount(reader, account.number) : null
  if (!row) return null
  return {
    id: method.id(Quota, STORAGE_QUOTA),
    resourceType: 'octets',
    used: row.used_bytes,
    hardLimit: services.limits.mailboxStorageBytes,
    scope: 'account',
    name: 'Storage',
    types: [Email.name],
    warnLimit: null,
    softLimit: null,
    description: 'Octets of all messages in this account.',
  }
}
