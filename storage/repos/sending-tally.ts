/** What became of recipients, counted by the hour: what a reputation is made of. */
import type { AccountUnit, Reader, Sql } from '../ports.ts'

export interface Tally {
  /** Handed over, or refused for good. */
  readonly recipients: number
  readonly bounces: number
  readonly complaints: number
}

const HOUR_MS = 3_600_000

/** Inside, in the unit of the mailbox that sent: adds to its present hour. */
export async function addToTally(unit: AccountUnit, { recipients, bounces, complaints }: Tally): Promise<void> {
  const { organization, account } = unit
  const hour = Math.floor(unit.now / HOUR_MS)
  await unit.sql.query((db) =>
    db
      .insertInto('sending_tally')
      .values({ organization, account, hour, recipients, bounces, complaints })
      .onConflict((oc) =>
        oc.columns(['organization', 'account', 'hour']).doUpdateSet((eb) => ({
          recipients: eb('sending_tally.recipients', '+', recipients),
          bounces: eb('sending_tally.bounces', '+', bounces),
          complaints: eb('sending_tally.complaints', '+', complaints),
        })),
      ),
  )
}

/** @param since epoch ms; the hour in which it lies counts as a whole. @param organization without it, of each that has sent */
export async function talliesSince(
  reader: Reader,
  since: number,
  organization?: number,
): Promise<ReadonlyMap<number, Tally>> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('sending_tally')
      .select((eb) => [
        'organization',
        eb.fn.sum('recipients').as('recipients'),
        eb.fn.sum('bounces').as('bounces'),
        eb.fn.sum('complaints').as('complaints'),
      ])
      .where('hour', '>=', Math.floor(since / HOUR_MS))
      .$if(organization !== undefined, (q) => q.where('organization', '=', organization!))
      .groupBy('organization'),
  )
  const tally = (row: (typeof rows)[number]): Tally => ({
    recipients: Number(row.recipients),
    bounces: Number(row.bounces),
    complaints: Number(row.complaints),
  })
  return new Map(rows.map((row) => [row.organization, tally(row)]))
}

export async function deleteTalliesBefore(sql: Sql, before: number): Promise<void> {
  await sql.query((db) => db.deleteFrom('sending_tally').where('hour', '<', Math.floor(before / HOUR_MS)))
}
