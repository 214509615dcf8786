/** A read transaction that stays open between reads. It begins with the first of them, and anew after one that failed. */
import type { Moment, Reader } from './ports.ts'

interface Loan {
  readonly reader: Promise<Reader>
  giveBack(): Promise<void>
}

type Lend = (use: (reader: Reader) => Promise<void>) => Promise<void>

export class LentMoment implements Moment {
  readonly #lend: Lend
  readonly #failureOf: (error: unknown) => unknown
  #loan: Loan | null = null

  constructor(lend: Lend, failureOf: (error: unknown) => unknown) {
    this.#lend = lend
    this.#failureOf = failureOf
  }

  async read<T>(use: (reader: Reader) => Promise<T>): Promise<T> {
    this.#loan ??= begin(this.#lend)
    try {
      return await use(await this.#loan.reader)
    } catch (error) {
      // The engine may have given the transaction up.
      await this.end()
      throw this.#failureOf(error)
    }
  }

  async end(): Promise<void> {
    const loan = this.#loan
    this.#loan = null
    await loan?.giveBack()
  }
}

function begin(lend: Lend): Loan {
  const lent = Promise.withResolvers<Reader>()
  const returned = Promise.withResolvers<void>()
  const lending = lend((reader) => {
    lent.resolve(reader)
    return returned.promise
  }).catch(lent.reject)
  return {
    reader: lent.promise,
    giveBack() {
      returned.resolve()
      return lending
    },
  }
}
