/** Queries over emails: in which order, from where, and a result that is worked out only as far as it is asked for. */
import { expressionBuilder, sql } from 'kysely'
import { SEARCH_EACH_MAX_EMAILS } from '../../server/base/limits.ts'
import type { QueryBuilder, Reader } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import { searchIndexOf } from '../search/engines.ts'
import type { FoundEmail, FoundEmails, SearchTerm } from '../search/search-index.ts'
import { statement } from '../statement.ts'
import { type EmailBuilder, type EmailCondition, emailCondition, hasKeyword, threadKeyword } from './email-condition.ts'
import { emailsInMailbox } from './emails.ts'

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

/** A list from its beginning, worked out as far as it is asked for. */
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

/** What the index answers of a filter, if all that matches must be among that, and what is left of the filter. */
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

/** The same query over the few emails that its conditions leave, of which each is better looked up than all that a word is in. */
async function narrowedToFew(
  reader: Reader,
  query: EmailQuery,
  rest: readonly EmailCondition[],
): Promise<EmailQuery | null> {
  const { account } = query
  for (const c of rest) {
    if (c.kind === 'never' || (c.kind === 'among' && c.emails.length <= SEARCH_EACH_MAX_EMAILS)) return query
    if (c.kind !== 'inMailbox' || (await countsOf(reader, account, c.mailbox, 'emails')) > SEARCH_EACH_MAX_EMAILS)
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
    return reader.sql.all(threadedInMailbox[tieDirection(query)], { account: query.account, mailbox, limit, offset })
  return reader.sql.query((db) => {
    let select = base(db, reader, query, each).select(['email.id', 'email.thread'])
    for (const sort of query.sort) {
      const direction = sort.ascending ? 'asc' : 'desc'
      if ('column' in sort) {
        // Engines differ in where nulls go: first in ascending order, on both.
        if (sort.column === 'sent_at')
          select = select.orderBy(sql`coalesce(email.sent_at, email.received_at)`, direction)
        else select = select.orderBy(`email.${sort.column}`, direction)
      } else {
        select = select.orderBy((eb) => keywordRank(eb as EmailBuilder, query.account, sort), direction)
      }
    }
    return select.orderBy('email.id', tieDirection(query)).limit(limit).offset(offset)
  })
}

/** Ties follow the direction of the first sort, so that a reversed sort is the reversed list. */
function tieDirection(query: EmailQuery): 'asc' | 'desc' {
  return query.sort[0]?.ascending ? 'asc' : 'desc'
}

function keywordRank(eb: EmailBuilder, account: number, sort: Extract<EmailSort, { keyword: string }>) {
  const test =
    sort.scope === 'email'
      ? eb.exists(hasKeyword(eb, account, sort.keyword))
      : threadKeyword(eb, account, sort.keyword, sort.scope === 'allInThread' ? 'all' : 'some')
  return eb.case().when(test).then(1).else(0).end()
}

function base(db: QueryBuilder, reader: Reader, { account, where }: EmailQuery, each: boolean) {
  const select = db.selectFrom('email').where('email.account', '=', account)
  return where ? select.where((eb) => emailCondition({ eb, reader, account, each }, where)) : select
}

/** The commonest query of all, one mailbox by date, is a range of one index. */
function onlyMailbox(query: EmailQuery): number | null {
  const [sort, ...more] = query.sort
  if (query.where?.kind !== 'inMailbox' || more.length > 0) return null
  return sort && 'column' in sort && sort.column === 'received_at' ? query.where.mailbox : null
}

const inMailboxOrder = (direction: 'asc' | 'desc') =>
  statement<{ account: number; mailbox: number; limit: number; offset: number }>()((db, p) =>
    db
      .selectFrom('email_mailbox as em')
      .select('em.email as id')
      .where('em.account', '=', p('account'))
      .where('em.mailbox', '=', p('mailbox'))
      .orderBy('em.received_at', direction)
      .orderBy('em.email', direction)
      .limit(p('limit'))
      .offset(p('offset')),
  )
const inMailbox = { asc: inMailboxOrder('asc'), desc: inMailboxOrder('desc') }

const threadedOrder = (direction: 'asc' | 'desc') =>
  statement<{ account: number; mailbox: number; limit: number; offset: number }>()((db, p) =>
    db
      .selectFrom('email_mailbox as em')
      .innerJoin('email', (join) => join.onRef('email.account', '=', 'em.account').onRef('email.id', '=', 'em.email'))
      .select(['email.id', 'email.thread'])
      .where('em.account', '=', p('account'))
      .where('em.mailbox', '=', p('mailbox'))
      .orderBy('em.received_at', direction)
      .orderBy('em.email', direction)
      .limit(p('limit'))
      .offset(p('offset')),
  )
const threadedInMailbox = { asc: threadedOrder('asc'), desc: threadedOrder('desc') }

/** Ids alone, from `offset`: the commonest query is then one range of one index, and no row of an email is read. */
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
      : await reader.sql.all(inMailbox[tieDirection(query)], { account: query.account, mailbox, limit, offset })
  return rows.map((row) => row.id)
}

async function slice(reader: Reader, query: EmailQuery, offset: number, limit: number): Promise<FoundEmail[]> {
  if (!searchOf(query)) return selectEmails(reader, query, offset, limit)
  const list = await openEmails(reader, query)
  if (offset > 0) await list.next(offset)
  return list.next(limit)
}

export async function countEmails(reader: Reader, query: EmailQuery, what: 'emails' | 'threads'): Promise<number> {
  // A mailbox keeps its counts.
  if (query.where?.kind === 'inMailbox') return countsOf(reader, query.account, query.where.mailbox, what)
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

const kept = statement<{ account: number; id: number }>()((db, p) =>
  db
    .selectFrom('mailbox')
    .select(['total_emails', 'total_threads'])
    .where('account', '=', p('account'))
    .where('id', '=', p('id')),
)

async function countsOf(reader: Reader, account: number, id: number, what: 'emails' | 'threads'): Promise<number> {
  const [row] = await reader.sql.all(kept, { account, id })
  return (what === 'emails' ? row?.total_emails : row?.total_threads) ?? 0
}

/** Of the given emails, those that the filter lets through. */
export async function filterEmails(reader: Reader, query: EmailQuery, ids: readonly number[]): Promise<Set<number>> {
  const rows = await reader.sql.query((db) =>
    base(db, reader, query, true).select('email.id').where('email.id', 'in', ids),
  )
  return new Set(rows.map((row) => row.id))
}
