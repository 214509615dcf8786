/** EmailSubmission/query: filters and sorts (RFC 8621 7.3). */
import {
  countSubmissions,
  type SubmissionCondition,
  type SubmissionQuery,
  selectSubmissions,
} from '../../../storage/repos/submission-query.ts'
import type { MethodContext } from '../../context.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import type { QueryRequest, QueryResult, ReadContext } from '../../type/rules.ts'

/** Rows read at a time where a list has to be walked. */
const CHUNK = 1_000

export async function querySubmissions(
  { method, reader }: ReadContext,
  { filter, sort }: QueryRequest,
): Promise<QueryResult> {
  const query: SubmissionQuery = {
    account: method.account.number,
    where: filter === null ? null : toCondition(method, filter as JsonObject),
    sort: sort.map(({ property, isAscending: ascending }) => ({ column: COLUMN_OF[property]!, ascending })),
  }
  return {
    count: () => countSubmissions(reader, query),
    slice: (position, limit) => selectSubmissions(reader, query, position, limit),
    async indexesOf(numbers) {
      const wanted = new Set(numbers)
      const indexes = new Map<number, number>()
      for (let offset = 0; indexes.size < wanted.size; offset += CHUNK) {
        const rows = await selectSubmissions(reader, query, offset, CHUNK)
        for (const [i, id] of rows.entries()) if (wanted.has(id)) indexes.set(id, offset + i)
        if (rows.length < CHUNK) break
      }
      return indexes
    },
  }
}

const COLUMN_OF: { readonly [property: string]: 'email' | 'thread' | 'send_at' } = {
  emailId: 'email',
  threadId: 'thread',
  // RFC 8621 7.3 names it sentAt; the property is sendAt.
  sentAt: 'send_at',
  sendAt: 'send_at',
}

function toCondition(method: MethodContext, filter: JsonObject): SubmissionCondition {
  const { operator, conditions } = filter
  if (typeof operator === 'string') {
    const inner = (conditions as readonly JsonObject[]).map((condition) => toCondition(method, condition))
    return { kind: operator.toLowerCase() as 'and' | 'or' | 'not', conditions: inner }
  }
  return { kind: 'and', conditions: Object.entries(filter).map(([name, value]) => CONDITIONS[name]!(value, method)) }
}

type ToCondition = (value: Json, method: MethodContext) => SubmissionCondition

const among =
  (column: 'identity' | 'email' | 'thread', kind: 'Identity' | 'Email' | 'Thread'): ToCondition =>
  (value, method) => ({
    kind: 'among',
    column,
    numbers: (value as readonly string[]).flatMap((id) => method.number(kind, id) ?? []),
  })

const CONDITIONS: { readonly [name: string]: ToCondition } = {
  identityIds: among('identity', 'Identity'),
  emailIds: among('email', 'Email'),
  threadIds: among('thread', 'Thread'),
  undoStatus: (value) => ({ kind: 'undoStatus', status: String(value) }),
  before: (value) => ({ kind: 'sentBefore', at: parseUTCDate(String(value))! }),
  after: (value) => ({ kind: 'sentFrom', at: parseUTCDate(String(value))! }),
}
