/**
 * Runs random commands over CalendarEvent in calendars of their own, and compares what the server has with the model after each: in the
 * calendars of one account, and in the account that copies go to.
 */
import assert from 'node:assert/strict'
import type { Result, TestCore, TestMailbox } from '../../../support/core.ts'
import { compareEvents, expectedInstances, instancesIn, listed } from './compare.ts'
import { type Command, dayStart, EventModel, localOf, type Shelf } from './events.ts'

/** Commands that were run, by kind. */
export type Tally = { [kind in Command['kind']]?: number }

/** Where commands run. */
export interface Sides {
  readonly request: TestCore['request']
  readonly box: TestMailbox
  /** Where copies go. */
  readonly far: TestMailbox
}

const SHELVES: readonly Shelf[] = ['home', 'other']

export async function runEventSequence(sides: Sides, tally: Tally, commands: readonly Command[]): Promise<void> {
  const sequence = new Sequence(sides, {
    home: await newCalendar(sides.box),
    other: await newCalendar(sides.box),
    far: await newCalendar(sides.far),
  })
  const { state } = await sides.box.call('CalendarEvent/get', { ids: [] })
  for (const command of commands) {
    if (await sequence.run(command)) tally[command.kind] = (tally[command.kind] ?? 0) + 1
    await sequence.compare(JSON.stringify(command))
  }
  const changes = await sides.box.call('CalendarEvent/changes', { sinceState: state })
  assert.deepEqual(changes.created.toSorted(), sequence.events.map(({ id }) => id).toSorted(), 'created')
  assert.deepEqual([changes.updated, changes.destroyed], [[], []], 'what came and went between is not told')
  await sequence.end()
}

async function newCalendar(box: TestMailbox): Promise<string> {
  return (await box.call('Calendar/set', { create: { c: { name: 'Model' } } })).created.c.id
}

async function dropCalendars(box: TestMailbox, ids: readonly string[]): Promise<void> {
  const { destroyed } = await box.call('Calendar/set', { destroy: ids, onDestroyRemoveEvents: true })
  assert.deepEqual(destroyed.toSorted(), ids.toSorted())
}

class Sequence {
  readonly events: EventModel[] = []
  readonly #copies: EventModel[] = []
  readonly #sides: Sides
  readonly #calendars: { -readonly [shelf in Shelf | 'far']: string }

  constructor(sides: Sides, calendars: { readonly [shelf in Shelf | 'far']: string }) {
    this.#sides = sides
    this.#calendars = { ...calendars }
  }

