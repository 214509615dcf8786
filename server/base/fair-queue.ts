/** What waits, of several owners that take turns: however much one of them has waiting, the first of another comes after one of it. */
export class FairQueue<Owner, Item> {
  /** In the order of their turns. */
  readonly #waiting = new Map<Owner, Item[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  countOf(owner: Owner): number {
    return this.#waiting.get(owner)?.length ?? 0
  }

  push(owner: Owner, item: Item): void {
    const own = this.#waiting.get(owner)
    if (own) own.push(item)
    else this.#waiting.set(owner, [item])
    this.#size++
  }

  /** The owner's next turn comes after those of the others. undefined: nothing waits */
  shift(): Item | undefined {
    const [next] = this.#waiting
    if (!next) return undefined
    const [owner, own] = next
    this.#waiting.delete(owner)
    if (own.length > 1) this.#waiting.set(owner, own)
    this.#size--
    return own.shift()
  }
}
