/** The entry of the writer thread. A thread has a compile cache of its own to switch on, before what is worth caching is loaded. */
import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { WriterPlan } from './serve-writer.ts'

export interface WriterData extends WriterPlan {
  /** Folder of the main thread's compile cache; null: it has none. */
  readonly compileCache: string | null
}

const { compileCache, ...plan } = workerData as WriterData
if (compileCache !== null) enableCompileCache(compileCache)
const { serveWriter } = await import('./serve-writer.ts')
await serveWriter(parentPort!, plan)
