/**
 * Decides which thread runs what; jmap/ and storage/ do not know. On SQLite a writer thread holds the only write connection; on both engines
 * reading threads run what reads long.
 */
import type { Clock } from '../base/clock.ts'
import type { Fatal } from '../base/fatal.ts'
import type { Logger } from '../base/logger.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { corePlan } from './core-plan.ts'
import { type OpenedCore, openThreadedCore } from './threaded-core.ts'

export interface OpenCoreOptions {
  readonly config: Config
  readonly secrets: Secrets
  readonly clock: Clock
  readonly logger: Logger
  /** Called when nothing can be written any more. */
  readonly onFatal: (fatal: Fatal) => void
}

export function openCore({ config, secrets, clock, logger, onFatal }: OpenCoreOptions): Promise<OpenedCore> {
  const plan = corePlan(config, secrets)
  const { logLevel, writerThread, readingThreads, dev: isDev } = config
  return openThreadedCore({ plan, logLevel, clock, logger, writerThread, readingThreads, isDev, onFatal })
}
