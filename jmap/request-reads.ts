/**
 * How one request reads. While it only reads, all of it sees one moment: its calls agree with each other, and a transaction is begun
 * once. A call that writes reads what is there at each time, its own commits with it.
 */
import type { Moment, Reader, Store } from '../storage/ports.ts'

export class RequestReads {
  readonly #store: Store
  #writing = false
  #moment: Moment | null = null

  constructor(store: Store) {
    this.#store = store
  }

  read<T>(use: (reader: Reader) => Promise<T>): Promise<T> {
    if (this.#writing) return this.#store.read(use)
    this.#moment ??= this.#store.moment()
    return this.#moment.read(use)
  }

  /** What is read from here on is as new as it can be. */
  async end(): Promise<void> {
    const moment = this.#moment
    this.#moment = null
    await moment?.end()
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
