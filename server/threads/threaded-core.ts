/**
 * The core with threads. What writes runs in a writer thread (SQLite) or here (PostgreSQL). Reads that are little work run here, beside the
 * sockets; longer ones in a pool of reading threads (spec/measured.md, Threads). A write is answered after its commit, so a read that
 * follows sees it, in whichever thread it runs.
 */

import type { MessagePort } from 'node:worker_threads'
import { StateChanges } from '../../jmap/push/state-changes.ts'
import type { CoreParts } from '../../jmap/service.ts'
import { type CoreCalls, callsOf, runHere } from '../../jmap/services.ts'
import type { Clock } from '../base/clock.ts'
import { Failure } from '../base/errors.ts'
import type { Fatal } from '../base/fatal.ts'
import type { Logger, LogLevel } from '../base/logger.ts'
import { LARGE_REQUEST_HEAP_MIB, LARGE_REQUEST_THREADS, READS_PER_THREAD } from '../base/reading-limits.ts'
import { UnsentAnswers } from '../base/unsent-answers.ts'
import type { CorePlan } from './core-plan.ts'
import { type InProcess, openInProcess } from './in-process.ts'
import { detachArguments } from './octets.ts'
import { PlacedCalls } from './placed-calls.ts'
import { startReader } from './reader.ts'
import { Readers } from './readers.ts'
import { RestThreads } from './rest-threads.ts'
import { serveRpc } from './rpc.ts'
import type { WriterEvent } from './serve-writer.ts'
import { TurnQueue } from './turn-queue.ts'
import { startWriter, type Writer } from './writer.ts'
import { writingHandlers } from './writing-handlers.ts'
import { leaveBoundsToThreads } from './young-generations.ts'

export interface ThreadedCoreOptions {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
  readonly clock: Clock
  readonly logger: Logger
  readonly writerThread: boolean
  /** 0: all reads run beside the sockets. */
  readonly readingThreads: number
  /** Answers of REST are checked, and its warnings are shown. */
  readonly isDev: boolean
  /** Called when nothing can be written any more. */
  readonly onFatal: (fatal: Fatal) => void
}

export interface OpenedCore extends InProcess {
  /** Answers that are sent count there. */
  readonly unsent: UnsentAnswers
  /** For requests that read in this thread. */
  readonly turns: TurnQueue
  /** Executes a request of REST outside of this thread (rest-threads.ts). null: there are no reading threads */
  readonly executeRest: RestThreads['execute'] | null
  /** Ends the reading threads. */
  endReads(): Promise<void>
}

export async function openThreadedCore(options: ThreadedCoreOptions): Promise<OpenedCore> {
  const { plan, logLevel, clock, logger, onFatal, readingThreads, isDev } = options
  leaveBoundsToThreads()
  const stateChanges = new StateChanges()
  const onDiskFault = (error: Error) => onFatal({ cause: 'disk', error })
  const onEvent = (event: WriterEvent) => {
    if ('change' in event) stateChanges.emit(event.change)
    else onDiskFault(new Failure('storageUnavailable', event.diskFault))
  }
  const onDeath = (error: Error) => onFatal({ cause: 'thread', error })
  const writer = options.writerThread ? await startWriter({ plan, logLevel }, onEvent, onDeath) : null
  const serveWriter = (port: MessagePort) => {
    if (writer) void writer.rpc.call('connect', [port], [port]).catch(() => {})
    else serveRpc(port, writingHandlers(opened.core))
  }
  // On SQLite a thread reads one request after the other, as its calls do not wait; in packs they wait seldom.
  const places = plan.database.kind === 'sqlite' && plan.blobs.kind === 'disk' ? 1 : READS_PER_THREAD
  const unsent = new UnsentAnswers()
  const readers = new Readers({
    start: (onEnd) => startReader({ plan, logLevel, isDev }, places, serveWriter, onEnd),
    threads: readingThreads,
    places,
    unsent,
    clock,
  })
  const large = new Readers({
    start: (onEnd) => startReader({ plan, logLevel, isDev }, 1, serveWriter, onEnd, LARGE_REQUEST_HEAP_MIB),
    threads: LARGE_REQUEST_THREADS,
    places: 1,
    unsent,
    clock,
  })
  const rest = new RestThreads(readers, large)
  const turns = new TurnQueue()
  const placed = new PlacedCalls(readingThreads > 0 ? readers : null, unsent, turns, clock, writer === null)
  const calls = (parts: CoreParts) => threadedCalls(parts, placed, writer)
  const opened = await openInProcess({
    plan,
    clock,
    logger,
    callsOf: calls,
    ...(writer ? { writer: { stateChanges } } : { onDiskFault }),
  }).catch(async (error: unknown) => {
    await writer?.close()
    throw error
  })
  const { core } = opened
  const executeRest = readingThreads > 0 ? rest.execute.bind(rest) : null
  const close = async () => {
    await Promise.all([readers.close(), large.close()])
    await core.close()
    await writer?.close()
  }
  return {
    ...opened,
    core: { ...core, close },
    unsent,
    turns,
    executeRest,
    endReads: () => readers.close(),
  }
}

function threadedCalls(parts: CoreParts, placed: PlacedCalls, writer: Writer | null): CoreCalls {
  return callsOf((service, path) => {
    if (service.access === 'reads') return runHere(service, parts)
    const runThere = (...args: unknown[]) => {
      const { value, transfer } = detachArguments(args, service.transfer)
      return writer!.rpc.call(path, value, transfer)
    }
    const write = writer ? runThere : runHere(service, parts)
    return service.access === 'writes' ? write : placed.callOf(service, path, parts, write)
  })
}
