/** The entry of a reading thread. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type ReaderPlan, serveReader } from './serve-reader.ts'

export interface ReaderData extends ReaderPlan {
  /** For calls that may write. */
  readonly toWriter: MessagePort
}

const { toWriter, ...plan } = workerData as ReaderData
await serveReader(parentPort!, toWriter, plan)
