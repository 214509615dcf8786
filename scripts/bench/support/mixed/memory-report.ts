/** Loaded into a server by --import: the parent asks by IPC for the memory of the main thread and of all workers. */
import process from 'node:process'
import { isMainThread, type Worker } from 'node:worker_threads'

export interface MemoryReport {
  /** Octets of the main thread's heap that are in use, and those that it holds. */
  readonly heapUsed: number
  readonly heapTotal: number
  readonly external: number
  /** Of the external octets. */
  readonly arrayBuffers: number
  /** Octets in use in the heap of each worker. */
  readonly workers: readonly number[]
}

if (isMainThread && process.send) {
  const workers = new Set<Worker>()
  process.on('worker', (worker) => {
    workers.add(worker)
    worker.once('exit', () => workers.delete(worker))
  })
  process.on('message', async (message) => {
    if (message !== 'memory') return
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
    const statistics = await Promise.all([...workers].map((worker) => worker.getHeapStatistics().catch(() => null)))
    const used = statistics.flatMap((one) => (one ? [one.used_heap_size] : []))
    process.send!({ heapUsed, heapTotal, external, arrayBuffers, workers: used } satisfies MemoryReport)
  })
  process.channel?.unref()
}
