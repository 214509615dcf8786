/** The thread that writes: it alone has the connection that may, and serves the core's writing functions to the others. */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { createLogger, type LogLevel } from '../base/logger.ts'
import { coreHandlers } from './core-calls.ts'
import { type CorePlan, openLocalCore } from './local-core.ts'
import { serveRpc } from './rpc.ts'

export interface WriterData {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
}

const port = parentPort!
const { plan, logLevel } = workerData as WriterData

// Until the store is open calls wait: the port keeps their messages.
const { core } = await openLocalCore({ plan, clock: systemClock, logger: createLogger(logLevel) })
const handlers = coreHandlers(core)
const emit = serveRpc(port, new Map([...handlers, ['ready', async () => ({ value: null })]]))
core.onStateChange(emit)
