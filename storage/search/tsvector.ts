/**
 * PostgreSQL's tsvector, written as text with our own tokens and positions, so that nothing is cut or folded differently from
 * SQLite. One column per field, and one over all of them with the GIN index; a search in one field narrows by that index first.
 */
import { type RawBuilder, sql } from 'kysely'
import { SEARCH_FIELDS, type SearchField, type SearchIndex } from './search-index.ts'
import { parseSearch, tokenize } from './tokens.ts'

export const TSVECTOR_TABLES = [
  `create table email_search (account bigint not null, email bigint not null,
    ${SEARCH_FIELDS.map((field) => `in_${field} tsvector not null`).join(', ')}, in_text tsvector not null,
    primary key (account, email))`,
  'create index email_search_text on email_search using gin (in_text)',
]

/** PostgreSQL counts positions up to this, and holds a vector of at most 1 MB. */
const MAX_POSITION = 16_383
const MAX_TOKENS = 30_000

const ADD = `insert into email_search (account, email, ${SEARCH_FIELDS.map((field) => `in_${field}`).join(', ')}, in_text)
  values ($1, $2, ${SEARCH_FIELDS.map((_, i) => `$${i + 3}::tsvector`).join(', ')}, $${SEARCH_FIELDS.length + 3}::tsvector)`

export const TSVECTOR: SearchIndex = {
  async add(unit, email, document) {
    const fields = SEARCH_FIELDS.map((field) => tokenize(document[field]).slice(0, MAX_TOKENS))
    await unit.sql.raw(ADD, [unit.account, email, ...fields.map((tokens) => vector([tokens])), vector(fields)])
  },
  async remove(unit, email) {
    await unit.sql.raw('delete from email_search where account = $1 and email = $2', [unit.account, email])
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
    return sql<number>`(select email from email_search where account = ${account} and in_text @@ ${query}${narrow})`
  },
}

/** Text of a tsvector: every token with its positions, fields one after the other with a gap that no phrase crosses. */
function vector(fields: readonly (readonly string[])[]): string {
  const positions = new Map<string, number[]>()
  let position = 0
  let count = 0
  for (const tokens of fields) {
    for (const token of tokens) {
      position = Math.min(position + 1, MAX_POSITION)
      if (++count > MAX_TOKENS) break
      const list = positions.get(token)
      if (!list) positions.set(token, [position])
      // A token keeps at most 256 positions in PostgreSQL.
      else if (list.length < 255 && list.at(-1) !== position) list.push(position)
    }
    position += 2
  }
  return [...positions]
    .map(([token, list]) => `'${token}':${list.map((p) => Math.min(p, MAX_POSITION)).join(',')}`)
    .join(' ')
}
