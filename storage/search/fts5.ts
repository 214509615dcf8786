/**
 * SQLite's FTS5: contentless, with deletion. A row's number is account * 2^32 + email, so that one account's rows are one range,
 * which FTS5 seeks to in every doclist. The ascii tokenizer only cuts at spaces here: the text comes as tokens.
 */
import { type RawBuilder, sql } from 'kysely'
import type { SearchField, SearchIndex } from './search-index.ts'
import { parseSearch, tokenize } from './tokens.ts'

export const FTS5_TABLES = [
  `create virtual table email_fts using fts5(
    "from", "to", cc, bcc, subject, body, attachment,
    content='', contentless_delete=1, tokenize='ascii', detail=full)`,
  // Merging in small steps with each insert keeps the worst transaction short; the default would stall for tens of milliseconds.
  `insert into email_fts(email_fts, rank) values('automerge', 4)`,
]

const ADD = `insert into email_fts(rowid, "from", "to", cc, bcc, subject, body, attachment)
  values ((cast(? as integer) << 32) | cast(? as integer), ?, ?, ?, ?, ?, ?, ?)`
const REMOVE = 'delete from email_fts where rowid = (cast(? as integer) << 32) | cast(? as integer)'
const INDEXED = `select rowid & 4294967295 as email from email_fts
  where rowid between (cast(? as integer) << 32) and (cast(? as integer) << 32) - 1`

const text = (field: string) => tokenize(field).join(' ')

export const FTS5: SearchIndex = {
  async add(unit, email, d) {
    const fields = [d.from, d.to, d.cc, d.bcc, d.subject, d.body, d.attachment].map(text)
    await unit.sql.raw(ADD, [unit.account, email, ...fields])
  },
  async remove(unit, email) {
    await unit.sql.raw(REMOVE, [unit.account, email])
  },
  async indexed(reader, account) {
    const rows = (await reader.sql.raw(INDEXED, [account, account + 1])) as { email: number }[]
    return rows.map(({ email }) => email)
  },
  matching(account: number, field: SearchField | 'text', search: string): RawBuilder<number> {
    const phrases = parseSearch(search)
    if (phrases.length === 0) return sql<number>`(select null where 1 = 0)`
    // Tokens hold letters, digits and marks only: nothing in them can end a quoted string.
    const expression = phrases
      .map(
        ({ tokens, prefix }) => `${field === 'text' ? '' : `"${field}" : `}"${tokens.join(' ')}"${prefix ? ' *' : ''}`,
      )
      .join(' AND ')
    return sql<number>`(select rowid & 4294967295 from email_fts where email_fts match ${expression}
      and rowid between (cast(${account} as integer) << 32) and (cast(${account + 1} as integer) << 32) - 1)`
  },
}
