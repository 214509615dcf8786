/** Leases of messages that workers are sending, renewed meanwhile. */
import { renewOutgoing } from '../../../storage/repos/outgoing-leases.ts'
import type { Services } from '../../type/context.ts'
import type { QueuedSubmission } from './queue-description.ts'

/** A queue entry that a worker holds. */
export type HeldSubmission = Pick<QueuedSubmission, 'account' | 'submission' | 'destination' | 'lease'>

/** @returns the entries that the worker still holds */
export function renewSubmissions(
  { store }: Pick<Services, 'store'>,
  held: readonly HeldSubmission[],
  leaseMs: number,
): Promise<HeldSubmission[]> {
  return store.write([], (work) => renewOutgoing(work.sql, held, work.now + leaseMs))
}
