/** The queue of accounts with reminders that are due. A claim is a lease; fire.ts ends it. */
import { randomUUID } from 'node:crypto'
import { claimDueReminders, nextReminderAt } from '../../../storage/repos/reminders.ts'
import type { Services } from '../../type/context.ts'

/** An account whose due reminders a worker handles. */
export interface ReminderTurn {
  readonly account: number
  readonly lease: string
}

/** Epoch ms when the first account is due; null: none is. */
export function nextReminderTime({ store, clock }: Pick<Services, 'store' | 'clock'>): Promise<number | null> {
  return store.read((reader) => nextReminderAt(reader, clock.now()))
}

export async function claimReminders(
  { store }: Pick<Services, 'store'>,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<ReminderTurn[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimDueReminders(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  return rows.map(({ account }) => ({ account, lease }))
}
