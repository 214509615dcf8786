/** Starts and stops the writer thread, and handles its death. */
import { Worker } from 'node:worker_threads'
import { errorMessage, Failure } from '../base/errors.ts'
import { WRITER_YOUNG_MIB } from '../base/reading-limits.ts'
import { RpcClient } from './rpc.ts'
import type { WriterEvent, WriterPlan } from './serve-writer.ts'

export interface Writer {
  readonly rpc: RpcClient
  close(): Promise<void>
}

/**
 * @param onEvent is called with what the thread emits
 * @param onFatal is called when the thread dies after it was ready
 * @throws the failure of opening the store there
 */
export async function startWriter(
  plan: WriterPlan,
  onEvent: (event: WriterEvent) => void,
  onFatal: (error: Error) => void,
): Promise<Writer> {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: plan,
    resourceLimits: { maxYoungGenerationSizeMb: WRITER_YOUNG_MIB },
  })
  const rpc = new RpcClient(worker, (event) => onEvent(event as WriterEvent))
  let state: 'starting' | 'ready' | 'closing' = 'starting'
  const died = (error: Error) => {
    rpc.end(error)
    if (state === 'ready') onFatal(error)
    state = 'closing'
  }
  worker.on('error', (error) => died(receivedError(error)))
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      died(new Failure('storageUnavailable', 'the writer thread has ended'))
      resolve()
    })
  })
  await rpc.call('ready', [])
  state = 'ready'
  return {
    rpc,
    async close() {
      const alive = state === 'ready'
      state = 'closing'
      if (alive) await rpc.call('close', [])
      await worker.terminate()
      await ended
    },
  }
}

/** Failures of opening the store keep their code and words, such as a data folder of a newer version or a full disk. Classes do not cross. */
function receivedError(error: unknown): Error {
  const { code } = error as { code?: unknown }
  if (code === 'configuration' || code === 'corrupt' || code === 'storageFull' || code === 'storageUnavailable')
    return new Failure(code, errorMessage(error))
  return error instanceof Error ? error : new Error(errorMessage(error))
}
