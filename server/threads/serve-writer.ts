/** The writer thread's work: it has the only connection that may write, and answers the calls that may write. */
import type { MessagePort } from 'node:worker_threads'
import type { StateChange } from '../../jmap/push/state-changes.ts'
import { systemClock } from '../base/clock.ts'
import { collectGarbage } from '../base/collect-garbage.ts'
import { createLogger, type LogLevel } from '../base/logger.ts'
import type { CorePlan } from './core-plan.ts'
import { openInProcess } from './in-process.ts'
import { emitEvent, type RpcHandler, serveRpc } from './rpc.ts'
import { writingHandlers } from './writing-handlers.ts'

export interface WriterPlan {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
}

/** What the thread emits. */
export type WriterEvent = { readonly change: StateChange } | { readonly diskFault: string }

/** Calls wait until the store is open: the port keeps their messages. */
export async function serveWriter(port: MessagePort, { plan, logLevel }: WriterPlan): Promise<void> {
  const emit = (event: WriterEvent) => emitEvent(port, event)
  // After the answers of all durable commits.
  const onDiskFault = (error: Error) => emit({ diskFault: error.message })
  const { core } = await openInProcess({ plan, clock: systemClock, logger: createLogger(logLevel), onDiskFault })
  const writing = writingHandlers(core)
  const handlers = new Map<string, RpcHandler>([
    ...writing,
    ['ready', async () => ({ value: null })],
    ['close', async () => ({ value: await core.close() })],
    ['connect', async (other: MessagePort) => ({ value: void serveRpc(other, writing) })],
  ])
  collectGarbage()
  serveRpc(port, handlers)
  core.onStateChange((change) => emit({ change }))
}
