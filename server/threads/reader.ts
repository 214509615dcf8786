/** Starts a thread that reads and hands it requests. It has its own read-only connection, and asks the writer for the rest. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { Failure } from '../base/errors.ts'
import { READER_HEAP_MIB, READER_YOUNG_MIB } from '../base/reading-limits.ts'
import type { ReaderData } from './reader-thread.ts'
import type { ReadingThread } from './readers.ts'
import { RpcClient } from './rpc.ts'
import type { ReaderPlan } from './serve-reader.ts'

/**
 * @param places requests that it runs at a time
 * @param serveWriter answers calls that arrive on a port, where the writer is
 * @param onEnd is called when the thread ends by itself
 */
export function startReader(
  plan: Omit<ReaderPlan, 'flags'>,
  places: number,
  serveWriter: (port: MessagePort) => void,
  onEnd: () => void,
  heapMib = READER_HEAP_MIB,
): ReadingThread {
  const flags = new Int32Array(new SharedArrayBuffer(places * Int32Array.BYTES_PER_ELEMENT))
  const { port1: toWriter, port2: atWriter } = new MessageChannel()
  const workerData: ReaderData = { ...plan, flags, toWriter }
  const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
    workerData,
    transferList: [toWriter],
    resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: READER_YOUNG_MIB },
  })
  serveWriter(atWriter)
  const rpc = new RpcClient(worker, () => {})
  const ended = Promise.withResolvers<void>()
  let isReady = false
  const noteReady = () => {
    isReady = true
  }
  rpc.call('idle', []).then(noteReady, () => {})
  worker.on('error', (error: Error) =>
    rpc.end(new Failure('storageUnavailable', `a reading thread ended: ${error.message}`)),
  )
  worker.on('exit', () => {
    rpc.end(new Failure('storageUnavailable', 'a reading thread ended'))
    ended.resolve()
    onEnd()
  })
  return {
    run({ path, detach, restartsLarge }, place, ms, octets) {
      Atomics.store(flags, place, 0)
      const { value, transfer } = detach()
      return rpc.call(path, [place, ms, octets, value, restartsLarge], transfer)
    },
    cancel: (place) => void Atomics.store(flags, place, 1),
    async end() {
      // Once a thread is being terminated, no function in JavaScript can end its statement, and it would run on (better-sqlite3 13).
      if (isReady) await Promise.race([rpc.call('idle', []).catch(() => {}), ended.promise])
      void worker.terminate()
      await ended.promise
    },
  }
}
