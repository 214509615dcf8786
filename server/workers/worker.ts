/** The dependencies of a worker, and the times when it works. */
import type { TaskSource } from '../../jmap/imports/items.ts'
import type { Core } from '../../jmap/services.ts'
import type { Mta } from '../../mta/mta.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Config } from '../config/config.ts'
import type { CronSchedule } from '../config/cron-schedule.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Egress } from '../egress/safe-fetch.ts'
import type { ImportSource } from '../imports/import-source.ts'
import type { StagedStore } from '../imports/staging/staged-store.ts'
import { Periodic } from './periodic.ts'
import { Scheduled, type ScheduledTurns } from './scheduled.ts'

export interface Worker {
  start(): void | Promise<void>
  /** Starts no more work. Resolves when running work is done. */
  stop(): void | Promise<void>
}

export interface WorkerDeps {
  readonly config: Config
  readonly secrets: Secrets
  readonly clock: Clock
  readonly logger: Logger
  readonly core: Core
  /** For public addresses. */
  readonly egress: Egress
  /** For the addresses that webhooks may use. */
  readonly webhookEgress: Egress
  /** For hosts that the operator names, which may be in private networks. */
  readonly inside: Egress
  readonly renewTls: Mta['renewTls']
  readonly staged: StagedStore
  /** Opens what mail is imported from. */
  readonly openSource: (source: TaskSource) => ImportSource
}

/** Works once. Its result is logged if it is an object. */
export type Turn = () => Promise<unknown>

/** Starts a worker from what its file gives. */
export type When<Made> = (made: Made, name: string, deps: WorkerDeps) => Worker

/** @param firstMs from the start to the first turn; without it, `everyMs` */
export function every(everyMs: number, firstMs = everyMs): When<Turn> {
  return (turn, name, { clock, logger }) => new Periodic({ name, turn, everyMs, firstMs, clock, logger })
}

export function onSchedule(scheduleOf: (config: Config) => CronSchedule): When<ScheduledTurns> {
  return (turns, name, { config, clock, logger }) =>
    new Scheduled({ name, schedule: scheduleOf(config), turns, clock, logger })
}

/** Works when rows of the core's records are due (due-worker.ts). */
export const whenDue: When<Worker> = (worker) => worker
