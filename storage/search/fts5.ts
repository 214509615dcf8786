/**
 * SQLite's FTS5: contentless, with deletion. The number of a row is made of its account and its time (doc-numbers.ts), so that the rows
 * of an account are one range, which FTS5 seeks in every doclist, and the newest rows are found first. The text consists of tokens, so
 * that the ascii tokenizer only splits it at spaces.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import type { Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import { statement } from '../statement.ts'
import { DOC_BITS, DOC_MASK, freeDoc, latestBelow } from './doc-numbers.ts'
import { NewestFirst, type TimedEmail } from './newest-first.ts'
import type { Narrowing, SearchIndex, SearchTerm } from './search-index.ts'
import { parseSearch } from './tokens.ts'
import { headerToken, type SearchWords } from './words.ts'

const ROWID = `(cast(? as integer) << ${DOC_BITS}) | cast(? as integer)`
const ADD = `insert into email_fts(rowid, "from", "to", cc, bcc, subject, body, attachment, header)
  values (${ROWID}, ?, ?, ?, ?, ?, ?, ?, ?)`
const REMOVE = `delete from email_fts where rowid = ${ROWID}`

const addDoc = insertRow('email_fts_doc')
const removeDoc = statement<{ account: number; email: number }>()((db, p) =>
  db.deleteFrom('email_fts_doc').where('account', '=', p('account')).where('email', '=', p('email')).returning('doc'),
)
/** Emails that are in both tables of the index. */
const INDEXED = `select d.email from email_fts_doc d where d.account = ?
  and exists (select 1 from email_fts where rowid = (d.account << ${DOC_BITS}) | d.doc)`

export const FTS5: SearchIndex = {
  async add(unit, emails) {
    const docs: { readonly doc: number; readonly words: SearchWords }[] = []
    for (const { id, thread, receivedAt, words } of emails) {
      const doc = await freeDoc(unit, id, receivedAt)
      await unit.sql.all(addDoc, { account: unit.account, doc, email: id, thread, received_at: receivedAt })
      docs.push({ doc, words })
    }
    // In ascending order: before a lower number FTS5 writes everything it has collected as a segment of its own.
    for (const { doc, words: w } of docs.sort((a, b) => a.doc - b.doc))
      await unit.sql.raw(ADD, [
        unit.account,
        doc,
        ...[w.from, w.to, w.cc, w.bcc, w.subject, w.body, w.attachment, w.header],
      ])
  },
  async remove(unit, email) {
    const [row] = await unit.sql.all(removeDoc, { account: unit.account, email })
    if (row) await unit.sql.raw(REMOVE, [unit.account, row.doc])
  },
  async indexed(reader, account) {
    return ((await reader.sql.raw(INDEXED, [account])) as { email: number }[]).map(({ email }) => email)
  },
  matching(reader, account, term, each) {
    const match = expressionOf([term])
    if (match === null) return sql<SqlBool>`1 = 0`
    return each
      ? sql<SqlBool>`exists (select 1 from email_fts_doc d cross join email_fts where d.account = ${account}
          and d.email = email.id and email_fts match ${match} and email_fts.rowid = (d.account << ${sql.lit(DOC_BITS)}) | d.doc)`
      : sql<SqlBool>`email.id in (select d.email from ${found(account, match, null)} and ${reader.sql.mayGoOn('d.doc')})`
  },
  newest(reader, account, terms, narrowing) {
    const match = expressionOf(terms)
    const read = async (below: number | null, limit: number): Promise<TimedEmail[]> => {
      if (match === null) return []
      const place = below === null ? sql`` : sql` and email_fts.rowid < ${rowid(account, below)}`
      // Without further conditions each match is a row of the result, and few are read at a time.
      const goesOn = narrowing === null ? sql`` : sql` and ${reader.sql.mayGoOn('d.doc')}`
      return rawQuery(
        reader.sql,
        sql<TimedEmail>`select d.email as id, d.thread, d.received_at, d.doc from ${found(account, match, narrowing)}${place}${goesOn}
          order by email_fts.rowid desc limit ${limit}`,
      )
    }
    return new NewestFirst(read, latestBelow)
  },
  async count(reader, account, terms, narrowing, what) {
    const match = expressionOf(terms)
    if (match === null) return 0
    if (what === 'emails' && narrowing === null) return countAll(reader, account, match)
    const counted = what === 'emails' ? sql`count(*)` : sql`count(distinct d.thread)`
    const query = sql<{ count: number }>`select ${counted} as count from ${found(account, match, narrowing)}
      and ${reader.sql.mayGoOn('d.doc')}`
    const [row] = await rawQuery(reader.sql, query)
    return row?.count ?? 0
  },
}

async function countAll(reader: Reader, account: number, match: string): Promise<number> {
  const query = sql<{ count: number }>`select count(*) as count from email_fts where ${inAccount(account, match)}
    and ${reader.sql.mayGoOn('email_fts.rowid')}`
  const [row] = await rawQuery(reader.sql, query)
  return row?.count ?? 0
}

function rowid(account: number, doc: number): RawBuilder<number> {
  return sql<number>`((cast(${account} as integer) << ${sql.lit(DOC_BITS)}) | cast(${doc} as integer))`
}

function inAccount(account: number, match: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`email_fts match ${match} and email_fts.rowid between ${rowid(account, 0)} and ${rowid(account, DOC_MASK)}`
}

/** Tables and conditions of a query. `cross join` makes SQLite read matches first, then their numbers and times, then emails. */
function found(account: number, match: string, narrowing: Narrowing): RawBuilder<unknown> {
  const email = narrowing === null ? sql`` : sql` cross join email`
  const narrowed =
    narrowing === null ? sql`` : sql` and email.account = d.account and email.id = d.email and ${narrowing}`
  return sql`email_fts cross join email_fts_doc d${email} where ${inAccount(account, match)}
    and d.account = ${account} and d.doc = (email_fts.rowid & ${sql.lit(DOC_MASK)})${narrowed}`
}

/** The terms in FTS5's query language; null: nothing can match. */
function expressionOf(terms: readonly SearchTerm[]): string | null {
  const parts = terms.map(termExpression)
  return parts.every((part) => part !== null) ? parts.join(' AND ') : null
}

function termExpression(term: SearchTerm): string | null {
  if ('headerName' in term) return `header : "${headerToken(term.headerName)}"`
  const phrases = parseSearch(term.search)
  if (phrases.length === 0) return null
  const column = term.field === 'text' ? '' : `"${term.field}" : `
  // Tokens have only letters, digits and marks, so that they cannot end a quoted string.
  return phrases.map(({ tokens, prefix }) => `${column}"${tokens.join(' ')}"${prefix ? ' *' : ''}`).join(' AND ')
}
