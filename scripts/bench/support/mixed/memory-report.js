/**
 * Loaded into a server by --import: the parent asks by IPC for the memory of the main thread and of all workers (MemoryReport, memory.ts). Not
 * TypeScript: it is loaded before the cache of compiled files, and every thread would load the compiler, 20 MB.
 */
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.send) {
  const workers = new Set()
  process.on('worker', (worker) => {
    workers.add(worker)
    worker.once('exit', () => workers.delete(worker))
  })
  process.on('message', async (message) => {
    if (message !== 'memory') return
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
    const statistics = await Promise.all([...workers].map((worker) => worker.getHeapStatistics().catch(() => null)))
    const used = statistics.flatMap((one) => (one ? [one.used_heap_size] : []))
    process.send({ heapUsed, heapTotal, external, arrayBuffers, workers: used })
  })
  process.channel?.unref()
}
