/** Handlers of Subscriber. Subscriber/add (add.ts) makes them. */
import { removedAudiences } from '../../../storage/repos/audience-removals.ts'
import { addToCounts } from '../../../storage/repos/audiences.ts'
import { type RowCondition, type RowQuery, selectRows } from '../../../storage/repos/numbered-rows.ts'
import {
  deleteSubscriber,
  everySubscriberOf,
  findSubscribers,
  updateSubscriber,
} from '../../../storage/repos/subscribers.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { setError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { ConditionOf } from '../../type/derived.ts'
import { isOperator } from '../../type/filter.ts'
import type { Handlers, ReadContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { rowCondition, rowResult } from '../../type/row-query.ts'
import { mayKnowAudiences } from '../access.ts'
import { Audience } from '../audience/audience.type.ts'
import { presentSubscriber } from './present.ts'
import { Subscriber } from './subscriber.type.ts'

type AddressCondition = ConditionOf<typeof Subscriber> & { readonly email: string }

/**
 * The lookup by address. An address has a row in each audience at most: the rows are found by its index, and the rest is compared here.
 * Otherwise PostgreSQL walks the audience in the order of the list until it has collected statistics.
 */
async function ofAddress(
  { method, reader }: ReadContext,
  { email, audienceId, status, beforeId }: AddressCondition,
  oldestFirst: boolean,
): Promise<number[]> {
  const rows = await everySubscriberOf(reader, method.account.number, normaliseAddress(email.trim()) ?? '')
  const audience = audienceId === undefined ? null : (method.number(Audience, audienceId) ?? 0)
  const before = beforeId === undefined ? null : (method.number(Subscriber, beforeId) ?? 0)
  const found = rows.filter(
    (row) =>
      (audience === null || row.audience === audience) &&
      (status === undefined || row.status === status) &&
      (before === null || row.id < before),
  )
  return found.map(({ id }) => id).sort((a, b) => (oldestFirst ? a - b : b - a))
}

/** Subscribers of audiences that were deleted are hidden until they are deleted too. */
async function rowQuery(
  { method, reader }: ReadContext,
  condition: RowCondition | null,
  oldestFirst: boolean,
): Promise<RowQuery> {
  const account = method.account.number
  const removed = await removedAudiences(reader, account)
  const hidden = removed.map((value) => ({ kind: 'equal', column: 'audience', value }) as const)
  const conditions: RowCondition[] = [
    ...(condition === null ? [] : [condition]),
    ...(hidden.length === 0 ? [] : [{ kind: 'not', conditions: hidden } as const]),
  ]
  return { table: 'subscriber', account, condition: { kind: 'and', conditions }, oldestFirst }
}

export const subscriberHandlers: Handlers<typeof Subscriber> = {
  mayKnow: (method) => mayKnowAudiences(method),

  async all({ method, reader }, limit) {
    if (!mayKnowAudiences(method)) return []
    return selectRows(reader, await rowQuery({ method, reader }, null, true), 0, limit)
  },

  async load({ method, reader }, { numbers, properties }) {
    const rows = mayKnowAudiences(method) ? await findSubscribers(reader, method.account.number, numbers) : []
    return new Map(rows.map((row) => [row.id, pick(presentSubscriber(method, row), properties)]))
  },

  async query({ method, reader }, { filter, sort }) {
    if (!mayKnowAudiences(method)) return listResult([])
    const oldestFirst = sort[0]?.isAscending ?? false
    if (filter !== null && !isOperator(filter) && filter.email !== undefined)
      return listResult(await ofAddress({ method, reader }, { ...filter, email: filter.email }, oldestFirst))
    const condition = rowCondition(filter, {
      audienceId: (id) => ({ kind: 'equal', column: 'audience', value: method.number(Audience, id) ?? 0 }),
      status: (status) => ({ kind: 'equal', column: 'status', value: status }),
      // Text that is not an address matches nothing.
      email: (email) => ({ kind: 'equal', column: 'address', value: normaliseAddress(email.trim()) ?? '' }),
      beforeId: (id) => ({ kind: 'below', column: 'id', value: method.number(Subscriber, id) ?? 0 }),
    })
    return rowResult(reader, await rowQuery({ method, reader }, condition, oldestFirst))
  },

  async create({ method }) {
    const words = mayKnowAudiences(method) ? 'Subscriber/add adds subscribers.' : undefined
    return { error: setError('forbidden', words) }
  },

  async update({ unit }, number, { next: { displayName, mergeFields }, changed }) {
    if (changed.length === 0) return { updated: null }
    await updateSubscriber(unit, number, {
      display_name: displayName,
      merge_fields: JSON.stringify(mergeFields),
      updated_at: unit.now,
    })
    unit.change(Subscriber.name, number, 'u', [...changed, 'updatedAt'])
    return { updated: { updatedAt: formatUTCDate(unit.now) } }
  },

  // Decision D18: opt-out and suppression stay, so that adding the address again cannot undo them.
  async destroy({ method, unit }, number) {
    const row = mayKnowAudiences(method) ? await deleteSubscriber(unit, number) : null
    if (!row) return setError('notFound')
    unit.change(Subscriber.name, number, 'd')
    await addToCounts(unit, row.audience, { members: -1, subscribed: row.status === 'subscribed' ? -1 : 0 })
    unit.change(Audience.name, row.audience, 'u', ['memberCount', 'subscribedCount'])
    return null
  },
}
