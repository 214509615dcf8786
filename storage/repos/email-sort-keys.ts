/**
 * Emails of an account in the order of a sort. A sort gets its keys when somebody first asks for it, slice by slice in the order of numbers,
 * which is that of arrival. An email never changes the columns that are sorted by. Emails that have no key yet are few, or the keys are not
 * used; so that storing an email costs nothing for them.
 */
import { type RawBuilder, sql } from 'kysely'
import { SORT_TAIL_MAX } from '../../server/base/reading-limits.ts'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import { statement } from '../statement.ts'

interface Key {
  readonly text: RawBuilder<string>
  readonly number: RawBuilder<number>
}

const byText = (column: string): Key => ({ text: sql.ref(`email.${column}`), number: sql.lit(0) })

/** What the keys of an email are, in SQL over its row. */
export const SORT_KEYS = {
  subject_sort: byText('subject_sort'),
  from_sort: byText('from_sort'),
  to_sort: byText('to_sort'),
  size: { text: sql.lit(''), number: sql.ref('email.size') },
  // Without a date, the time of receipt counts.
  sent_at: { text: sql.lit(''), number: sql`coalesce(email.sent_at, email.received_at)` },
} satisfies Record<string, Key>

export type KeyedSort = keyof typeof SORT_KEYS

export function hasSortKeys(column: string): column is KeyedSort {
  return Object.hasOwn(SORT_KEYS, column)
}

const upTo = statement<{ account: number; sort: string }>()((db, p) =>
  db.selectFrom('email_sort').select('up_to').where('account', '=', p('account')).where('sort', '=', p('sort')),
)

/** The number up to which emails have keys; null: the account has never been sorted so. */
export async function sortedUpTo(reader: Reader, account: number, sort: KeyedSort): Promise<number | null> {
  const [row] = await reader.sql.all(upTo, { account, sort })
  return row?.up_to ?? null
}

/** How many emails after that number have no keys, counted as far as `max`. */
export async function countAfter(reader: Reader, account: number, number: number, max: number): Promise<number> {
  const query = sql<{ n: number }>`select count(*) as n from (
    select 1 from email where account = ${account} and id > ${number} limit ${max}) as later`
  const [row] = await rawQuery(reader.sql, query)
  return Number(row?.n ?? 0)
}

/** The number up to which keys exist, if few emails have none; null: they cannot be used. */
export async function usableKeys(reader: Reader, account: number, sort: KeyedSort): Promise<number | null> {
  const number = await sortedUpTo(reader, account, sort)
  if (number === null) return null
  return (await countAfter(reader, account, number, SORT_TAIL_MAX + 1)) > SORT_TAIL_MAX ? null : number
}

const keep = insertRow('email_sort', (query) =>
  query.onConflict((conflict) =>
    conflict.columns(['account', 'sort']).doUpdateSet({ up_to: (eb) => eb.ref('excluded.up_to') }),
  ),
)

/** Gives keys to the next emails of the account, in the order of their numbers. Returns how many it were; 0: all have keys. */
export async function addSortKeys(unit: AccountUnit, sort: KeyedSort, limit: number): Promise<number> {
  const { account } = unit
  const from = (await sortedUpTo(unit, account, sort)) ?? 0
  const next = sql`from email where email.account = ${account} and email.id > ${from} order by email.id limit ${limit}`
  const [slice] = await rawQuery(
    unit.sql,
    sql<{
      last: number | null
      n: number
    }>`select max(id) as last, count(*) as n from (select email.id ${next}) as slice`,
  )
  const key: Key = SORT_KEYS[sort]
  if (slice?.last != null)
    await rawQuery(
      unit.sql,
      sql`insert into email_sort_key (account, sort, text_key, number_key, email)
        select email.account, ${sort}, ${key.text}, ${key.number}, email.id ${next}`,
    )
  await unit.sql.all(keep, { account, sort, up_to: slice?.last ?? from })
  return Number(slice?.n ?? 0)
}

const sorts = statement<{ account: number }>()((db, p) =>
  db.selectFrom('email_sort').select(['sort', 'up_to']).where('account', '=', p('account')),
)

/** Before the email itself is deleted. */
export async function removeSortKeys(unit: AccountUnit, email: number): Promise<void> {
  const { account } = unit
  for (const { sort, up_to } of await unit.sql.all(sorts, { account })) {
    if (up_to < email || !hasSortKeys(sort)) continue
    const key: Key = SORT_KEYS[sort]
    const own = (value: RawBuilder<unknown>) =>
      sql`(select ${value} from email where email.account = ${account} and email.id = ${email})`
    await rawQuery(
      unit.sql,
      sql`delete from email_sort_key where account = ${account} and sort = ${sort} and text_key = ${own(key.text)}
        and number_key = ${own(key.number)} and email = ${email}`,
    )
  }
}
