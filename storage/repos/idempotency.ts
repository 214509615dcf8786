/** Requests that carry an Idempotency-Key: who runs one, what it has done, and how it was answered (decision D2). */
import { sql } from 'kysely'
import type { Sql } from '../ports.ts'
import type { IdempotencyStepTable, IdempotencyTable } from '../schema/idempotency-tables.ts'
import { run } from '../search/run.ts'
import { statement } from '../statement.ts'

export type SlotKey = Pick<IdempotencyTable, 'organization' | 'name'>
export type NewSlot = Omit<IdempotencyTable, 'answer' | 'lease'> & { readonly lease: string }
/** Of who runs it: whoever has lost the lease changes nothing. */
export type LeasedSlot = SlotKey & { readonly lease: string }

const insert = statement<NewSlot>()((db, p) =>
  db
    .insertInto('idempotency')
    .values({
      organization: p('organization'),
      name: p('name'),
      fingerprint: p('fingerprint'),
      begun_at: p('begun_at'),
      expires_at: p('expires_at'),
      lease: p('lease'),
      lease_until: p('lease_until'),
      answer: sql.lit(null),
    })
    .onConflict((oc) => oc.columns(['organization', 'name']).doNothing())
    .returning('name'),
)

/** False: the slot is there already. */
export async function insertSlot(db: Sql, row: NewSlot): Promise<boolean> {
  return (await db.all(insert, row)).length > 0
}

const lock = statement<SlotKey>()((db, p) =>
  db
    .updateTable('idempotency')
    .set((eb) => ({ lease_until: eb.ref('lease_until') }))
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .returningAll(),
)

/** The slot, which nobody else changes before the unit of work has ended. */
export async function lockSlot(db: Sql, { organization, name }: SlotKey): Promise<IdempotencyTable | null> {
  const [row] = await db.all(lock, { organization, name })
  return row ?? null
}

const lend = statement<LeasedSlot & { lease_until: number }>()((db, p) =>
  db
    .updateTable('idempotency')
    .set({ lease: p('lease'), lease_until: p('lease_until') })
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name')),
)

export async function lendSlot(db: Sql, slot: LeasedSlot, lease_until: number): Promise<void> {
  await db.all(lend, { ...slot, lease_until })
}

const release = statement<LeasedSlot>()((db, p) =>
  db
    .updateTable('idempotency')
    .set({ lease: sql.lit(null), lease_until: sql.lit(0) })
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('lease', '=', p('lease')),
)

/** What it has done stays, for whoever goes on. */
export async function releaseSlot(db: Sql, slot: LeasedSlot): Promise<void> {
  await db.all(release, slot)
}

const answer = statement<LeasedSlot & { answer: string }>()((db, p) =>
  db
    .updateTable('idempotency')
    .set({ lease: sql.lit(null), lease_until: sql.lit(0), answer: p('answer') })
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('lease', '=', p('lease'))
    .returning('name'),
)

export async function answerSlot(db: Sql, slot: LeasedSlot, text: string): Promise<void> {
  if ((await db.all(answer, { ...slot, answer: text })).length > 0) await deleteSteps(db, slot)
}

const remove = statement<LeasedSlot>()((db, p) =>
  db
    .deleteFrom('idempotency')
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('lease', '=', p('lease'))
    .returning('name'),
)

/** As if the key had not been used. */
export async function deleteSlot(db: Sql, slot: LeasedSlot): Promise<void> {
  if ((await db.all(remove, slot)).length > 0) await deleteSteps(db, slot)
}

const renew = statement<NewSlot>()((db, p) =>
  db
    .updateTable('idempotency')
    .set({
      fingerprint: p('fingerprint'),
      begun_at: p('begun_at'),
      expires_at: p('expires_at'),
      lease: p('lease'),
      lease_until: p('lease_until'),
      answer: sql.lit(null),
    })
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name')),
)

/** What was kept there is over. */
export async function renewSlot(db: Sql, row: NewSlot): Promise<void> {
  await db.all(renew, row)
  await deleteSteps(db, row)
}

/** A process that starts on data of its own: those that ran before are dead. */
export async function releaseSlots(db: Sql): Promise<void> {
  await db.query((builder) =>
    builder.updateTable('idempotency').set({ lease: null, lease_until: 0 }).where('lease', 'is not', null),
  )
}

const removeSteps = statement<SlotKey>()((db, p) =>
  db.deleteFrom('idempotency_step').where('organization', '=', p('organization')).where('name', '=', p('name')),
)

async function deleteSteps(db: Sql, { organization, name }: SlotKey): Promise<void> {
  await db.all(removeSteps, { organization, name })
}

const oneStep = statement<Omit<IdempotencyStepTable, 'past' | 'outcome'>>()((db, p) =>
  db
    .selectFrom('idempotency_step')
    .select('outcome')
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('round', '=', p('round'))
    .where('step', '=', p('step')),
)

export type StepKey = Omit<IdempotencyStepTable, 'past' | 'outcome'>

export async function findStep(db: Sql, key: StepKey): Promise<string | null> {
  const [row] = await db.all(oneStep, key)
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

/** Whether a step of the round is kept already. */
export async function hasRound(db: Sql, { organization, name, round }: StepKey): Promise<boolean> {
  return (await db.all(ofRound, { organization, name, round })).length > 0
}

const keep = statement<IdempotencyStepTable>()((db, p) =>
  db.insertInto('idempotency_step').values({
    organization: p('organization'),
    name: p('name'),
    round: p('round'),
    step: p('step'),
    past: p('past'),
    outcome: p('outcome'),
  }),
)

/** Another that does the same step at once fails with its whole unit of work. */
export async function insertStep(db: Sql, row: IdempotencyStepTable): Promise<void> {
  await db.all(keep, row)
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

/** The last round that has done something. */
export async function lastRound(db: Sql, { organization, name }: SlotKey) {
  const [row] = await db.all(last, { organization, name })
  return row ?? null
}

/** Forgets what is over at `now`, at most `limit` of it; how much it was. */
export async function deleteExpiredSlots(db: Sql, now: number, limit: number): Promise<number> {
  const gone = await run<SlotKey>(
    { sql: db },
    sql<SlotKey>`delete from idempotency where expires_at <= ${now} and (organization, name) in
      (select organization, name from idempotency where expires_at <= ${now} order by expires_at limit ${limit})
      returning organization, name`,
  )
  for (const slot of gone) await deleteSteps(db, slot)
  return gone.length
}
