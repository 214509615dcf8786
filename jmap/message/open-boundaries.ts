/** The boundaries of the multiparts that are open at a place of a message (RFC 2046 5.1.1), found by the text of a line. */

/** Levels whose delimiter lines may have text behind the boundary; mailers nest three or four. Each costs a look at the line. */
const LENIENT_LEVELS = 10

export class OpenBoundaries {
  /** Of each boundary the levels that have it, the innermost last. */
  readonly #levels = new Map<string, number[]>()
  /** By level. */
  readonly #open: string[] = []
  /** Different lengths of the innermost ones, the longest first. */
  #lengths: number[] = []
  #longest = 0

  get longest(): number {
    return this.#longest
  }

  /** Opens the next level. */
  push(boundary: string): void {
    const levels = this.#levels.get(boundary)
    if (levels) levels.push(this.#open.length)
    else this.#levels.set(boundary, [this.#open.length])
    this.#open.push(boundary)
    this.#measure()
  }

  /** Closes all levels but the first `count`. */
  truncate(count: number): void {
    if (this.#open.length <= count) return
    while (this.#open.length > count) {
      const boundary = this.#open.pop()!
      const levels = this.#levels.get(boundary)!
      levels.pop()
      if (levels.length === 0) this.#levels.delete(boundary)
    }
    this.#measure()
  }

  /** The innermost level of which the text behind two dashes is the boundary, or the boundary and two dashes; -1: none. */
  whole(text: string): number {
    const own = this.#level(text)
    return text.endsWith('--') ? Math.max(own, this.#level(text.slice(0, -2))) : own
  }

  /**
   * The innermost level of the longest boundary with which the text begins; -1: none. Of many levels only the lengths of the innermost are
   * tried, so that the cost does not grow with their number.
   */
  beginning(text: string): number {
    for (const length of this.#lengths) {
      const level = length <= text.length ? this.#level(text.slice(0, length)) : -1
      if (level >= 0) return level
    }
    return -1
  }

  #level(boundary: string): number {
    return this.#levels.get(boundary)?.at(-1) ?? -1
  }

  #measure(): void {
    const innermost = this.#open.slice(-LENIENT_LEVELS).map(({ length }) => length)
    this.#lengths = [...new Set(innermost)].sort((a, b) => b - a)
    this.#longest = this.#open.reduce((most, { length }) => Math.max(most, length), 0)
  }
}
