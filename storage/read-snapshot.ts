import type { Reader, ReadSnapshot } from './ports.ts'

interface OpenTransaction {
  readonly reader: Promise<Reader>
  close(): Promise<void>
}

type WithReader = (use: (reader: Reader) => Promise<void>) => Promise<void>

/** A read transaction that stays open between reads. The first read opens it, and so does the first after a read that failed. */
export class ScopedSnapshot implements ReadSnapshot {
  readonly #withReader: WithReader
  readonly #failureOf: (error: unknown) => unknown
  #open: OpenTransaction | null = null

  constructor(withReader: WithReader, failureOf: (error: unknown) => unknown) {
    this.#withReader = withReader
    this.#failureOf = failureOf
  }

  async read<T>(use: (reader: Reader) => Promise<T>): Promise<T> {
    this.#open ??= openTransaction(this.#withReader)
    try {
      return await use(await this.#open.reader)
    } catch (error) {
      // The engine may have ended the transaction.
      await this.end()
      throw this.#failureOf(error)
    }
  }

  async end(): Promise<void> {
    const open = this.#open
    this.#open = null
    await open?.close()
  }
}

function openTransaction(withReader: WithReader): OpenTransaction {
  const opened = Promise.withResolvers<Reader>()
  const closing = Promise.withResolvers<void>()
  const closed = withReader((reader) => {
    opened.resolve(reader)
    return closing.promise
  }).catch(opened.reject)
  return {
    reader: opened.promise,
    close() {
      closing.resolve()
      return closed
    },
  }
}
