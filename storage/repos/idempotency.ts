/** Slots of requests with an Idempotency-Key: the running request, and its response (decision D2). */
import { sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import type { Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { IdempotencyTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { deleteSteps, type SlotKey } from './idempotency-steps.ts'

export type NewSlot = Omit<IdempotencyTable, 'answer' | 'lease'> & { readonly lease: string }
/** A slot and the lease of its running request. A caller that lost the lease changes nothing. */
export type LeasedSlot = SlotKey & { readonly lease: string }

const insert = insertRow('idempotency', (query) =>
  query.onConflict((oc) => oc.columns(['organization', 'name']).doNothing()).returning('name'),
)

/** @returns false: the slot exists already */
export async function insertSlot(connection: Sql, row: NewSlot): Promise<boolean> {
  return (await connection.all(insert, { ...row, answer: null })).length > 0
}

const lock = statement<SlotKey>()((db, p) =>
  db
    .updateTable('idempotency')
    .set((eb) => ({ lease_until: eb.ref('lease_until') }))
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .returningAll(),
)

/** The slot, locked until the end of the unit of work. */
export async function lockSlot(connection: Sql, { organization, name }: SlotKey): Promise<IdempotencyTable | null> {
  const [row] = await connection.all(lock, { organization, name })
  return row ?? null
}

const lease = statement<LeasedSlot & { lease_until: number }>()((db, p) =>
  db
    .updateTable('idempotency')
    .set({ lease: p('lease'), lease_until: p('lease_until') })
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name')),
)

export async function leaseSlot(connection: Sql, slot: LeasedSlot, lease_until: number): Promise<void> {
  await connection.all(lease, { ...slot, lease_until })
}

const extend = statement<LeasedSlot & { lease_until: number }>()((db, p) =>
  db
    .updateTable('idempotency')
    .set({ lease_until: p('lease_until') })
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('lease', '=', p('lease'))
    .returning('name'),
)

/** @returns false: another run has the lease, or the request has ended */
export async function extendSlot(connection: Sql, slot: LeasedSlot, lease_until: number): Promise<boolean> {
  return (await connection.all(extend, { ...slot, lease_until })).length > 0
}

const holder = (isShared: boolean) =>
  statement<SlotKey>()((db, p) =>
    db
      .selectFrom('idempotency')
      .select('lease')
      .where('organization', '=', p('organization'))
      .where('name', '=', p('name'))
      .$if(isShared, (query) => query.forShare()),
  )
const HOLDER = { sqlite: holder(false), postgres: holder(true) }

/** Whether the lease is that of the slot. It stays so until the end of the unit of work: on PostgreSQL the row is locked for that long. */
export async function holdsSlot(connection: Sql, { organization, name, lease }: LeasedSlot): Promise<boolean> {
  const [row] = await connection.all(HOLDER[connection.engine], { organization, name })
  return row?.lease === lease
}

const release = statement<LeasedSlot>()((db, p) =>
  db
    .updateTable('idempotency')
    .set({ lease: sql.lit(null), lease_until: sql.lit(0) })
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('lease', '=', p('lease')),
)

/** Ends the lease. The steps stay, for a repetition of the request. */
export async function releaseSlot(connection: Sql, slot: LeasedSlot): Promise<void> {
  await connection.all(release, slot)
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

export async function answerSlot(connection: Sql, slot: LeasedSlot, text: string): Promise<void> {
  if ((await connection.all(answer, { ...slot, answer: text })).length > 0) await deleteSteps(connection, slot)
}

const remove = statement<LeasedSlot>()((db, p) =>
  db
    .deleteFrom('idempotency')
    .where('organization', '=', p('organization'))
    .where('name', '=', p('name'))
    .where('lease', '=', p('lease'))
    .returning('name'),
)

/** Deletes the slot, so that the key counts as unused. */
export async function deleteSlot(connection: Sql, slot: LeasedSlot): Promise<void> {
  if ((await connection.all(remove, slot)).length > 0) await deleteSteps(connection, slot)
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

/** Reuses a slot that has expired. */
export async function renewSlot(connection: Sql, row: NewSlot): Promise<void> {
  await connection.all(renew, row)
  await deleteSteps(connection, row)
}

/** Ends all leases. Only for a process that is alone on its data when it starts. */
export async function releaseSlots(connection: Sql): Promise<void> {
  await connection.query((db) =>
    db.updateTable('idempotency').set({ lease: null, lease_until: 0 }).where('lease', 'is not', null),
  )
}

/** Deletes at most `limit` slots that have expired at `now`. @returns how many */
export async function deleteExpiredSlots(connection: Sql, now: number, limit: number): Promise<number> {
  const deleted = await rawQuery(
    connection,
    sql<SlotKey>`delete from idempotency where expires_at <= ${now} and (organization, name) in
      (select organization, name from idempotency where expires_at <= ${now} order by expires_at limit ${limit})
      returning organization, name`,
  )
  for (const slot of deleted) await deleteSteps(connection, slot)
  return deleted.length
}
