/** Emails in the order of a sort that has keys (email-sort-keys.ts). */
import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { Tables } from '../schema/database.ts'
import type { FoundEmail } from '../search/search-index.ts'
import { type EmailCondition, emailCondition } from './email-condition.ts'
import { type EmailQuery, sortValue, tieDirection } from './email-sort.ts'
import { hasSortKeys, type KeyedSort, SORT_KEYS, usableKeys } from './email-sort-keys.ts'
import { countInMailbox } from './mailbox-emails.ts'

/** The keys of the first sort, if the account has them and nothing else narrows the emails to few. */
export async function keyedSort(reader: Reader, query: EmailQuery): Promise<{ sort: KeyedSort; upTo: number } | null> {
  const [first] = query.sort
  if (!first || !('column' in first) || !hasSortKeys(first.column)) return null
  const isNarrow = conditionsOf(query).some(({ kind }) => kind === 'search' || kind === 'among' || kind === 'never')
  const upTo = isNarrow ? null : await usableKeys(reader, query.account, first.column)
  return upTo === null ? null : { sort: first.column, upTo }
}

/** A mailbox that holds all results, if to sort its emails is less work than to look for them among those of the account, in their order. */
export async function smallMailbox(reader: Reader, query: EmailQuery, ofAccount: number): Promise<number | null> {
  for (const c of conditionsOf(query)) {
    if (c.kind !== 'inMailbox') continue
    const count = await countInMailbox(reader, query.account, c.mailbox, 'emails')
    // A page of 50 is found after 50 * ofAccount / count emails. Numbers of an account are given to other objects too.
    if (count * count < 25 * ofAccount) return c.mailbox
  }
  return null
}

/** Conditions that must all hold. */
function conditionsOf({ where }: EmailQuery): EmailCondition[] {
  const all: EmailCondition[] = []
  const sift = (c: EmailCondition) => {
    if (c.kind === 'and') for (const inner of c.conditions) sift(inner)
    else all.push(c)
  }
  if (where) sift(where)
  return all
}

/** Emails in the order of their keys, with those that have none yet sorted in. */
export function selectByKeys(
  reader: Reader,
  query: EmailQuery,
  { sort, upTo }: { readonly sort: KeyedSort; readonly upTo: number },
  offset: number,
  limit: number,
): Promise<FoundEmail[]> {
  const { account } = query
  const eb = expressionBuilder<Tables, 'email'>()
  const where = query.where ? sql` and ${emailCondition({ eb, reader, account, each: false }, query.where)}` : sql``
  const [first, ...more] = query.sort
  const others = more.map((other, i) => sql`, ${sortValue(reader, account, other)} as ${sql.ref(`other${i}`)}`)
  const columns = (id: RawBuilder<unknown>, text: RawBuilder<unknown>, number: RawBuilder<unknown>) =>
    sql`${id} as id, email.thread as thread, ${text} as text_key, ${number} as number_key${sql.join(others, sql``)}`
  const direction = (ascending: boolean) => sql.raw(ascending ? 'asc' : 'desc')
  const order = [
    sql`text_key ${direction(first!.ascending)}, number_key ${direction(first!.ascending)}`,
    ...more.map(({ ascending }, i) => sql`${sql.ref(`other${i}`)} ${direction(ascending)}`),
    sql`id ${sql.raw(tieDirection(query))}`,
  ]
  const { text, number } = SORT_KEYS[sort]
  // `cross join` makes SQLite read the keys first.
  return rawQuery(
    reader.sql,
    sql<FoundEmail>`select ${columns(sql.ref('k.email'), sql.ref('k.text_key'), sql.ref('k.number_key'))}
        from email_sort_key as k cross join email where k.account = ${account} and k.sort = ${sort}
        and email.account = ${account} and email.id = k.email and ${reader.sql.mayGoOn('email.id')}${where}
      union all select ${columns(sql.ref('email.id'), text, number)} from email where email.account = ${account} and email.id > ${upTo}${where}
      order by ${sql.join(order)} limit ${limit} offset ${offset}`,
  )
}
