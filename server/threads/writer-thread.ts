/** The entry of the writer thread. Each thread enables its own compile cache, before it loads other modules. */
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
