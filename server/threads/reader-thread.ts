/** The entry of a reading thread. Each thread enables its own compile cache, before it loads other modules. */
import { enableCompileCache } from 'node:module'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { ReaderPlan } from './serve-reader.ts'

export interface ReaderData extends ReaderPlan {
  /** For calls that may write. */
  readonly toWriter: MessagePort
  /** Folder of the main thread's compile cache; null: it has none. */
  readonly compileCache: string | null
}

const { compileCache, toWriter, ...plan } = workerData as ReaderData
if (compileCache !== null) enableCompileCache(compileCache)
const { serveReader } = await import('./serve-reader.ts')
await serveReader(parentPort!, toWriter, plan)
