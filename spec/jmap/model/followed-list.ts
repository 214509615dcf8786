/** The result list of a query, updated by /queryChanges with the algorithm of RFC 8620 5.6, whole or only its beginning. */
import type { Result } from '../../support/core.ts'
import { same } from './compare.ts'
import { ask, type Session } from './session.ts'

export class FollowedList {
  readonly #session: Session
  readonly #account: number
  readonly #type: string
  readonly #args: Result
  readonly #maxChanges: number
  /** Number of entries that this client caches; undefined: all. */
  readonly #window: number | undefined
  #state = ''
  #total = 0
  /** Entries from the beginning, without a gap. */
  #ids: string[] = []

  constructor(session: Session, account: number, type: string, given: Result, maxChanges: number) {
    const { window, ...args } = given
    this.#session = session
    this.#account = account
    this.#type = type
    this.#args = args
    this.#window = window
    this.#maxChanges = maxChanges
  }

  async start(): Promise<void> {
    const { ids, queryState, total, canCalculateChanges } = await this.#fresh()
    if (!canCalculateChanges) throw new Error(`${this.#name} says that changes cannot be calculated`)
    this.#ids = ids
    this.#state = queryState
    this.#total = total
  }

  get #name(): string {
    return `${this.#type}/query ${JSON.stringify(this.#args)}`
  }

  #call(method: string, args: Result): Promise<Result[]> {
    const { accounts, clients } = this.#session
    const { accountId } = accounts[this.#account]!
    return ask(this.#session, clients.at(-1)!, [[`${this.#type}/${method}`, { accountId, ...this.#args, ...args }]])
  }

  async #fresh(): Promise<Result> {
    const limit = this.#window === undefined ? {} : { limit: this.#window }
    return (await this.#call('query', { calculateTotal: true, ...limit }))[0]
  }

  async sync(mayStartAnew: boolean): Promise<void> {
    const upToId = this.#window === undefined ? {} : { upToId: this.#ids.at(-1) ?? null }
    for (let maxChanges = this.#maxChanges; ; maxChanges *= 4) {
      this.#session.tally.queryChangesCalls++
      const args = { sinceQueryState: this.#state, maxChanges, calculateTotal: true, ...upToId }
      const answer = await this.#call('queryChanges', args).catch((error: Error) => error)
      if (!(answer instanceof Error)) return this.#splice(answer[0], maxChanges)
      if (answer.message.includes('tooManyChanges')) this.#session.tally.tooManyChanges++
      else if (!mayStartAnew || !answer.message.includes('cannotCalculateChanges')) throw answer
      else {
        this.#session.tally.cannotCalculate++
        return this.start()
      }
    }
  }

  /** RFC 8620 5.6: removed ids are deleted, added ones inserted at their index, lowest first. */
  #splice({ removed, added, oldQueryState, newQueryState, total }: Result, maxChanges: number): void {
    if (oldQueryState !== this.#state) throw new Error(`oldQueryState ${oldQueryState} is not ${this.#state}`)
    if (removed.length + added.length > maxChanges) throw new Error(`more than ${maxChanges} changes: ${this.#name}`)
    const gone = new Set(removed)
    this.#ids = this.#ids.filter((id) => !gone.has(id))
    let last = -1
    for (const { id, index } of added) {
      if (index <= last) throw new Error(`added is not in order of the index: ${this.#name}`)
      last = index
      // Positions beyond a gap are unknown.
      if (index > this.#ids.length && this.#window !== undefined) break
      this.#ids.splice(index, 0, id)
    }
    this.#state = newQueryState
    this.#total = total
  }

  /** @throws if it differs from a fresh query */
  async check(): Promise<void> {
    const fresh = await this.#fresh()
    same(`the followed state of ${this.#name}`, this.#state, fresh.queryState)
    same(`the followed total of ${this.#name}`, this.#total, fresh.total)
    if (this.#window === undefined) return same(`followed ${this.#name}`, this.#ids, fresh.ids)
    const known = Math.min(this.#ids.length, fresh.ids.length)
    same(`the beginning of followed ${this.#name}`, this.#ids.slice(0, known), fresh.ids.slice(0, known))
    this.#ids = fresh.ids
  }
}
