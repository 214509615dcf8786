/** Leases of what workers are sending, renewed while they are at it. */
import { renewOutgoing } from '../../../storage/repos/outgoing-leases.ts'
import type { Services } from '../../context.ts'
import type { QueuedSubmission } from './queue-description.ts'

/** What a worker holds of the queue. */
export type HeldSubmission = Pick<QueuedSubmission, 'account' | 'submission' | 'destination' | 'lease'>

/** @returns those that the worker still has */
export function renewSubmissions(
  { store }: Pick<Services, 'store'>,
  held: readonly HeldSubmission[],
  leaseMs: number,
): Promise<HeldSubmission[]> {
  return store.write([], (work) => renewOutgoing(work.sql, held, work.now + leaseMs))
}
