/** Rows of reputations. An organization without one has always been healthy. */
import { sql } from 'kysely'
import type { AccountUnit, Reader } from '../ports.ts'
import type { ReputationTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const find = statement<{ organization: number }>()((db, p) =>
  db.selectFrom('reputation').selectAll().where('organization', '=', p('organization')),
)

export async function findReputation(reader: Reader, organization: number): Promise<ReputationTable | null> {
  const [row] = await reader.sql.all(find, { organization })
  return row ?? null
}

export function listReputations(reader: Reader): Promise<ReputationTable[]> {
  return reader.sql.query((db) => db.selectFrom('reputation').selectAll().orderBy('organization'))
}

export async function keepReputation(unit: AccountUnit, row: Omit<ReputationTable, 'organization'>): Promise<void> {
  await unit.sql.query((db) =>
    db
      .insertInto('reputation')
      .values({ organization: unit.account, ...row })
      .onConflict((oc) => oc.column('organization').doUpdateSet(row)),
  )
}

const restricted = statement<Record<never, never>>()((db) =>
  db
    .selectFrom('reputation')
    .select(['organization', 'status'])
    .where('status', 'in', [sql.lit('throttled' as const), sql.lit('suspended' as const)]),
)

/** Organizations whose sending is throttled or suspended. */
export function listRestricted(reader: Reader): Promise<Pick<ReputationTable, 'organization' | 'status'>[]> {
  return reader.sql.all(restricted, {})
}
