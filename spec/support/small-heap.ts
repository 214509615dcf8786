/** What needs little memory beside its input can be evaluated with a small heap; the input must be outside of it, such as a Buffer. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** @param code body of an async function that imports what it needs. Rejects when it needs more memory. */
export async function inSmallHeap(code: string): Promise<unknown> {
  const worker = new Worker(
    `(async () => { ${code} })().then((value) => require('node:worker_threads').parentPort.postMessage(value))`,
    { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 } },
  )
  const [value] = await once(worker, 'message')
  await worker.terminate()
  return value
}

/** For `import(...)` in such code. @param path from this folder */
export function moduleUrl(path: string): string {
  return JSON.stringify(new URL(path, import.meta.url).href)
}
