/** Counts per token in memory: a hash table in three typed arrays, a twentieth of the size of a Map of objects. */

export interface TokenCounts {
  readonly spam: number
  readonly ham: number
}

const COUNT_MAX = 0xffff

export class TokenTable {
  #keys = new Uint32Array(1024)
  #spam = new Uint16Array(1024)
  #ham = new Uint16Array(1024)
  #size = 0

  /** Slots in use; removed tokens keep theirs. */
  get size(): number {
    return this.#size
  }

  /** Index of the counts of a token, valid until the next `set`; -1: unknown token. */
  slotOf(token: number): number {
    const slot = this.#slot(token)
    return this.#keys[slot] === 0 ? -1 : slot
  }

  spamAt(slot: number): number {
    return this.#spam[slot]!
  }

  hamAt(slot: number): number {
    return this.#ham[slot]!
  }

  set(token: number, { spam, ham }: TokenCounts): void {
    let slot = this.#slot(token)
    if (this.#keys[slot] === 0) {
      if ((this.#size + 1) * 2 > this.#keys.length) {
        this.#grow()
        slot = this.#slot(token)
      }
      this.#keys[slot] = token
      this.#size++
    }
    this.#spam[slot] = clamp(spam)
    this.#ham[slot] = clamp(ham)
  }

  /** Adds to the counts of each token; counts do not fall below 0. */
  add(tokens: readonly number[], spam: number, ham: number): void {
    for (const token of tokens) {
      const slot = this.slotOf(token)
      const before = slot < 0 ? { spam: 0, ham: 0 } : { spam: this.#spam[slot]!, ham: this.#ham[slot]! }
      this.set(token, { spam: before.spam + spam, ham: before.ham + ham })
    }
  }

  /** Index of a token, or the free slot for it. */
  #slot(token: number): number {
    const mask = this.#keys.length - 1
    let slot = token & mask
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== token) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const keys = this.#keys
    const spam = this.#spam
    const ham = this.#ham
    this.#keys = new Uint32Array(keys.length * 2)
    this.#spam = new Uint16Array(keys.length * 2)
    this.#ham = new Uint16Array(keys.length * 2)
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === 0) continue
      const slot = this.#slot(keys[i]!)
      this.#keys[slot] = keys[i]!
      this.#spam[slot] = spam[i]!
      this.#ham[slot] = ham[i]!
    }
  }
}

function clamp(count: number): number {
  return Math.max(0, Math.min(count, COUNT_MAX))
}
