/**
 * Rules of Quota: RFC 9425 4. An account with a limit has one: the octets of its messages. Without a limit there is no quota to show,
 * as hardLimit is a number in every one.
 */
import { findAccount } from '../../../storage/repos/accounts.ts'
import type { Services } from '../../context.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { passesFilter } from '../../type/filter.ts'
import { objectId, pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-rules.ts'
import type { ReadContext, Rules } from '../../type/rules.ts'
import { STORAGE_QUOTA } from '../quota.ts'
import { Quota } from './quota.type.ts'

export const quotaRules: Rules = {
  all: async ({ method }) => (hasLimit(method.services) ? [STORAGE_QUOTA] : []),

  async load(read, { numbers, properties }) {
    const quota = numbers.includes(STORAGE_QUOTA) ? await storageQuota(read) : null
    return new Map(quota ? [[STORAGE_QUOTA, pick(quota, properties)]] : [])
  },

  async query(read, { filter }) {
    const quota = await storageQuota(read)
    // There is one at most, so that every order is the right one.
    return listResult(
      quota && passesFilter(filter, (name, value) => matches(quota, name, value)) ? [STORAGE_QUOTA] : [],
    )
  },

  // RFC 9425 4.2: `used` changes often, the rest seldom.
  extraChanges: (props) => ({ updatedProperties: props?.size === 1 && props.has('used') ? ['used'] : null }),
}

function hasLimit({ limits }: Services): boolean {
  return limits.mailboxStorageBytes > 0
}

async function storageQuota({ method, reader }: ReadContext): Promise<JsonObject | null> {
  const { services, account } = method
  const row = hasLimit(services) ? await findAccount(reader, account.number) : null
  if (!row) return null
  return {
    id: objectId(method, Quota, STORAGE_QUOTA),
    resourceType: 'octets',
    used: row.used_bytes,
    hardLimit: services.limits.mailboxStorageBytes,
    scope: 'account',
    name: 'Storage',
    types: ['Email'],
    warnLimit: null,
    softLimit: null,
    description: 'Octets of all messages in this account.',
  }
}

/** RFC 9425 4.3 */
function matches(quota: JsonObject, name: string, value: Json): boolean {
  if (name === 'name') return (quota['name'] as string).toLowerCase().includes((value as string).toLowerCase())
  if (name === 'type') return (quota['types'] as readonly string[]).includes(value as string)
  return quota[name] === value
}
