/**
 * PostgreSQL's tsvector, written as text with our own tokens and positions, so that nothing is cut or folded differently from
 * SQLite. One column per field, and one over all of them with the GIN index; a search in one field narrows by that index first.
 */
import { Buffer } from 'node:buffer'
import { type RawBuilder, sql } from 'kysely'
import { SEARCH_FIELDS, type SearchField, type SearchIndex } from './search-index.ts'
import { parseSearch, tokenize } from './tokens.ts'

export const TSVECTOR_TABLES = [
  `create table email_search (account bigint not null, email bigint not null,
    ${SEARCH_FIELDS.map((field) => `in_${field} tsvector not null`).join(', ')}, in_text tsvector not null,
    primary key (account, email))`,
  'create index email_search_text on email_search using gin (in_text)',
]

/** PostgreSQL counts positions up to this: phrases after it are not found, words are. */
const MAX_POSITION = 16_383
/** A token keeps at most this many positions in PostgreSQL. */
const MAX_POSITIONS = 255
/** A vector holds at most 1 MB of tokens and positions. */
const MAX_VECTOR_BYTES = 1_000_000
/** What the count and the alignment of a token's positions take, and one position. */
const LEXEME_BYTES = 4
const POSITION_BYTES = 2

/**
 * The account's own token, first in the vector over all fields: an index of one account's words among those of all the others.
 * No token of a text has such a character.
 */
const accountToken = (account: number) => `@${account}`

const ADD = `insert into email_search (account, email, ${SEARCH_FIELDS.map((field) => `in_${field}`).join(', ')}, in_text)
  values ($1, $2, ${SEARCH_FIELDS.map((_, i) => `$${i + 3}::tsvector`).join(', ')}, $${SEARCH_FIELDS.length + 3}::tsvector)`

export const TSVECTOR: SearchIndex = {
  async add(unit, email, document) {
    const fields = SEARCH_FIELDS.map((field) => tokenize(document[field]))
    const all = vector([[accountToken(unit.account)], ...fields])
    await unit.sql.raw(ADD, [unit.account, email, ...fields.map((tokens) => vector([tokens])), all])
  },
  async remove(unit, email) {
    await unit.sql.raw('delete from email_search where account = $1 and email = $2', [unit.account, email])
  },
  async indexed(reader, account) {
    const rows = await reader.sql.raw('select email from email_search where account = $1', [account])
    return (rows as { email: number }[]).map(({ email }) => email)
  },
  matching(account: number, field: SearchField | 'text', search: string): RawBuilder<number> {
    const phrases = parseSearch(search)
    if (phrases.length === 0) return sql<number>`(select null::bigint where false)`
    const expression = phrases
      .map(({ tokens, prefix }) =>
        tokens.map((token, i) => `'${token}'${prefix && i === tokens.length - 1 ? ':*' : ''}`).join(' <-> '),
      )
      .map((phrase) => `(${phrase})`)
      .join(' & ')
    const query = sql`${expression}::tsquery`
    const narrow = field === 'text' ? sql`` : sql` and ${sql.ref(`in_${field}`)} @@ ${query}`
    const own = sql`${`'${accountToken(account)}'`}::tsquery`
    return sql<number>`(select email from email_search where account = ${account} and in_text @@ (${own} && ${query})${narrow})`
  },
}

/** Text of a tsvector: every token with its positions, fields one after the other with a gap that no phrase crosses. */
function vector(fields: readonly (readonly string[])[]): string {
  const positions = new Map<string, number[]>()
  let position = 0
  let bytes = 0
  for (const tokens of fields) {
    for (const token of tokens) {
      position = Math.min(position + 1, MAX_POSITION)
      const list = positions.get(token)
      if (list && (list.length === MAX_POSITIONS || list.at(-1) === position)) continue
      const added = (list ? 0 : LEXEME_BYTES + Buffer.byteLength(token)) + POSITION_BYTES
      if (bytes + added > MAX_VECTOR_BYTES) continue
      bytes += added
      if (list) list.push(position)
      else positions.set(token, [position])
    }
    position = Math.min(position + 2, MAX_POSITION)
  }
  return [...positions].map(([token, list]) => `'${token}':${list.join(',')}`).join(' ')
}
