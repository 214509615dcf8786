/** Who holds each value that only one object may have, while the records of a /set are judged (set-plan.ts). */
export class Claims {
  /** By value, then by holder: when it took the value; 0: it had it before. */
  readonly #turns = new Map<string, Map<number, number>>()
  #turn = 0

  /** @param isNew it did not have the value before the /set */
  hold(value: string, holder: number, isNew: boolean): void {
    const turns = this.#turns.get(value) ?? new Map<number, number>()
    turns.set(holder, isNew ? ++this.#turn : 0)
    this.#turns.set(value, turns)
  }

  release(value: string, holder: number): void {
    const turns = this.#turns.get(value)
    turns?.delete(holder)
    if (turns?.size === 0) this.#turns.delete(value)
  }

  /** One that holds the value; null: it is free. */
  holderOf(value: string): number | null {
    const [holder] = this.#turns.get(value)?.keys() ?? []
    return holder ?? null
  }

  /** Another that had the value before this holder took it. */
  rivalOf(value: string, holder: number): number | null {
    const turns = this.#turns.get(value)
    const own = turns?.get(holder) ?? 0
    for (const [other, turn] of turns ?? []) if (other !== holder && turn < own) return other
    return null
  }
}
