/**
 * Which thread runs what is decided here and nowhere else; jmap/ and storage/ do not know. On SQLite a writer thread holds the only
 * write connection, and this thread reads beside it; otherwise everything runs in the thread that asks.
 */
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { corePlan, type LocalCore, openLocalCore } from './local-core.ts'
import { openSplitCore } from './split-core.ts'

export interface HostOptions {
  readonly config: Config
  readonly secrets: Secrets
  readonly clock: Clock
  readonly logger: Logger
  /** A thread that the server cannot do without has died. */
  readonly onFatal: (error: Error) => void
}

export function openHost({ config, secrets, clock, logger, onFatal }: HostOptions): Promise<LocalCore> {
  const plan = corePlan(config, secrets)
  if (!config.writerThread) return openLocalCore({ plan, clock, logger })
  return openSplitCore({ plan, logLevel: config.logLevel, clock, logger, onFatal })
}
