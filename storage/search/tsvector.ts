/**
 * PostgreSQL: a tsvector of an email's different words with a GIN index, and the words of each field in order, in which phrases are
 * searched. Positions in a tsvector end at 16,383, so they are not used. All words are tokens of tokens.ts, so that they are split and
 * folded as on SQLite.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { rawQuery } from '../raw-query.ts'
import type { FoundEmail, FoundEmails, Narrowing, SearchIndex, SearchTerm } from './search-index.ts'
import { type Phrase, parseSearch } from './tokens.ts'
import { headerToken, SEARCH_FIELDS, type SearchField, type SearchWords } from './words.ts'

/** A token of the account in each of its vectors, so that the index finds only its emails. No token of a text has this character. */
const accountToken = (account: number) => `@${account}`

/** The words of short fields are in the vector a second time with a prefix, so that the index alone finds them in their field. */
const MARKED: { readonly [F in SearchField]?: string } = {
  from: '@f:',
  to: '@t:',
  cc: '@c:',
  bcc: '@b:',
  subject: '@s:',
  attachment: '@a:',
}

const ADD = `insert into email_search (account, email, thread, received_at, in_text, ${SEARCH_FIELDS.map((f) => `words_${f}`).join(', ')})
  values ($1, $2, $3, $4, $5::tsvector, ${SEARCH_FIELDS.map((_, i) => `$${i + 6}`).join(', ')})`

export const TSVECTOR: SearchIndex = {
  async add(unit, emails) {
    for (const { id, thread, receivedAt, words } of emails) {
      // With a space at both ends, a pattern with spaces around a phrase matches whole words at any place.
      const inOrder = SEARCH_FIELDS.map((field) => ` ${words[field]} `)
      await unit.sql.raw(ADD, [unit.account, id, thread, receivedAt, vectorOf(unit.account, words), ...inOrder])
    }
  },
  async remove(unit, email) {
    await unit.sql.raw('delete from email_search where account = $1 and email = $2', [unit.account, email])
  },
  async indexed(reader, account) {
    const rows = await reader.sql.raw('select email from email_search where account = $1', [account])
    return (rows as { email: number }[]).map(({ email }) => email)
  },
  matching(_reader, account, term, each) {
    const found = matches(account, [term])
    return each
      ? sql<SqlBool>`exists (select 1 from email_search s where s.email = email.id and ${found})`
      : sql<SqlBool>`email.id in (select s.email from email_search s where ${found})`
  },
  newest(reader, account, terms, narrowing): FoundEmails {
    let last: (FoundEmail & { received_at: number }) | undefined
    return {
      async next(limit) {
        const place = last ? sql` and (s.received_at, s.email) < (${last.received_at}, ${last.id})` : sql``
        const rows = await rawQuery(
          reader.sql,
          sql<FoundEmail & { received_at: number }>`select s.email as id, s.thread, s.received_at
            from ${source(account, terms, narrowing)}${place} order by s.received_at desc, s.email desc limit ${limit}`,
        )
        last = rows.at(-1) ?? last
        return rows
      },
    }
  },
  async count(reader, account, terms, narrowing, what) {
    const counted = what === 'emails' ? sql`count(*)` : sql`count(distinct s.thread)`
    const [row] = await rawQuery(
      reader.sql,
      sql<{ count: number }>`select ${counted} as count from ${source(account, terms, narrowing)}`,
    )
    return Number(row?.count ?? 0)
  },
}

function vectorOf(account: number, words: SearchWords): string {
  const tokens = new Set([accountToken(account), ...split(words.header)])
  for (const field of SEARCH_FIELDS) {
    const mark = MARKED[field]
    for (const token of split(words[field])) {
      tokens.add(token)
      if (mark) tokens.add(mark + token)
    }
  }
  return [...tokens].map((token) => `'${token}'`).join(' ')
}

function split(words: string): string[] {
  return words === '' ? [] : words.split(' ')
}

function source(account: number, terms: readonly SearchTerm[], narrowing: Narrowing): RawBuilder<unknown> {
  const email = narrowing === null ? sql`` : sql` join email on email.account = s.account and email.id = s.email`
  const narrowed = narrowing === null ? sql`` : sql` and ${narrowing}`
  return sql`email_search s${email} where ${matches(account, terms)}${narrowed}`
}

function matches(account: number, terms: readonly SearchTerm[]): RawBuilder<SqlBool> {
  const wanted: string[] = [`'${accountToken(account)}'`]
  const rechecks: RawBuilder<SqlBool>[] = []
  for (const term of terms) {
    if ('headerName' in term) wanted.push(`'${headerToken(term.headerName)}'`)
    else {
      const phrases = parseSearch(term.search)
      if (phrases.length === 0) return sql<SqlBool>`false`
      const mark = (term.field !== 'text' && MARKED[term.field]) || ''
      for (const phrase of phrases) {
        wanted.push(...lexemes(phrase, mark))
        if (term.field === 'body' || phrase.tokens.length > 1) rechecks.push(standsIn(term.field, phrase))
      }
    }
  }
  const query = sql`s.account = ${account} and s.in_text @@ ${wanted.join(' & ')}::tsquery`
  return sql<SqlBool>`${sql.join([query, ...rechecks], sql` and `)}`
}

function lexemes({ tokens, prefix }: Phrase, mark: string): string[] {
  return tokens.map((token, i) => `'${mark}${token}'${prefix && i === tokens.length - 1 ? ':*' : ''}`)
}

/** Whether the tokens stand one after the other in a field. They have only letters, digits and marks, which LIKE does not interpret. */
function standsIn(field: SearchField | 'text', { tokens, prefix }: Phrase): RawBuilder<SqlBool> {
  const pattern = `% ${tokens.join(' ')}${prefix ? '' : ' '}%`
  const fields = field === 'text' ? SEARCH_FIELDS : [field]
  const tests = fields.map((name) => sql`${sql.ref(`s.words_${name}`)} like ${pattern}`)
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`
}
