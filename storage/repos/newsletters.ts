/** Rows of newsletters, with what they say. */
import { sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { NewsletterContentTable, NewsletterTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { findInSlices } from './slices.ts'

const byId = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('newsletter').selectAll().where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findNewsletter(reader: Reader, account: number, id: number): Promise<NewsletterTable | null> {
  const [row] = await reader.sql.all(byId, { account, id })
  return row ?? null
}

export function findNewsletters(reader: Reader, account: number, ids: readonly number[]): Promise<NewsletterTable[]> {
  return findInSlices(ids, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('newsletter')
        .selectAll()
        .where('account', '=', account)
        .where('id', 'in', [...slice]),
    ),
  )
}

const contentById = statement<{ account: number; newsletter: number }>()((db, p) =>
  db
    .selectFrom('newsletter_content')
    .select('content')
    .where('account', '=', p('account'))
    .where('newsletter', '=', p('newsletter')),
)

/** JSON; null: there is no such newsletter. */
export async function findNewsletterContent(
  reader: Reader,
  account: number,
  newsletter: number,
): Promise<string | null> {
  const [row] = await reader.sql.all(contentById, { account, newsletter })
  return row?.content ?? null
}

const insert = insertRow('newsletter')
const insertContent = insertRow('newsletter_content')

/** What a newsletter says, its octets, and the assets that are in it. */
export type WrittenContent = Pick<NewsletterContentTable, 'assets' | 'octets' | 'content'>

/** Number of the newsletters of an organization, and octets of what they say. @param except one that does not count */
export async function contentUsage(
  reader: Reader,
  account: number,
  except: number | null = null,
): Promise<{ readonly count: number; readonly octets: number }> {
  const [row] = await reader.sql.query((db) => {
    const all = db
      .selectFrom('newsletter_content')
      .select([sql<number>`count(*)`.as('count'), sql<number | null>`sum(octets)`.as('octets')])
      .where('account', '=', account)
    return except === null ? all : all.where('newsletter', '!=', except)
  })
  return { count: Number(row?.count ?? 0), octets: Number(row?.octets ?? 0) }
}

export async function insertNewsletter(
  unit: AccountUnit,
  row: NewsletterTable,
  content: WrittenContent,
): Promise<void> {
  await unit.sql.all(insert, row)
  await unit.sql.all(insertContent, { account: unit.account, newsletter: row.id, ...content })
}

export async function updateNewsletter(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<NewsletterTable, 'status' | 'audience' | 'domain' | 'settings' | 'updated_at'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('newsletter').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

export async function updateNewsletterContent(
  unit: AccountUnit,
  newsletter: number,
  { assets, octets, content }: WrittenContent,
): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('newsletter_content')
      .set({ assets, octets, content })
      .where('account', '=', unit.account)
      .where('newsletter', '=', newsletter),
  )
}

export async function deleteNewsletter(unit: AccountUnit, id: number): Promise<void> {
  const { account } = unit
  await unit.sql.query((db) =>
    db.deleteFrom('newsletter_content').where('account', '=', account).where('newsletter', '=', id),
  )
  await unit.sql.query((db) => db.deleteFrom('newsletter').where('account', '=', account).where('id', '=', id))
}

/** What the newsletters of some statuses have of assets: the column `assets` of each that has any. */
export async function assetsOfNewsletters(
  reader: Reader,
  account: number,
  statuses: readonly NewsletterTable['status'][],
): Promise<string[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('newsletter')
      .innerJoin('newsletter_content', (join) =>
        join
          .onRef('newsletter_content.account', '=', 'newsletter.account')
          .onRef('newsletter_content.newsletter', '=', 'newsletter.id'),
      )
      .select('newsletter_content.assets')
      .where('newsletter.account', '=', account)
      .where('newsletter.status', 'in', [...statuses])
      .where('newsletter_content.assets', '!=', ''),
  )
  return rows.map(({ assets }) => assets)
}

/** Numbers of the newsletters of an audience. */
export async function newslettersOf(reader: Reader, account: number, audience: number): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('newsletter')
      .select('id')
      .where('account', '=', account)
      .where('audience', '=', audience)
      .orderBy('id'),
  )
  return rows.map(({ id }) => id)
}
