/** Sorts rows that an index returns in nearly the right order: newest first, then by descending number. */
import type { FoundEmail, FoundEmails } from './search-index.ts'

export interface TimedEmail extends FoundEmail {
  readonly received_at: number
  readonly doc: number
}

/** Most rows that are read at a time. */
const CHUNK_MAX = 2_000

export class NewestFirst implements FoundEmails {
  readonly #read: (below: number | null, limit: number) => Promise<TimedEmail[]>
  readonly #latestBelow: (doc: number) => number
  /** In order. The first `#final` rows come before all rows that are still to be read. */
  #waiting: TimedEmail[] = []
  #final = 0
  #below: number | null = null
  #complete = false

  /**
   * @param read returns the next rows in descending order of `doc`, below the given one
   * @param latestBelow returns the latest possible time of rows below a `doc`
   */
  constructor(
    read: (below: number | null, limit: number) => Promise<TimedEmail[]>,
    latestBelow: (doc: number) => number,
  ) {
    this.#read = read
    this.#latestBelow = latestBelow
  }

  async next(limit: number): Promise<FoundEmail[]> {
    for (let chunk = limit + 1; this.#final < limit && !this.#complete; chunk *= 2)
      await this.#readMore(Math.min(chunk, CHUNK_MAX))
    const rows = this.#waiting.splice(0, Math.min(limit, this.#final))
    this.#final -= rows.length
    return rows
  }

  async #readMore(limit: number): Promise<void> {
    const rows = await this.#read(this.#below, limit)
    this.#complete = rows.length < limit
    this.#below = rows.at(-1)?.doc ?? this.#below
    this.#waiting.push(...rows)
    this.#waiting.sort((a, b) => b.received_at - a.received_at || b.id - a.id)
    const bound = this.#complete ? Number.NEGATIVE_INFINITY : this.#latestBelow(this.#below!)
    // Rows at the bound are not final: a row that is still to be read may have the same time and a higher number.
    while (this.#final < this.#waiting.length && this.#waiting[this.#final]!.received_at >= bound) this.#final++
  }
}
