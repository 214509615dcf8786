/** The entry of the writer thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveWriter, type WriterPlan } from './serve-writer.ts'

await serveWriter(parentPort!, workerData as WriterPlan)
