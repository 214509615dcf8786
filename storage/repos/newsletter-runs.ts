/** Rows of the sending of newsletters: how far each has come, its counts and its template. */
import { sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import { jsonRecordset } from '../json-recordset.ts'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { NewsletterRunTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { type Claim, claimRows } from './claim-rows.ts'
import { slicesOf } from './slices.ts'

const byNewsletter = statement<{ account: number; newsletter: number }>()((db, p) =>
  db
    .selectFrom('newsletter_run')
    .selectAll()
    .where('account', '=', p('account'))
    .where('newsletter', '=', p('newsletter')),
)

export async function findRun(reader: Reader, account: number, newsletter: number): Promise<NewsletterRunTable | null> {
  const [row] = await reader.sql.all(byNewsletter, { account, newsletter })
  return row ?? null
}

/** The runs of some newsletters of an account. */
export async function findRuns(
  reader: Reader,
  account: number,
  newsletters: readonly number[],
): Promise<NewsletterRunTable[]> {
  const found: NewsletterRunTable[] = []
  for (const slice of slicesOf(newsletters))
    found.push(
      ...(await reader.sql.query((db) =>
        db
          .selectFrom('newsletter_run')
          .selectAll()
          .where('account', '=', account)
          .where('newsletter', 'in', [...slice]),
      )),
    )
  return found
}

const insert = insertRow('newsletter_run')

export async function insertRun(unit: AccountUnit, row: NewsletterRunTable): Promise<void> {
  await unit.sql.all(insert, row)
}

export async function updateRun(
  unit: AccountUnit,
  newsletter: number,
  set: Partial<Omit<NewsletterRunTable, 'account' | 'newsletter'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('newsletter_run').set(set).where('account', '=', unit.account).where('newsletter', '=', newsletter),
  )
}

const RUN_COUNTS = [
  'newsletter',
  'waiting',
  'queued',
  'delivered',
  'bounced',
  'skipped',
  'complained',
  'unsubscribed',
  'hour_queued',
  'recent',
] as const

/** What results of attempts change, and of which newsletter. */
export type RunCounts = Pick<NewsletterRunTable, (typeof RUN_COUNTS)[number]>

const saveCounts = statement<{ account: number } & RunCounts>()((db, p) =>
  db
    .updateTable('newsletter_run')
    .set(Object.fromEntries(RUN_COUNTS.slice(1).map((name) => [name, p(name)])))
    .where('account', '=', p('account'))
    .where('newsletter', '=', p('newsletter')),
)

export async function keepCounts(unit: AccountUnit, rows: readonly RunCounts[]): Promise<void> {
  const { account } = unit
  if (unit.sql.engine === 'sqlite' || rows.length === 1) {
    for (const row of rows) await unit.sql.all(saveCounts, { account, ...row })
    return
  }
  const columns = Object.fromEntries(RUN_COUNTS.map((name) => [name, name === 'recent' ? 'text' : 'bigint'] as const))
  const set = sql.join(RUN_COUNTS.slice(1).map((name) => sql`${sql.ref(name)} = r.${sql.ref(name)}`))
  await rawQuery(
    unit.sql,
    sql`update newsletter_run t set ${set} from ${jsonRecordset(columns, rows)}
      where t.account = ${account} and t.newsletter = r.newsletter`,
  )
}

/** Leases runs that are due. Their due time moves to the end of the lease: another worker goes on if this one dies. */
export function claimDueRuns(connection: Sql, claim: Claim): Promise<NewsletterRunTable[]> {
  return claimRows(connection, 'newsletter_run', claim, claim.until)
}

const first = statement<{ now: number }>()((db, p) =>
  db
    .selectFrom('newsletter_run')
    .select(sql<number>`case when lease_until > ${p('now')} then lease_until else due_at end`.as('at'))
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(sql.lit(1)),
)

/** Epoch ms when the first run may be claimed; null: none waits. */
export async function nextRunAt(reader: Reader, now: number): Promise<number | null> {
  const [row] = await reader.sql.all(first, { now })
  return row ? Number(row.at) : null
}

export async function saveTemplate(unit: AccountUnit, newsletter: number, template: string): Promise<void> {
  const row = { account: unit.account, newsletter, template }
  await unit.sql.query((db) =>
    db
      .insertInto('newsletter_template')
      .values(row)
      .onConflict((oc) => oc.columns(['account', 'newsletter']).doUpdateSet({ template })),
  )
}

const templateOf = statement<{ account: number; newsletter: number }>()((db, p) =>
  db
    .selectFrom('newsletter_template')
    .select('template')
    .where('account', '=', p('account'))
    .where('newsletter', '=', p('newsletter')),
)

/** JSON; null: the newsletter has not begun, or was sent to the end. */
export async function findTemplate(reader: Reader, account: number, newsletter: number): Promise<string | null> {
  const [row] = await reader.sql.all(templateOf, { account, newsletter })
  return row?.template ?? null
}

export async function deleteTemplate(unit: AccountUnit, newsletter: number): Promise<void> {
  await unit.sql.query((db) =>
    db.deleteFrom('newsletter_template').where('account', '=', unit.account).where('newsletter', '=', newsletter),
  )
}

/** Deletes what sending has left of a newsletter, with its messages in the queue. */
export async function deleteRun(unit: AccountUnit, newsletter: number): Promise<void> {
  const { account } = unit
  await unit.sql.query((db) =>
    db.deleteFrom('outgoing').where('account', '=', account).where('newsletter', '=', newsletter),
  )
  for (const name of ['newsletter_recipient', 'newsletter_template', 'newsletter_run'])
    await rawQuery(
      unit.sql,
      sql`delete from ${sql.table(name)} where account = ${account} and newsletter = ${newsletter}`,
    )
}
