/**
 * One core out of two: what may write runs in the writer thread, reading here, beside the sockets (performance.md, layout 4). The
 * answer to a write comes after its commit, so that a read that follows it sees it.
 */
import { Worker } from 'node:worker_threads'
import type { Core, StateChange } from '../../jmap/core.ts'
import type { HostedCore } from '../../jmap/create-core.ts'
import { parseRequest } from '../../jmap/protocol/request.ts'
import type { Clock } from '../base/clock.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { PARSE_BEFORE_WRITER_MAX_BYTES } from '../base/limits.ts'
import type { Logger, LogLevel } from '../base/logger.ts'
import { remoteCore } from './core-calls.ts'
import { type CorePlan, type LocalCore, openLocalCore } from './local-core.ts'
import { RpcClient } from './rpc.ts'
import type { WriterData } from './writer-thread.ts'

export interface SplitCoreOptions {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
  readonly clock: Clock
  readonly logger: Logger
  /** The writer has died of a fault: nothing can be written any more. */
  readonly onFatal: (error: Error) => void
}

export async function openSplitCore(options: SplitCoreOptions): Promise<LocalCore> {
  const { plan, logLevel, clock, logger, onFatal } = options
  const listeners = new Set<(change: StateChange) => void>()
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: { plan, logLevel } satisfies WriterData,
  })
  const rpc = new RpcClient(worker, (change) => {
    for (const listener of listeners) listener(change as StateChange)
  })
  let closing = false
  const ended = new Promise<void>((resolve) => {
    let reason = 'the writer thread has ended'
    worker.on('error', (error) => {
      reason = errorMessage(error)
      rpc.end(startFailure(error))
      if (!closing) onFatal(error instanceof Error ? error : new Error(reason))
    })
    worker.on('exit', () => {
      rpc.end(new Failure('storageUnavailable', reason))
      resolve()
    })
  })
  const remote = remoteCore(rpc)
  await rpc.call('ready', [])
  const local = await openLocalCore({ plan, clock, logger, reading: { drainIndex: remote.drainIndex } })
  return {
    ...local,
    core: {
      // What is not said otherwise below only reads, and runs here.
      ...local.core,
      ...remote,
      ...routed(local.core, remote),
      onStateChange(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      async close() {
        closing = true
        await local.core.close()
        await rpc.call('close', [])
        await worker.terminate()
        await ended
      },
    },
  }
}

/** What opening the store says is told as it is: a data folder of a newer version, a disk that is full. */
function startFailure(error: unknown): Failure {
  const code = (error as { code?: unknown }).code
  const known = code === 'configuration' || code === 'storageFull' ? code : 'storageUnavailable'
  return new Failure(known, errorMessage(error))
}

type Processing = Pick<Core, 'process' | 'processText'>

function routed(local: HostedCore, remote: Processing): Processing {
  return {
    process: (principal, request) => (local.mayWrite(request) ? remote : local).process(principal, request),
    processText(principal, body) {
      // Large requests carry objects to write; parsing one here only to learn that would hold up the sockets.
      if (body.length > PARSE_BEFORE_WRITER_MAX_BYTES) return remote.processText(principal, body)
      const parsed = parseRequest(body, local.limits)
      const writes = 'request' in parsed && local.mayWrite(parsed.request)
      return (writes ? remote : local).processText(principal, body)
    },
  }
}
