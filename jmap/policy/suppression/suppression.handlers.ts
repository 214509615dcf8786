/** Handlers of Suppression: an organization's list of addresses that get no mail. */
import {
  countSuppressions,
  deleteSuppression,
  findSuppression,
  findSuppressions,
  listSuppressions,
  type SuppressionQuery,
  selectSuppressions,
} from '../../../storage/repos/suppressions.ts'
import type { SuppressionTable } from '../../../storage/schema/tables.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { moveSubscribers } from '../../newsletters/states/move-subscribers.ts'
import { alreadyExists, invalidProperties, setError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ObjectOf } from '../../type/derived.ts'
import { isOperator, passesFilter } from '../../type/filter.ts'
import type { Handlers, QueryRequest, QueryResult, ReadContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { suppress } from './suppress.ts'
import { Suppression } from './suppression.type.ts'

export const suppressionHandlers: Handlers<typeof Suppression> = {
  all: ({ method, reader }, limit) =>
    selectSuppressions(reader, { account: method.account.number, oldestFirst: true }, 0, limit),

  async load({ method, reader }, { numbers, properties }) {
    const rows = await findSuppressions(reader, method.account.number, numbers)
    return new Map(rows.map((row) => [row.id, pick(present(method, row), properties)]))
  },

  query: querySuppressions,

  async create({ method, unit }, input) {
    const email = normaliseAddress(input.email.trim())
    if (email === null) return { error: invalidProperties(['email'], 'It is not an address.') }
    const number = await suppress(unit, method.services.ids, email, { reason: 'manual' })
    if (number === null) {
      const { id } = (await findSuppression(unit, unit.account, email))!
      return { error: alreadyExists(method.id(Suppression, id), `${email} is suppressed already.`) }
    }
    const [row] = await findSuppressions(unit, unit.account, [number])
    const { id: _id, ...serverSet } = present(method, row!)
    return { created: { number, serverSet } }
  },

  // Every property is immutable, so only updates without a change reach this.
  update: async () => ({ updated: null }),

  async destroy({ method, unit }, number) {
    const [row] = await findSuppressions(unit, unit.account, [number])
    if (!row) return setError('notFound')
    await deleteSuppression(unit, number)
    await moveSubscribers(unit, method.services.ids, row.address, { trigger: 'suppressionRemoved' })
    unit.change(Suppression.name, number, 'd')
    return null
  },
}

function present(method: MethodContext, row: SuppressionTable): ObjectOf<typeof Suppression> {
  return {
    id: method.id(Suppression, row.id),
    email: row.address,
    reason: row.reason,
    sourceMessageId: row.source_message_id,
    smtpResponse: row.smtp_response,
    createdAt: formatUTCDate(row.created_at),
  }
}

async function querySuppressions(
  { method, reader }: ReadContext,
  { filter, sort }: QueryRequest<typeof Suppression>,
): Promise<QueryResult> {
  const account = method.account.number
  const oldestFirst = sort[0]?.isAscending ?? false
  const before = (id: string) => method.number(Suppression, id) ?? 0
  // Clients filter by one address, a reason or a position; AND, OR and NOT walk the list.
  if (filter !== null && isOperator(filter)) {
    const rows = (await listSuppressions(reader, account)).filter((row) =>
      passesFilter(filter, {
        email: (email) => row.address === addressOf(email),
        reason: (reason) => row.reason === reason,
        beforeId: (id) => row.id < before(id),
      }),
    )
    const numbers = rows.map(({ id }) => id)
    return listResult(oldestFirst ? numbers : numbers.reverse())
  }
  const { email, reason, beforeId } = filter ?? {}
  const query: SuppressionQuery = {
    account,
    ...(email !== undefined && { address: addressOf(email) }),
    ...(reason !== undefined && { reason }),
    ...(beforeId !== undefined && { before: before(beforeId) }),
    oldestFirst,
  }
  return {
    count: () => countSuppressions(reader, query),
    slice: (position, limit) => selectSuppressions(reader, query, position, limit),
    async indexesOf(numbers) {
      const wanted = new Set(numbers)
      const all = await selectSuppressions(reader, query, 0, Number.MAX_SAFE_INTEGER)
      return new Map(all.flatMap((id, index) => (wanted.has(id) ? [[id, index] as const] : [])))
    },
  }
}

/** Text that is not an address matches nothing. */
function addressOf(text: string): string {
  return normaliseAddress(text.trim()) ?? ''
}
