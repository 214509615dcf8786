/** Outcomes of the units of work of requests with an Idempotency-Key (decision D2). */
import { sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import type { Sql } from '../ports.ts'
import type { IdempotencyStepTable, IdempotencyTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type SlotKey = Pick<IdempotencyTable, 'organization' | 'name'>
export type StepKey = Omit<IdempotencyStepTable, 'past' | 'outcome'>

const removeSteps = statement<SlotKey>()((db, p) =>
  db.deleteFrom('idempotency_step').where('organization', '=', p('organization')).where('name', '=', p('name')),
)

export async function deleteSteps(connection: Sql, { organization, name }: SlotKey): Promise<void> {
  await connection.all(removeSteps, { organization, name })
}

const oneStep = statement<StepKey>()((db, p) =>
  db
    .selectFrom('idempotency_step')
    .select('outcome')
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('round', '=', p('round'))
    .where('step', '=', p('step')),
)

export async function findStep(connection: Sql, key: StepKey): Promise<string | null> {
  const [row] = await connection.all(oneStep, key)
  return row?.outcome ?? null
}

const ofRound = statement<Omit<StepKey, 'step'>>()((db, p) =>
  db
    .selectFrom('idempotency_step')
    .select('step')
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('round', '=', p('round'))
    .limit(sql.lit(1)),
)

/** Whether a step of the round is stored. */
export async function hasRound(connection: Sql, { organization, name, round }: StepKey): Promise<boolean> {
  return (await connection.all(ofRound, { organization, name, round })).length > 0
}

const insert = insertRow('idempotency_step')

/** If two units of work insert the same step at once, one of them fails as a whole. */
export async function insertStep(connection: Sql, row: IdempotencyStepTable): Promise<void> {
  await connection.all(insert, row)
}

const last = statement<SlotKey>()((db, p) =>
  db
    .selectFrom('idempotency_step')
    .select(['round', 'past'])
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('past', 'is not', null)
    .orderBy('round', 'desc')
    .limit(sql.lit(1)),
)

/** The last round that has a step, and its answers of the earlier rounds. */
export async function lastRound(connection: Sql, { organization, name }: SlotKey) {
  const [row] = await connection.all(last, { organization, name })
  return row ?? null
}
