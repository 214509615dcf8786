/** Queries over emails. A result is computed only as far as it is read. */
import { expressionBuilder, sql } from 'kysely'
import { SEARCH_EACH_MAX_EMAILS } from '../../server/base/limits.ts'
import type { QueryBuilder, Reader } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import { searchIndexOf } from '../search/engines.ts'
import type { FoundEmail, FoundEmails, SearchTerm } from '../search/search-index.ts'
import { type EmailBuilder, type EmailCondition, emailCondition, hasKeyword, threadKeyword } from './email-condition.ts'
import { countInMailbox, emailsInMailbox, mailboxEmailIds, mailboxEmails } from './mailbox-emails.ts'

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

/** The result as a list that is read from its start. */
export async function openEmails(reader: Reader, query: EmailQuery): Promise<FoundEmails> {
  const search = searchOf(query)
  const few = search && (await narrowedToFew(reader, query, search.rest))
  const [sort, ...more] = query.sort
  const isNewestFirst =
    sort && more.length === 0 && 'column' in sort && sort.column === 'received_at' && !sort.ascending
  if (search && isNewestFirst && !few)
    return searchIndexOf(reader.sql).newest(reader, query.account, search.terms, narrowing(reader, query, search.rest))
  let offset = 0
  return {
    async next(limit) {
      const rows = await selectEmails(reader, few ?? query, offset, limit, few !== null)
      offset += rows.length
      return rows
    },
  }
}

/** The part of a filter that the search index answers, if every match is among its answers, and the rest of the filter. */
function searchOf({ where }: EmailQuery): { terms: SearchTerm[]; rest: EmailCondition[] } | null {
  const terms: SearchTerm[] = []
  const rest: EmailCondition[] = []
  const sift = (c: EmailCondition) => {
    if (c.kind === 'and') for (const inner of c.conditions) sift(inner)
    else if (c.kind === 'search') terms.push(c.term)
    else rest.push(c)
  }
  if (where) sift(where)
  return terms.length > 0 ? { terms, rest } : null
}

/**
 * The same query over the emails that its other conditions leave, if they are few: then it is faster to look up each of them in the
 * search index than all emails that contain a word.
 */
async function narrowedToFew(
  reader: Reader,
  query: EmailQuery,
  rest: readonly EmailCondition[],
): Promise<EmailQuery | null> {
  const { account } = query
  for (const c of rest) {
    if (c.kind === 'never' || (c.kind === 'among' && c.emails.length <= SEARCH_EACH_MAX_EMAILS)) return query
    if (c.kind !== 'inMailbox' || (await countInMailbox(reader, account, c.mailbox, 'emails')) > SEARCH_EACH_MAX_EMAILS)
      continue
    const emails = await emailsInMailbox(reader, account, c.mailbox)
    return { ...query, where: { kind: 'and', conditions: [{ kind: 'among', emails }, query.where!] } }
  }
  return null
}

function narrowing(reader: Reader, { account }: EmailQuery, rest: readonly EmailCondition[]) {
  if (rest.length === 0) return null
  const eb = expressionBuilder<Tables, 'email'>()
  return emailCondition({ eb, reader, account, each: false }, { kind: 'and', conditions: rest })
}

/** Rows in order, from `offset`. @param each see SearchIndex.matching */
export async function selectEmails(
  reader: Reader,
  query: EmailQuery,
  offset: number,
  limit: number,
  each = false,
): Promise<FoundEmail[]> {
  const mailbox = onlyMailbox(query)
  if (mailbox !== null)
    return mailboxEmails(reader, { account: query.account, mailbox, limit, offset }, tieDirection(query))
  return reader.sql.query((db) => {
    let select = base(db, reader, query, each).select(['email.id', 'email.thread'])
    for (const sort of query.sort) {
      const direction = sort.ascending ? 'asc' : 'desc'
      if ('column' in sort) {
        // Without a date, the time of receipt counts. Engines sort nulls differently.
        if (sort.column === 'sent_at')
          select = select.orderBy(sql`coalesce(email.sent_at, email.received_at)`, direction)
        else select = select.orderBy(`email.${sort.column}`, direction)
      } else {
        select = select.orderBy((eb) => keywordRank(reader, eb as EmailBuilder, query.account, sort), direction)
      }
    }
    return select.orderBy('email.id', tieDirection(query)).limit(limit).offset(offset)
  })
}

/** Ties follow the direction of the first sort, so that the reversed sort gives the reversed list. */
function tieDirection(query: EmailQuery): 'asc' | 'desc' {
  return query.sort[0]?.ascending ? 'asc' : 'desc'
}

function keywordRank(reader: Reader, eb: EmailBuilder, account: number, sort: Extract<EmailSort, { keyword: string }>) {
  const test =
    sort.scope === 'email'
      ? eb.exists(hasKeyword(eb, account, sort.keyword))
      : threadKeyword({ eb, reader, account }, sort.keyword, sort.scope === 'allInThread' ? 'all' : 'some')
  return eb.case().when(test).then(1).else(0).end()
}

function base(db: QueryBuilder, reader: Reader, { account, where }: EmailQuery, each: boolean) {
  const select = db.selectFrom('email').where('email.account', '=', account).where(reader.sql.mayGoOn('email.id'))
  return where ? select.where((eb) => emailCondition({ eb, reader, account, each }, where)) : select
}

/** The mailbox, if the query lists one mailbox by date. */
function onlyMailbox(query: EmailQuery): number | null {
  const [sort, ...more] = query.sort
  if (query.where?.kind !== 'inMailbox' || more.length > 0) return null
  return sort && 'column' in sort && sort.column === 'received_at' ? query.where.mailbox : null
}

/** Numbers alone, in order, from `offset`. */
export async function selectEmailIds(
  reader: Reader,
  query: EmailQuery,
  offset: number,
  limit: number,
): Promise<number[]> {
  const mailbox = onlyMailbox(query)
  const rows =
    mailbox === null
      ? await slice(reader, query, offset, limit)
      : await mailboxEmailIds(reader, { account: query.account, mailbox, limit, offset }, tieDirection(query))
  return rows.map((row) => row.id)
}

async function slice(reader: Reader, query: EmailQuery, offset: number, limit: number): Promise<FoundEmail[]> {
  if (!searchOf(query)) return selectEmails(reader, query, offset, limit)
  const list = await openEmails(reader, query)
  if (offset > 0) await list.next(offset)
  return list.next(limit)
}

export async function countEmails(reader: Reader, query: EmailQuery, what: 'emails' | 'threads'): Promise<number> {
  // The counts of a mailbox are stored with it.
  if (query.where?.kind === 'inMailbox') return countInMailbox(reader, query.account, query.where.mailbox, what)
  const search = searchOf(query)
  const few = search && (await narrowedToFew(reader, query, search.rest))
  if (search && !few) {
    const rest = narrowing(reader, query, search.rest)
    return searchIndexOf(reader.sql).count(reader, query.account, search.terms, rest, what)
  }
  const [row] = await reader.sql.query((db) =>
    base(db, reader, few ?? query, few !== null).select((eb) =>
      what === 'emails'
        ? eb.fn.countAll<number>().as('count')
        : eb.fn.count<number>('email.thread').distinct().as('count'),
    ),
  )
  return Number(row?.count ?? 0)
}

/** Those of the given emails that match the filter. */
export async function filterEmails(reader: Reader, query: EmailQuery, ids: readonly number[]): Promise<Set<number>> {
  const rows = await reader.sql.query((db) =>
    base(db, reader, query, true).select('email.id').where('email.id', 'in', ids),
  )
  return new Set(rows.map((row) => row.id))
}
