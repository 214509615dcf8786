/** Rows that an index gives in nearly the right order, put into the right one: by time, the newest first, then by number. */
import type { FoundEmail, FoundEmails } from './search-index.ts'

export interface TimedEmail extends FoundEmail {
  readonly received_at: number
  readonly doc: number
}

/** Rows read at a time when a list is followed far. */
const CHUNK_MAX = 2_000

export class NewestFirst implements FoundEmails {
  readonly #read: (below: number | null, limit: number) => Promise<TimedEmail[]>
  readonly #latestBelow: (doc: number) => number
  /** In order; those before `#final` come before all that is still to be read. */
  #waiting: TimedEmail[] = []
  #final = 0
  #below: number | null = null
  #complete = false

  /**
   * @param read the next rows by falling `doc`, below the one given
   * @param latestBelow the latest time that rows below a `doc` can have
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
    // Of the same time as what is still to come: that might have the higher number.
    while (this.#final < this.#waiting.length && this.#waiting[this.#final]!.received_at >= bound) this.#final++
  }
}
