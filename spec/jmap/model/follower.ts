/**
 * A client that reads everything once and then only follows /changes and /queryChanges, as in RFC 8620 5.2 and 5.6, in small pages.
 * `check` compares its data with that of a fresh client.
 */
import type { Result } from '../../support/core.ts'
import { TYPES, type TypeName } from './account-model.ts'
import { same } from './compare.ts'
import { FollowedList } from './followed-list.ts'
import { ask, type Session } from './session.ts'

const PROPERTIES: { readonly [type in TypeName]: readonly string[] | null } = {
  Mailbox: null,
  Email: ['mailboxIds', 'keywords', 'threadId', 'receivedAt'],
  Thread: ['emailIds'],
  EmailSubmission: null,
}

export class Follower {
  readonly #session: Session
  readonly #account: number
  readonly #maxChanges: number
  readonly #lists: readonly FollowedList[]
  readonly #states = new Map<TypeName, string>()
  readonly #objects = new Map<TypeName, Map<string, Result>>()
  /** Whether the log was trimmed since this client's last request. */
  mayStartAnew = false

  constructor(session: Session, account: number, maxChanges: number, lists: readonly Result[]) {
    this.#session = session
    this.#account = account
    this.#maxChanges = maxChanges
    this.#lists = lists.map(({ type, args }) => new FollowedList(session, account, type, args, maxChanges))
  }

  get #accountId(): string {
    return this.#session.accounts[this.#account]!.accountId
  }

  #ask(calls: readonly [string, Result][]): Promise<Result[]> {
    const { clients } = this.#session
    return ask(this.#session, clients.at(-1)!, calls)
  }

  async start(): Promise<void> {
    for (const type of TYPES) await this.#startType(type)
    for (const list of this.#lists) await list.start()
  }

  async #startType(type: TypeName): Promise<void> {
    const { state, list } = await this.#all(type)
    this.#states.set(type, state)
    this.#objects.set(type, new Map(list.map((object: Result) => [object.id, object])))
  }

  async sync(): Promise<void> {
    for (const type of TYPES) await this.#syncType(type)
    for (const list of this.#lists) await list.sync(this.mayStartAnew)
    this.mayStartAnew = false
  }

  async #syncType(type: TypeName): Promise<void> {
    for (let more = true; more; ) {
      const sinceState = this.#states.get(type)!
      const args = { accountId: this.#accountId, sinceState, maxChanges: this.#maxChanges }
      this.#session.tally.changesCalls++
      const answer = await this.#ask([[`${type}/changes`, args]]).catch((error: Error) => this.#startAnew(error))
      if (answer === null) return this.#startType(type)
      const [changes] = answer as [Result]
      const { created, updated, destroyed } = changes
      const told = [...created, ...updated, ...destroyed]
      if (told.length > this.#maxChanges) throw new Error(`${told.length} changes, ${this.#maxChanges} asked for`)
      if (new Set(told).size < told.length) throw new Error(`${type}/changes names an id twice: ${told}`)
      if (changes.oldState !== sinceState) throw new Error(`oldState ${changes.oldState} is not ${sinceState}`)
      if (changes.hasMoreChanges && changes.newState === sinceState) throw new Error(`${type}/changes does not go on`)
      const objects = this.#objects.get(type)!
      for (const id of destroyed) if (!objects.delete(id)) throw new Error(`${type} ${id} destroyed, but never created`)
      for (const id of created) if (objects.has(id)) throw new Error(`${type} ${id} created twice`)
      for (const id of updated) if (!objects.has(id)) throw new Error(`${type} ${id} updated, but never created`)
      await this.#fetch(type, created, PROPERTIES[type])
      await this.#fetch(type, updated, changes.updatedProperties ?? PROPERTIES[type])
      this.#states.set(type, changes.newState)
      more = changes.hasMoreChanges
    }
  }

  /** @throws the error, unless the log was trimmed and does not reach back */
  #startAnew(error: Error): null {
    if (!error.message.includes('cannotCalculateChanges')) throw error
    if (!this.mayStartAnew) throw error
    this.#session.tally.cannotCalculate++
    return null
  }

  async #fetch(type: TypeName, ids: readonly string[], properties: readonly string[] | null): Promise<void> {
    if (ids.length === 0) return
    const objects = this.#objects.get(type)!
    const [answer] = await this.#ask([[`${type}/get`, { accountId: this.#accountId, ids, properties }]])
    for (const object of answer.list) objects.set(object.id, { ...objects.get(object.id), ...object })
    // It is deleted already: a later page reports that, but only for a known object.
    for (const id of answer.notFound) if (!objects.has(id)) objects.set(id, { id })
  }

  /** @throws if something differs from a fresh client */
  async check(): Promise<void> {
    await this.sync()
    for (const type of TYPES) {
      const { state, list } = await this.#all(type)
      same(`the followed state of ${type}`, this.#states.get(type), state)
      same(`followed ${type}`, sorted([...this.#objects.get(type)!.values()]), sorted(list))
    }
    for (const list of this.#lists) await list.check()
  }

  async #all(type: TypeName): Promise<Result> {
    const accountId = this.#accountId
    if (type === 'Mailbox' || type === 'EmailSubmission')
      return (await this.#ask([[`${type}/get`, { accountId, ids: null }]]))[0]
    // Their ids are in the emails.
    const [, emails, threads] = await this.#ask([
      ['Email/query', { accountId }],
      [
        'Email/get',
        { accountId, '#ids': { resultOf: '0', name: 'Email/query', path: '/ids' }, properties: PROPERTIES['Email'] },
      ],
      [
        'Thread/get',
        {
          accountId,
          '#ids': { resultOf: '1', name: 'Email/get', path: '/list/*/threadId' },
          properties: PROPERTIES['Thread'],
        },
      ],
    ])
    return type === 'Email' ? emails : threads
  }
}

const sorted = (objects: readonly Result[]) =>
  objects
    .map((object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))))
    .sort((a, b) => ((a['id'] as string) < (b['id'] as string) ? -1 : 1))
