/** EmailSubmission/query: filters and sorts (RFC 8621 7.3). */
import type { IdKind } from '../../../server/base/ids.ts'
import {
  countSubmissions,
  type SubmissionCondition,
  type SubmissionQuery,
  selectSubmissions,
} from '../../../storage/repos/submission-query.ts'
import { epochOf } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ConditionOf, FilterOf } from '../../type/derived.ts'
import { isOperator, mapConditions } from '../../type/filter.ts'
import type { QueryRequest, QueryResult, ReadContext } from '../../type/handlers.ts'
import { Email } from '../email/email.type.ts'
import { Identity } from '../identity/identity.type.ts'
import { Thread } from '../thread/thread.type.ts'
import type { EmailSubmission } from './email-submission.type.ts'

/** Rows per read when a list is walked. */
const CHUNK = 1_000

export async function querySubmissions(
  { method, reader }: ReadContext,
  { filter, sort }: QueryRequest<typeof EmailSubmission>,
): Promise<QueryResult> {
  const query: SubmissionQuery = {
    account: method.account.number,
    where: filter === null ? null : toCondition(method, filter),
    sort: sort.map(({ property, isAscending: ascending }) => ({ column: COLUMN_OF[property], ascending })),
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

const COLUMN_OF = {
  emailId: 'email',
  threadId: 'thread',
  // RFC 8621 7.3 names it sentAt; the property is sendAt.
  sentAt: 'send_at',
  sendAt: 'send_at',
} as const

const KIND_OF = { AND: 'and', OR: 'or', NOT: 'not' } as const

function toCondition(method: MethodContext, filter: FilterOf<typeof EmailSubmission>): SubmissionCondition {
  if (isOperator(filter))
    return {
      kind: KIND_OF[filter.operator],
      conditions: filter.conditions.map((condition) => toCondition(method, condition)),
    }
  const numbersOf = (kind: IdKind, ids: readonly string[]) => ids.flatMap((id) => method.number(kind, id) ?? [])
  const conditions = mapConditions<ConditionOf<typeof EmailSubmission>, SubmissionCondition>(filter, {
    identityIds: (ids) => ({ kind: 'among', column: 'identity', numbers: numbersOf(Identity, ids) }),
    emailIds: (ids) => ({ kind: 'among', column: 'email', numbers: numbersOf(Email, ids) }),
    threadIds: (ids) => ({ kind: 'among', column: 'thread', numbers: numbersOf(Thread, ids) }),
    undoStatus: (status) => ({ kind: 'undoStatus', status }),
    before: (date) => ({ kind: 'sentBefore', at: epochOf(date) }),
    after: (date) => ({ kind: 'sentFrom', at: epochOf(date) }),
  })
  return { kind: 'and', conditions }
}
