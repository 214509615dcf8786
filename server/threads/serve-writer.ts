/** What the writer thread does: it alone has the connection that may write, and serves the core's writing functions to the others. */
import type { MessagePort } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { createLogger, type LogLevel } from '../base/logger.ts'
import { coreHandlers } from './core-calls.ts'
import { type CorePlan, openLocalCore } from './local-core.ts'
import { serveRpc } from './rpc.ts'

export interface WriterPlan {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
}

/** Until the store is open calls wait: the port keeps their messages. */
export async function serveWriter(port: MessagePort, { plan, logLevel }: WriterPlan): Promise<void> {
  const { core } = await openLocalCore({ plan, clock: systemClock, logger: createLogger(logLevel) })
  const emit = serveRpc(port, new Map([...coreHandlers(core), ['ready', async () => ({ value: null })]]))
  core.onStateChange(emit)
}
