/** Runs random commands over CalendarEvent in a calendar of their own, and compares what the server has with the model after each. */
import assert from 'node:assert/strict'
import type { Result, TestMailbox } from '../../../support/core.ts'
import { type Command, dayStart, EventModel, localOf } from './events.ts'

/** Commands that were run, by kind. */
export type Tally = { [kind in Command['kind']]?: number }

const WINDOW = { after: '2025-12-31T00:00:00', before: '2026-01-31T00:00:00' }

interface Listed {
  readonly id: string
  readonly baseEventId?: string
  readonly recurrenceId?: string
  readonly title: string
  readonly start: string
}

export async function runEventSequence(box: TestMailbox, tally: Tally, commands: readonly Command[]): Promise<void> {
  const made = await box.call('Calendar/set', { create: { c: { name: 'Model' } } })
  const calendar = made.created.c.id as string
  const events: EventModel[] = []
  const { state } = await box.call('CalendarEvent/get', { ids: [] })
  const destroyed: string[] = []
  for (const command of commands) {
    const done = await run(box, calendar, events, destroyed, command)
    if (done) tally[command.kind] = (tally[command.kind] ?? 0) + 1
    assert.deepEqual(await instancesIn(box, calendar), expectedInstances(events), JSON.stringify(command))
    await compareEvents(box, events)
  }
  const changes = await box.call('CalendarEvent/changes', { sinceState: state })
  assert.deepEqual(changes.created.toSorted(), events.map(({ id }) => id).toSorted(), 'created')
  assert.deepEqual([changes.updated, changes.destroyed], [[], []], 'what came and went between is not told')
  await box.call('Calendar/set', { destroy: [calendar], onDestroyRemoveEvents: true })
}

/** false: there is nothing that it could change. */
async function run(
  box: TestMailbox,
  calendar: string,
  events: EventModel[],
  destroyed: string[],
  command: Command,
): Promise<boolean> {
  const set = (args: object): Promise<Result> => box.call('CalendarEvent/set', { ...args })
  if (command.kind === 'create') {
    const { title, day, count } = command
    const rule = count > 0 ? { recurrenceRule: { frequency: 'daily', count } } : {}
    const times = { start: localOf(dayStart(day)), timeZone: 'Etc/UTC', duration: 'PT1H' }
    const { created } = await set({ create: { e: { calendarIds: { [calendar]: true }, title, ...times, ...rule } } })
    events.push(new EventModel(created.e.id, title, day, count))
    return true
  }
  const event = events[command.pick % Math.max(1, events.length)]
  if (!event) return false
  const update = async (id: string, patch: object) => {
    const { notUpdated } = await set({ update: { [id]: patch } })
    assert.equal(notUpdated, null, JSON.stringify(notUpdated))
  }
  if (command.kind === 'rename') {
    await update(event.id, { title: command.title })
    event.title = command.title
    return true
  }
  if (command.kind === 'destroy') {
    assert.deepEqual((await set({ destroy: [event.id] })).destroyed, [event.id])
    destroyed.push(event.id)
    events.splice(events.indexOf(event), 1)
    return true
  }
  if (!event.isRecurring) return false
  if (command.kind === 'recount') {
    await update(event.id, { 'recurrenceRule/count': command.count })
    event.count = command.count
    return true
  }
  if (command.kind === 'restoreInstance') {
    const changed = [...event.overrides.keys()]
    const at = changed[command.instance % Math.max(1, changed.length)]
    if (at === undefined) return false
    await update(event.id, { [`recurrenceOverrides/${localOf(at)}`]: null })
    event.overrides.delete(at)
    return true
  }
  const instances = event.instances()
  const instance = instances[command.instance % Math.max(1, instances.length)]
  if (!instance) return false
  const id = await instanceId(box, calendar, event.id, instance.at)
  if (command.kind === 'removeInstance') {
    assert.deepEqual((await set({ destroy: [id] })).destroyed, [id])
    event.remove(instance.at)
  } else if (command.kind === 'renameInstance') {
    await update(id, { title: command.title })
    event.change(instance.at, { title: command.title })
  } else {
    const start = Math.floor(instance.at / 86_400_000) * 86_400_000 + command.hour * 3_600_000
    await update(id, { start: localOf(start) })
    event.change(instance.at, { start })
  }
  return true
}

async function listed(box: TestMailbox, calendar: string): Promise<readonly Listed[]> {
  const filter = { ...WINDOW, inCalendar: calendar }
  const { ids } = await box.call('CalendarEvent/query', { filter, expandRecurrences: true })
  return (await box.call('CalendarEvent/get', { ids })).list
}

async function instanceId(box: TestMailbox, calendar: string, event: string, at: number): Promise<string> {
  const found = (await listed(box, calendar)).find(
    ({ baseEventId, recurrenceId }) => baseEventId === event && recurrenceId === localOf(at),
  )
  assert.ok(found, `the instance at ${localOf(at)}`)
  return found.id
}

async function instancesIn(box: TestMailbox, calendar: string): Promise<string[]> {
  const list = await listed(box, calendar)
  return list.map(({ id, baseEventId = id, title, start }) => `${baseEventId} ${start} ${title}`).toSorted()
}

function expectedInstances(events: readonly EventModel[]): string[] {
  const all = events.flatMap((event) =>
    (event.isRecurring ? event.instances() : [event]).map(
      ({ start, title }) => `${event.id} ${localOf(start)} ${title}`,
    ),
  )
  return all.toSorted()
}

/** The events themselves, with their overrides. */
async function compareEvents(box: TestMailbox, events: readonly EventModel[]): Promise<void> {
  const ids = events.map(({ id }) => id)
  const { list } = await box.call('CalendarEvent/get', { ids, properties: ['title', 'recurrenceOverrides'] })
  const found = list.map(({ id, title, recurrenceOverrides = {} }: Result) => [id, title, recurrenceOverrides])
  const expected = events.map(({ id, title, overrides }) => [
    id,
    title,
    Object.fromEntries(
      [...overrides].map(([at, { start, ...rest }]) => [
        localOf(at),
        { ...rest, ...(start !== undefined && { start: localOf(start) }) },
      ]),
    ),
  ])
  assert.deepEqual(found, expected)
}