  /** false: there is nothing that it could change. */
  async run(command: Command): Promise<boolean> {
    if (command.kind === 'create') return this.#create(command)
    if (command.kind === 'dropCalendar') return this.#dropCalendar()
    const event = this.events[command.pick % Math.max(1, this.events.length)]
    if (!event) return false
    if (command.kind === 'rename') {
      await this.#update(event.id, { title: command.title })
      event.title = command.title
      return true
    }
    if (command.kind === 'file') {
      await this.#update(event.id, { calendarIds: this.#idsOf(command.into) })
      event.shelves = command.into
      return true
    }
    if (command.kind === 'copy') return this.#copy(event, command.isMoved)
    if (command.kind === 'destroy') {
      assert.deepEqual((await this.#set({ destroy: [event.id] })).destroyed, [event.id])
      this.#remove(event)
      return true
    }
    return event.isRecurring && (await this.#changeSeries(event, command))
  }

  async compare(step: string): Promise<void> {
    const { box, far } = this.#sides
    for (const shelf of SHELVES) {
      const expected = this.events.filter(({ shelves }) => shelves.includes(shelf))
      assert.deepEqual(await instancesIn(box, this.#calendars[shelf]), expectedInstances(expected), `${shelf}: ${step}`)
    }
    assert.deepEqual(await instancesIn(far, this.#calendars.far), expectedInstances(this.#copies), `copies: ${step}`)
    await compareEvents(box, this.events)
    await compareEvents(far, this.#copies)
  }

  async end(): Promise<void> {
    await dropCalendars(this.#sides.box, [this.#calendars.home, this.#calendars.other])
    await dropCalendars(this.#sides.far, [this.#calendars.far])
  }

  async #create({ title, day, count }: Command & { readonly kind: 'create' }): Promise<boolean> {
    const rule = count > 0 ? { recurrenceRule: { frequency: 'daily', count } } : {}
    const times = { start: localOf(dayStart(day)), timeZone: 'Etc/UTC', duration: 'PT1H' }
    const event = { calendarIds: this.#idsOf(['home']), title, ...times, ...rule }
    const { created } = await this.#set({ create: { e: event } })
    this.events.push(new EventModel(created.e.id, title, dayStart(day), count))
    return true
  }

  /** JMAP Calendars 4.3: events that are in no other calendar go with it. */
  async #dropCalendar(): Promise<boolean> {
    await dropCalendars(this.#sides.box, [this.#calendars.other])
    this.#calendars.other = await newCalendar(this.#sides.box)
    for (const event of this.events.slice()) {
      event.shelves = event.shelves.filter((shelf) => shelf !== 'other')
      if (event.shelves.length === 0) this.#remove(event)
    }
    return true
  }

  /** RFC 8620 5.4. The other account has one event of a uid (JMAP Calendars 1.4.1). */
  async #copy(event: EventModel, isMoved: boolean): Promise<boolean> {
    const { box, far, request } = this.#sides
    const create = { c: { id: event.id, calendarIds: { [this.#calendars.far]: true } } }
    const args = { fromAccountId: box.accountId, accountId: far.accountId, create, onSuccessDestroyOriginal: isMoved }
    const principal = { ...box.principal, mailboxes: [box.account, far.account] }
    const [answer] = (await request([['CalendarEvent/copy', args]], principal)) as unknown as [[string, Result]]
    const { created, notCreated } = answer[1]
    if (event.isCopied) {
      assert.equal(notCreated?.c.type, 'alreadyExists')
      return true
    }
    assert.equal(notCreated, null, JSON.stringify(notCreated))
    this.#copies.push(event.copiedAs(created.c.id))
    event.isCopied = true
    if (isMoved) this.#remove(event)
    return true
  }

  async #changeSeries(event: EventModel, command: Command): Promise<boolean> {
    if (command.kind === 'recount') {
      await this.#update(event.id, { 'recurrenceRule/count': command.count })
      event.count = command.count
      return true
    }
    if (command.kind === 'restoreInstance') {
      const changed = [...event.overrides.keys()]
      const at = changed[command.instance % Math.max(1, changed.length)]
      if (at === undefined) return false
      await this.#update(event.id, { [`recurrenceOverrides/${localOf(at)}`]: null })
      event.overrides.delete(at)
      return true
    }
    if (!('instance' in command)) return false
    const instances = event.instances()
    const instance = instances[command.instance % Math.max(1, instances.length)]
    if (!instance) return false
    const id = await this.#instanceId(event, instance.at)
    if (command.kind === 'removeInstance') {
      assert.deepEqual((await this.#set({ destroy: [id] })).destroyed, [id])
      event.remove(instance.at)
    } else if (command.kind === 'renameInstance') {
      await this.#update(id, { title: command.title })
      event.change(instance.at, { title: command.title })
    } else if (command.kind === 'moveInstance') {
      const start = Math.floor(instance.at / 86_400_000) * 86_400_000 + command.hour * 3_600_000
      await this.#update(id, { start: localOf(start) })
      event.change(instance.at, { start })
    }
    return true
  }

  async #instanceId(event: EventModel, at: number): Promise<string> {
    const all = await listed(this.#sides.box, this.#calendars[event.shelves[0]!])
    const found = all.find(({ baseEventId, recurrenceId }) => baseEventId === event.id && recurrenceId === localOf(at))
    assert.ok(found, `the instance at ${localOf(at)}`)
    return found.id
  }

  #idsOf(shelves: readonly Shelf[]): { readonly [id: string]: true } {
    return Object.fromEntries(shelves.map((shelf) => [this.#calendars[shelf], true]))
  }

  #remove(event: EventModel): void {
    this.events.splice(this.events.indexOf(event), 1)
  }

  #set(args: object): Promise<Result> {
    return this.#sides.box.call('CalendarEvent/set', { ...args })
  }

  async #update(id: string, patch: object): Promise<void> {
    const { notUpdated } = await this.#set({ update: { [id]: patch } })
    assert.equal(notUpdated, null, JSON.stringify(notUpdated))
  }
}
