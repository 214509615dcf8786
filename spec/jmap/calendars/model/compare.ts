/** What a server has of events, and what the model expects. */
import assert from 'node:assert/strict'
import type { Result, TestMailbox } from '../../../support/core.ts'
import { type EventModel, localOf } from './events.ts'

const WINDOW = { after: '2025-12-31T00:00:00', before: '2026-01-31T00:00:00' }

interface Listed {
  readonly id: string
  readonly baseEventId?: string
  readonly recurrenceId?: string
  readonly title: string
  readonly start: string
}

/** The instances in a calendar, and events that do not recur. */
export async function listed(box: TestMailbox, calendar: string): Promise<readonly Listed[]> {
  const filter = { ...WINDOW, inCalendar: calendar }
  const { ids } = await box.call('CalendarEvent/query', { filter, expandRecurrences: true })
  return (await box.call('CalendarEvent/get', { ids })).list
}

export async function instancesIn(box: TestMailbox, calendar: string): Promise<string[]> {
  const list = await listed(box, calendar)
  return list.map(({ id, baseEventId = id, title, start }) => `${baseEventId} ${start} ${title}`).toSorted()
}

export function expectedInstances(events: readonly EventModel[]): string[] {
  const all = events.flatMap((event) =>
    (event.isRecurring ? event.instances() : [event]).map(
      ({ start, title }) => `${event.id} ${localOf(start)} ${title}`,
    ),
  )
  return all.toSorted()
}

/** The events themselves, with their overrides. */
export async function compareEvents(box: TestMailbox, events: readonly EventModel[]): Promise<void> {
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
