/**
 * How one request reads. While it only reads, all of its calls see one snapshot, in one transaction. A call that writes reads what is there at each time, its own commits with it.
 */
import type { Reader, ReadSnapshot, Store } from '../storage/ports.ts'

export class RequestReads {
  readonly #store: Store
  #writing = false
  #snapshot: ReadSnapshot | null = null

  constructor(store: Store) {
    this.#store = store
  }

  read<T>(use: (reader: Reader) => Promise<T>): Promise<T> {
    if (this.#writing) return this.#store.read(use)
    this.#snapshot ??= this.#store.snapshot()
    return this.#snapshot.read(use)
  }

  /** What is read from here on is as new as it can be. */
  async end(): Promise<void> {
    const snapshot = this.#snapshot
    this.#snapshot = null
    await snapshot?.end()
  }

  /** Runs a call that may write. */
  async writing<T>(call: () => Promise<T>): Promise<T> {
    await this.end()
    this.#writing = true
    try {
      return await call()
    } finally {
      this.#writing = false
    }
  }
}
