/** Handlers of OptOut: the addresses that want no newsletter of an organization. */
import { findRows, selectRows } from '../../../storage/repos/numbered-rows.ts'
import { findOptOut } from '../../../storage/repos/opt-outs.ts'
import type { OptOutTable } from '../../../storage/schema/tables.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { alreadyExists, invalidProperties, setError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Handlers } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { rowCondition, rowResult } from '../../type/row-query.ts'
import { LIMITED, mayKnowAudiences } from '../access.ts'
import { optOut } from '../states/move-subscribers.ts'
import { OptOut } from './opt-out.type.ts'

export const optOutHandlers: Handlers<typeof OptOut> = {
  mayKnow: (method) => mayKnowAudiences(method),

  async all({ method, reader }, limit) {
    if (!mayKnowAudiences(method)) return []
    const account = method.account.number
    return selectRows(reader, { table: 'opt_out', account, condition: null, oldestFirst: true }, 0, limit)
  },

  async load({ method, reader }, { numbers, properties }) {
    const rows = mayKnowAudiences(method) ? await findRows(reader, 'opt_out', method.account.number, numbers) : []
    return new Map(rows.map((row) => [row.id, pick(present(method, row), properties)]))
  },

  async query({ method, reader }, { filter, sort }) {
    if (!mayKnowAudiences(method)) return listResult([])
    const condition = rowCondition(filter, {
      email: (email) => ({ kind: 'equal', column: 'address', value: normaliseAddress(email.trim()) ?? '' }),
      beforeId: (id) => ({ kind: 'below', column: 'id', value: method.number(OptOut, id) ?? 0 }),
    })
    const oldestFirst = sort[0]?.isAscending ?? false
    return rowResult(reader, { table: 'opt_out', account: method.account.number, condition, oldestFirst })
  },

  async create({ method, unit }, input) {
    if (!mayKnowAudiences(method)) return { error: LIMITED }
    const address = normaliseAddress(input.email.trim())
    if (address === null) return { error: invalidProperties(['email'], 'It is not an address.') }
    const number = await optOut(unit, method.services.ids, address, { source: 'api' })
    const row = (await findOptOut(unit, unit.account, address))!
    if (number === null) return { error: alreadyExists(method.id(OptOut, row.id), `${address} has opted out already.`) }
    const { id: _id, ...serverSet } = present(method, row)
    return { created: { number, serverSet } }
  },

  // Every property is immutable, so only updates without a change reach this.
  update: async () => ({ updated: null }),

  async destroy({ method, unit }, number) {
    const [row] = mayKnowAudiences(method) ? await findRows(unit, 'opt_out', unit.account, [number]) : []
    return row ? setError('forbidden', 'Only the recipient ends an opt-out, by a new sign-up.') : setError('notFound')
  },
}

function present(method: MethodContext, row: OptOutTable): ObjectOf<typeof OptOut> {
  return {
    id: method.id(OptOut, row.id),
    email: row.address,
    source: row.source,
    createdAt: formatUTCDate(row.created_at),
  }
}
