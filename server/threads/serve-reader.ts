/** The work of a thread that reads: it runs complete requests on a read-only connection, and sends their writing calls to the writer. */
import { platform, setPriority } from 'node:os'
import type { MessagePort } from 'node:worker_threads'
import { StateChanges } from '../../jmap/push/state-changes.ts'
import type { CoreParts } from '../../jmap/service.ts'
import { type CoreCalls, callsOf, runHere, SERVICE_LINES } from '../../jmap/services.ts'
import type { AdmittedRequest, Execute } from '../../rest/executor.ts'
import { charsIn } from '../base/chars-in.ts'
import { systemClock } from '../base/clock.ts'
import { Failure } from '../base/errors.ts'
import { createLogger, type LogLevel } from '../base/logger.ts'
import { LARGE_OBJECT_CHARS, READER_NICENESS } from '../base/reading-limits.ts'
import type { CorePlan } from './core-plan.ts'
import { openInProcess } from './in-process.ts'
import { detach, detachArguments } from './octets.ts'
import type { Reading } from './rest-calls.ts'
import { RpcClient, type RpcHandler, serveRpc } from './rpc.ts'
import { SharedGuard } from './shared-guard.ts'

export interface ReaderPlan {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
  /** One for each place: not 0 if its request must end. Shared memory. */
  readonly flags: Int32Array
  /** REST checks its answers and shows warnings. */
  readonly isDev: boolean
}

/** Calls wait until the store is open: the port keeps their messages. */
export async function serveReader(
  port: MessagePort,
  toWriter: MessagePort,
  { plan, logLevel, flags, isDev }: ReaderPlan,
): Promise<void> {
  const writer = new RpcClient(toWriter, () => {})
  const opened = Promise.withResolvers<CoreParts>()
  const calls = (parts: CoreParts) => {
    opened.resolve(parts)
    return readingCalls(parts, writer)
  }
  const logger = createLogger(logLevel)
  const inProcess = await openInProcess({
    plan,
    clock: systemClock,
    logger,
    callsOf: calls,
    scans: true,
    writer: { stateChanges: new StateChanges() },
  })
  // On Linux it is that of this thread alone. Its first request waits for what was before.
  if (platform() === 'linux') setPriority(READER_NICENESS)
  const parts = await opened.promise
  const restOf = restCalls({ ...inProcess, parts, logger }, isDev)
  // Answered when no statement runs here.
  const handlers = new Map<string, RpcHandler>([['idle', async () => ({ value: null })]])
  for (const [path, service] of SERVICE_LINES) {
    if (service.access !== 'placed') continue
    const call = runHere(service, parts)
    handlers.set(
      path,
      async (place: number, ms: number, octets: number, args: readonly unknown[], restartsLarge: boolean) => {
        const answer = await call(...args.slice(0, service.guardAt), new SharedGuard(flags, place, ms, octets))
        if (restartsLarge && charsIn(answer, LARGE_OBJECT_CHARS) > LARGE_OBJECT_CHARS)
          throw new Failure('diverted', 'the answer is too large for objects')
        // Large answers are octets, which this thread no longer needs.
        return detach(answer, 0)
      },
    )
  }
  handlers.set('rest', async (place: number, ms: number, _octets: number, [request]: readonly [AdmittedRequest]) => {
    const execute = await restOf()
    // What writes runs to its end.
    const guard = request.isRead ? new SharedGuard(flags, place, ms) : undefined
    return detach(await execute(request, guard), 0)
  })
  serveRpc(port, handlers)
}

/** REST is loaded when it is first needed. */
function restCalls(reading: Reading, isDev: boolean): () => Promise<Execute> {
  let loaded: Promise<Execute> | undefined
  return () => {
    loaded ??= import('./rest-calls.ts').then(({ createRestCalls }) => createRestCalls(reading, isDev))
    return loaded
  }
}

/** The calls as services of this thread make them: those that may write run where the writer is. */
function readingCalls(parts: CoreParts, writer: RpcClient): CoreCalls {
  return callsOf((service, path) => {
    if (service.access === 'reads') return runHere(service, parts)
    return (...args: unknown[]) => {
      const { value, transfer } = detachArguments(args, service.transfer)
      return writer.call(path, value, transfer)
    }
  })
}
