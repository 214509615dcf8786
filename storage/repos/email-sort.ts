/** By what emails are sorted, as SQL. */
import { type Expression, expressionBuilder, sql } from 'kysely'
import type { Reader } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import { type EmailBuilder, type EmailCondition, hasKeyword, threadKeyword } from './email-condition.ts'

export type EmailSort =
  | {
      readonly column: 'received_at' | 'sent_at' | 'size' | 'from_sort' | 'to_sort' | 'subject_sort'
      readonly ascending: boolean
    }
  | { readonly keyword: string; readonly scope: 'email' | 'allInThread' | 'someInThread'; readonly ascending: boolean }

export interface EmailQuery {
  readonly account: number
  readonly where: EmailCondition | null
  readonly sort: readonly EmailSort[]
}

/** What emails are compared by. */
export function sortValue(reader: Reader, account: number, sort: EmailSort): Expression<unknown> {
  if (!('column' in sort)) return keywordRank(reader, expressionBuilder<Tables, 'email'>(), account, sort)
  // Without a date, the time of receipt counts. Engines sort nulls differently.
  return sort.column === 'sent_at' ? sql`coalesce(email.sent_at, email.received_at)` : sql.ref(`email.${sort.column}`)
}

/** Ties follow the direction of the first sort, so that the reversed sort gives the reversed list. */
export function tieDirection(query: EmailQuery): 'asc' | 'desc' {
  return query.sort[0]?.ascending ? 'asc' : 'desc'
}

function keywordRank(reader: Reader, eb: EmailBuilder, account: number, sort: Extract<EmailSort, { keyword: string }>) {
  const test =
    sort.scope === 'email'
      ? eb.exists(hasKeyword(eb, account, sort.keyword))
      : threadKeyword({ eb, reader, account }, sort.keyword, sort.scope === 'allInThread' ? 'all' : 'some')
  return eb.case().when(test).then(1).else(0).end()
}
