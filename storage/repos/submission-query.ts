/** Queries over submissions. The engine computes them, since an account may have very many submissions. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { QueryBuilder, Reader } from '../ports.ts'
import type { Tables } from '../schema/database.ts'

export type SubmissionCondition =
  | { readonly kind: 'and' | 'or' | 'not'; readonly conditions: readonly SubmissionCondition[] }
  | { readonly kind: 'among'; readonly column: 'identity' | 'email' | 'thread'; readonly numbers: readonly number[] }
  | { readonly kind: 'undoStatus'; readonly status: string }
  | { readonly kind: 'sentBefore' | 'sentFrom'; readonly at: number }

export interface SubmissionQuery {
  readonly account: number
  readonly where: SubmissionCondition | null
  readonly sort: readonly { readonly column: 'email' | 'thread' | 'send_at'; readonly ascending: boolean }[]
}

type Builder = ExpressionBuilder<Tables, 'submission'>

function condition(eb: Builder, c: SubmissionCondition, account: number): Expression<SqlBool> {
  switch (c.kind) {
    case 'and':
      return eb.and(c.conditions.map((inner) => condition(eb, inner, account)))
    case 'or':
      return eb.or(c.conditions.map((inner) => condition(eb, inner, account)))
    case 'not':
      return eb.not(eb.or(c.conditions.map((inner) => condition(eb, inner, account))))
    case 'among':
      // Numbers are written into the text, since engines limit the number of parameters.
      if (c.numbers.length === 0) return sql<SqlBool>`1 = 0`
      return c.column === 'email'
        ? eb('id', 'in', ofEmails(eb, account, c.numbers))
        : sql<SqlBool>`${sql.ref(c.column)} in (${sql.raw(c.numbers.join(','))})`
    case 'undoStatus':
      return sql<SqlBool>`undo_status = ${c.status}`
    case 'sentBefore':
      return eb('send_at', '<', c.at)
    case 'sentFrom':
      return eb('send_at', '>=', c.at)
  }
}

/** A sub-select, since SQLite would scan all submissions of the account for a plain condition. */
function ofEmails(eb: Builder, account: number, emails: readonly number[]) {
  return eb
    .selectFrom('submission as own')
    .select('own.id')
    .where('own.account', '=', account)
    .where(sql<SqlBool>`own.email in (${sql.raw(emails.join(','))})`)
}

function base(db: QueryBuilder, reader: Reader, { account, where }: SubmissionQuery) {
  const select = db.selectFrom('submission').where('account', '=', account).where(reader.sql.mayGoOn('submission.id'))
  return where ? select.where((eb) => condition(eb, where, account)) : select
}

/** Numbers in order, from `offset`; ties are in descending order of the numbers. */
export async function selectSubmissions(
  reader: Reader,
  query: SubmissionQuery,
  offset: number,
  limit: number,
): Promise<number[]> {
  const rows = await reader.sql.query((db) => {
    let select = base(db, reader, query).select('id')
    for (const { column, ascending } of query.sort) select = select.orderBy(column, ascending ? 'asc' : 'desc')
    return select.orderBy('id', 'desc').limit(limit).offset(offset)
  })
  return rows.map(({ id }) => id)
}

export async function countSubmissions(reader: Reader, query: SubmissionQuery): Promise<number> {
  const [row] = await reader.sql.query((db) =>
    base(db, reader, query).select((eb) => eb.fn.countAll<number>().as('count')),
  )
  return Number(row?.count ?? 0)
}
