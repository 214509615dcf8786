/** Hourly counts of recipients, bounces and complaints, from which reputations are computed. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader, Sql } from '../ports.ts'

export interface Tally {
  /** Recipients that were delivered or permanently refused. */
  readonly recipients: number
  readonly bounces: number
  readonly complaints: number
}

const HOUR_MS = 3_600_000

const add = insertRow('sending_tally', (query) =>
  query.onConflict((oc) =>
    oc.columns(['organization', 'account', 'hour']).doUpdateSet((eb) => ({
      recipients: eb('sending_tally.recipients', '+', eb.ref('excluded.recipients')),
      bounces: eb('sending_tally.bounces', '+', eb.ref('excluded.bounces')),
      complaints: eb('sending_tally.complaints', '+', eb.ref('excluded.complaints')),
    })),
  ),
)

/** Adds to the present hour of the mailbox that sent. @param unit of the mailbox */
export async function addToTally(unit: AccountUnit, tally: Tally): Promise<void> {
  const { organization, account } = unit
  await unit.sql.all(add, { organization, account, hour: Math.floor(unit.now / HOUR_MS), ...tally })
}

/** Tallies by organization. @param since epoch ms; its whole hour counts. @param organization without it, all organizations */
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
