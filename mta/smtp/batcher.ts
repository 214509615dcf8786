/**
 * Collects items of one turn of the event loop into one call. The next batch does not wait for calls under way (the core's group commit
 * combines them), unless `calls` limits their number.
 */
export interface BatcherOptions<Item> {
  /** Whether an item still fits into a batch; without it every item does. */
  readonly fits?: (batch: readonly Item[], next: Item) => boolean
  /** Calls at a time: items that come meanwhile wait, and go together. */
  readonly calls?: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export class Batcher<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>
  readonly #options: BatcherOptions<Item>
  #waiting: Waiting<Item, Result>[] = []
  #scheduled = false
  #calls = 0

  /** @param run gives the result of each item, in order */
  constructor(run: (items: Item[]) => Promise<Result[]>, options: BatcherOptions<Item> = {}) {
    this.#run = run
    this.#options = options
  }

  /** The result of the item; rejects when its call failed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    const { calls = Number.POSITIVE_INFINITY } = this.#options
    if (this.#scheduled || this.#waiting.length === 0 || this.#calls >= calls) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const all = this.#waiting
    this.#waiting = []
    let batch: Waiting<Item, Result>[] = []
    for (const one of all) {
      const items = batch.map(({ item }) => item)
      if (batch.length > 0 && this.#options.fits?.(items, one.item) === false) {
        this.#call(batch)
        batch = []
      }
      batch.push(one)
    }
    this.#call(batch)
  }

  #call(batch: readonly Waiting<Item, Result>[]): void {
    this.#calls++
    const ended = () => {
      this.#calls--
      this.#schedule()
    }
    const answer = this.#run(batch.map(({ item }) => item))
    answer.then(ended, ended)
    answer.then(
      (results) => batch.forEach(({ resolve }, i) => void resolve(results[i]!)),
      (error: unknown) => batch.forEach(({ reject }) => void reject(error)),
    )
  }
}
