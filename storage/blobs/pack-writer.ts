/** Group commit: the blobs that arrive during a write and its sync share the next. */
import { PACK_BATCH_MAX_BYTES } from '../../server/base/limits.ts'
import type { BlobLocation, NewBlob } from '../blob-store.ts'
import { recordBytes } from './pack-format.ts'
import type { PackTail } from './pack-tail.ts'

interface Waiting {
  readonly blob: NewBlob
  resolve(location: BlobLocation): void
  reject(error: unknown): void
}

export class PackWriter {
  readonly #tail: PackTail
  #queue: Waiting[] = []
  #running: Promise<void> | undefined

  constructor(tail: PackTail) {
    this.#tail = tail
  }

  append(blobs: readonly NewBlob[]): Promise<BlobLocation[]> {
    const results = blobs.map(
      (blob) => new Promise<BlobLocation>((resolve, reject) => this.#queue.push({ blob, resolve, reject })),
    )
    // In a microtask, so that calls of the same turn of the event loop share the sync.
    this.#running ??= Promise.resolve().then(() => this.#run())
    return Promise.all(results)
  }

  async close(): Promise<void> {
    await this.#running
    await this.#tail.close()
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#take()
      try {
        const locations = await this.#tail.append(batch.map(({ blob }) => blob))
        for (const [index, waiting] of batch.entries()) waiting.resolve(locations[index]!)
      } catch (error) {
        for (const waiting of batch) waiting.reject(error)
      }
    }
    this.#running = undefined
  }

  /** As many of the queue as fit into one write and one pack, at least one. */
  #take(): Waiting[] {
    let bytes = recordBytes(this.#queue[0]!.blob.bytes.length)
    const most = Math.min(this.#tail.roomFor(bytes), PACK_BATCH_MAX_BYTES)
    let count = 1
    for (; count < this.#queue.length; count++) {
      bytes += recordBytes(this.#queue[count]!.blob.bytes.length)
      if (bytes > most) break
    }
    return this.#queue.splice(0, count)
  }
}
