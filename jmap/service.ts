/** A line of the table of services (services.ts): a function, and where it runs. */
import type { BackgroundSlices } from '../server/base/background-slices.ts'
import type { LongRuns } from '../server/base/long-runs.ts'
import type { WaitingSorts } from './mail/email/sort-keys.ts'
import type { QueuePlaces } from './mail/submission/queue.ts'
import type { Placement } from './process-request.ts'
import type { StateChanges } from './push/state-changes.ts'
import type { Services } from './type/context.ts'
import type { Registry } from './type/registry.ts'
import type { WebhookPlaces } from './webhooks/queue.ts'

/** The first argument of the functions of the table: the services, and the state that the core holds in memory. */
export interface CoreParts extends Services {
  readonly registry: Registry
  readonly stateChanges: StateChanges
  readonly queuePlaces: QueuePlaces
  readonly webhookPlaces: WebhookPlaces
  readonly longRuns: LongRuns
  readonly waitingSorts: WaitingSorts
  /** Makes the keys of sorts; null where another thread writes. */
  readonly sorter: BackgroundSlices | null
  /** Learns from spam marks; null where another thread writes. */
  readonly trainer: BackgroundSlices | null
}

/** Octets move between threads by transfer. `copied`: a copy is transferred. `given`: large ones are detached from who sends them. */
export interface Transfer {
  readonly sent?: 'copied' | 'given'
  readonly returned?: 'given'
}

type Run = (parts: CoreParts, ...args: never[]) => unknown

/** Runs in the calling thread, on a read-only connection if another thread writes. */
export function reads<R extends Run>(run: R) {
  return { access: 'reads', run } as const
}

/** Runs in the thread of the writer. */
export function writes<R extends Run>(run: R, transfer: Transfer = {}) {
  return { access: 'writes', run, transfer } as const
}

/**
 * Runs where its arguments say.
 * @param guardAt place of the guard among the arguments of the call: a WaitingClient of the caller, a guard of the thread that runs it
 */
export function placed<R extends Run>(
  run: R,
  place: (...args: Parameters<R>) => Placement<ReturnType<R>>,
  guardAt: number,
  transfer: Transfer = {},
) {
  return { access: 'placed', run, place, guardAt, transfer } as const
}

/** A line of the table. */
export type Service = ReturnType<typeof reads> | ReturnType<typeof writes> | ReturnType<typeof placed>

/** The functions have no common type; `CoreCalls` types each of them. */
export type AnyCall = (...args: unknown[]) => unknown
