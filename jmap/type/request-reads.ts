/**
 * The reads of one request. While it only reads, all of its calls share one snapshot, in one transaction. A call that writes reads the
 * present data, including its own commits.
 */
import type { Guard } from '../../server/base/guard.ts'
import type { Reader, ReadSnapshot, Store } from '../../storage/ports.ts'

export class RequestReads {
  readonly #store: Store
  readonly #guard: Guard
  #writing = false
  #snapshot: ReadSnapshot | null = null

  constructor(store: Store, guard: Guard) {
    this.#store = store
    this.#guard = guard
  }

  read<T>(use: (reader: Reader) => Promise<T>): Promise<T> {
    if (this.#writing) return this.#store.read(use, this.#guard)
    this.#snapshot ??= this.#store.snapshot(this.#guard)
    return this.#snapshot.read(use)
  }

  /** Later reads see the newest data. */
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
