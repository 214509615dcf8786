/** The work of a reading thread: it runs complete requests on a read-only connection, and sends their writing calls to the writer. */
import { platform, setPriority } from 'node:os'
import type { MessagePort } from 'node:worker_threads'
import { StateChanges } from '../../jmap/push/state-changes.ts'
import { type CoreCalls, type CoreParts, callsOf, runHere, SERVICE_LINES } from '../../jmap/services.ts'
import { systemClock } from '../base/clock.ts'
import { createLogger, type LogLevel } from '../base/logger.ts'
import { READER_NICENESS } from '../base/reading-limits.ts'
import type { CorePlan } from './core-plan.ts'
import { openInProcess } from './in-process.ts'
import { detach } from './octets.ts'
import { RpcClient, type RpcHandler, serveRpc } from './rpc.ts'
import { SharedGuard } from './shared-guard.ts'

export interface ReaderPlan {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
  /** One for each place: not 0 if its request must end. Shared memory. */
  readonly flags: Int32Array
}

/** Calls wait until the store is open: the port keeps their messages. */
export async function serveReader(
  port: MessagePort,
  toWriter: MessagePort,
  { plan, logLevel, flags }: ReaderPlan,
): Promise<void> {
  // On Linux it is that of this thread alone.
  if (platform() === 'linux') setPriority(READER_NICENESS)
  const writer = new RpcClient(toWriter, () => {})
  const opened = Promise.withResolvers<CoreParts>()
  const calls = (parts: CoreParts) => {
    opened.resolve(parts)
    return readingCalls(parts, writer)
  }
  await openInProcess({
    plan,
    clock: systemClock,
    logger: createLogger(logLevel),
    callsOf: calls,
    scans: true,
    writer: { stateChanges: new StateChanges() },
  })
  const parts = await opened.promise
  // Answered when no statement runs here.
  const handlers = new Map<string, RpcHandler>([['idle', async () => ({ value: null })]])
  for (const [path, service] of SERVICE_LINES) {
    if (service.access !== 'placed') continue
    const call = runHere(service, parts)
    handlers.set(path, async (place: number, ms: number, args: readonly unknown[]) =>
      // Large answers are octets, which this thread no longer needs.
      detach(await call(...args.slice(0, service.guardAt), new SharedGuard(flags, place, ms)), 0),
    )
  }
  serveRpc(port, handlers)
}

/** The calls as services of this thread make them: those that may write run where the writer is. */
function readingCalls(parts: CoreParts, writer: RpcClient): CoreCalls {
  return callsOf((service, path) => {
    if (service.access === 'reads') return runHere(service, parts)
    const { sent } = service.transfer
    return (...args: unknown[]) => {
      const { value, transfer } = sent ? detach(args) : { value: args, transfer: [] }
      return writer.call(path, value, transfer)
    }
  })
}
