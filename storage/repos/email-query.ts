/** Queries over emails. A result is computed only as far as it is read. */
import { expressionBuilder } from 'kysely'
import { SEARCH_EACH_MAX_EMAILS } from '../../server/base/limits.ts'
import type { QueryBuilder, Reader } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import { searchIndexOf } from '../search/engines.ts'
import type { FoundEmail, FoundEmails, SearchTerm } from '../search/search-index.ts'
import { type EmailCondition, emailCondition } from './email-condition.ts'
import { keyedSort, selectByKeys, smallMailbox } from './email-keyed-query.ts'
import { type EmailQuery, sortValue, tieDirection } from './email-sort.ts'
import { countInMailbox, emailsInMailbox, mailboxEmailIds, mailboxEmails } from './mailbox-emails.ts'

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
  const keyed = each ? null : await keyedSort(reader, query)
  const small = each ? null : await smallMailbox(reader, query, keyed?.upTo ?? Number.POSITIVE_INFINITY)
  if (keyed && small === null) return selectByKeys(reader, query, keyed, offset, limit)
  return reader.sql.query((db) => {
    let select = base(db, reader, query, each).select(['email.id', 'email.thread'])
    if (small !== null)
      select = select.where('email.id', 'in', (eb) =>
        eb
          .selectFrom('email_mailbox as own')
          .select('own.email')
          .where('own.account', '=', query.account)
          .where('own.mailbox', '=', small),
      )
    for (const sort of query.sort)
      select = select.orderBy(sortValue(reader, query.account, sort), sort.ascending ? 'asc' : 'desc')
    return select.orderBy('email.id', tieDirection(query)).limit(limit).offset(offset)
  })
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
