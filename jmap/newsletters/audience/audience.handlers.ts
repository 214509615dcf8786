/** Handlers of Audience: lists of newsletter recipients (decision D18). */
import { AUDIENCES_MAX } from '../../../server/base/audience-limits.ts'
import { findAudience, insertAudience, updateAudience } from '../../../storage/repos/audiences.ts'
import { countRows, findRows, type RowQuery, selectRows } from '../../../storage/repos/numbered-rows.ts'
import type { AudienceTable } from '../../../storage/schema/tables.ts'
import { setError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Handlers } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { rowCondition, rowResult } from '../../type/row-query.ts'
import { LIMITED, mayKnowAudiences } from '../access.ts'
import { forgetAudience } from '../newsletter/forget-audience.ts'
import { Audience } from './audience.type.ts'
import { endAudience } from './removal.ts'

const every = (account: number): RowQuery => ({ table: 'audience', account, condition: null, oldestFirst: true })

export const audienceHandlers: Handlers<typeof Audience> = {
  mayKnow: (method) => mayKnowAudiences(method),

  all: async ({ method, reader }, limit) =>
    mayKnowAudiences(method) ? selectRows(reader, every(method.account.number), 0, limit) : [],

  async load({ method, reader }, { numbers, properties }) {
    const rows = mayKnowAudiences(method) ? await findRows(reader, 'audience', method.account.number, numbers) : []
    return new Map(rows.map((row) => [row.id, pick(present(method, row), properties)]))
  },

  async query({ method, reader }, { filter, sort }) {
    if (!mayKnowAudiences(method)) return listResult([])
    return rowResult(reader, {
      table: 'audience',
      account: method.account.number,
      condition: rowCondition(filter, {
        beforeId: (id) => ({ kind: 'below', column: 'id', value: method.number(Audience, id) ?? 0 }),
      }),
      oldestFirst: sort[0]?.isAscending ?? false,
    })
  },

  async create({ method, unit }, { name, description, consentSource, signupPage }) {
    if (!mayKnowAudiences(method)) return { error: LIMITED }
    if ((await countRows(unit, every(unit.account))) >= AUDIENCES_MAX)
      return { error: setError('overQuota', `An organization has at most ${AUDIENCES_MAX} audiences.`) }
    const row: AudienceTable = {
      account: unit.account,
      id: unit.nextObject(),
      name,
      description,
      consent_source: consentSource,
      member_count: 0,
      subscribed_count: 0,
      signup_page: Number(signupPage),
      created_at: unit.now,
      updated_at: unit.now,
    }
    await insertAudience(unit, row)
    unit.change(Audience.name, row.id, 'c')
    const { id: _id, ...serverSet } = present(method, row)
    return { created: { number: row.id, serverSet } }
  },

  async update({ unit }, number, { next: { name, description, signupPage }, changed }) {
    if (changed.length === 0) return { updated: null }
    const signup_page = Number(signupPage)
    await updateAudience(unit, number, { name, description, signup_page, updated_at: unit.now })
    unit.change(Audience.name, number, 'u', [...changed, 'updatedAt'])
    return { updated: { updatedAt: formatUTCDate(unit.now) } }
  },

  // Opt-outs and suppressions stay, so that adding the addresses to another audience cannot undo them (decision D18).
  async destroy({ method, unit }, number) {
    if (!mayKnowAudiences(method) || !(await findAudience(unit, unit.account, number))) return setError('notFound')
    const fault = await forgetAudience(unit, number)
    if (fault) return fault
    await endAudience(unit, number)
    return null
  },
}

function present(method: MethodContext, row: AudienceTable): ObjectOf<typeof Audience> {
  return {
    id: method.id(Audience, row.id),
    name: row.name,
    description: row.description,
    consentSource: row.consent_source,
    signupPage: row.signup_page === 1,
    memberCount: row.member_count,
    subscribedCount: row.subscribed_count,
    createdAt: formatUTCDate(row.created_at),
    updatedAt: formatUTCDate(row.updated_at),
  }
}
