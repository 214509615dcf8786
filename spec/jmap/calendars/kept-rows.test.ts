// Promise C3, decision record 0034: what a thread keeps of calendars is never seen in an answer.
import t from 'tap'
import { busyTimes } from '../../../jmap/calendars/availability/busy-times.ts'
import { CalendarEvent } from '../../../jmap/calendars/event/calendar-event.type.ts'
import { type EventRow, FoundEvents, WHOLE } from '../../../jmap/calendars/event/event-rows.ts'
import { KeptLists, merged } from '../../../jmap/calendars/event/kept-lists.ts'
import { KeptTimes } from '../../../jmap/calendars/event/kept-times.ts'
import { type SortedEvents, sortEvents } from '../../../jmap/calendars/event/sorted-events.ts'
import { changeEvent } from '../../../jmap/calendars/event/store-event.ts'
import { eventOfRow } from '../../../jmap/calendars/event/stored-event.ts'
import { createCore } from '../../../jmap/in-process-core.ts'
import type { Invocation } from '../../../jmap/protocol/messages.ts'
import type { Core } from '../../../jmap/services.ts'
import { randomFrom } from '../../../scripts/crash/support/random.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { trimChanges } from '../../../storage/change-log.ts'
import type { Reader, Sql, Store } from '../../../storage/ports.ts'
import { findCalendarEvent } from '../../../storage/repos/calendar-events.ts'
import { type Result, startCore, USING } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { calendarOf } from './support.ts'

/** Another view of a store, of which nothing is kept: as another process has it. */
function anotherView(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'close') return async () => {}
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const APRIL = { after: '2026-04-01T00:00:00', before: '2026-05-01T00:00:00' }
const DAYS = { utcStart: '2026-04-01T00:00:00Z', utcEnd: '2026-05-01T00:00:00Z' }

await forEachEngine(t, async (t, engine) => {
  const test = await startCore(t, engine)
  const { store, clock, organization, domainId } = test
  const hello = await test.mailbox('hello')
  const first = await calendarOf(hello)
  const set = async (type: string, args: object): Promise<Result> => {
    const answer = await hello.call(`${type}/set`, { ...args })
    for (const name of ['notCreated', 'notUpdated', 'notDestroyed'])
      if (answer[name]) throw new Error(JSON.stringify(answer[name]))
    return answer
  }
  const make = async (event: object, calendar = first): Promise<string> => {
    const create = { e: { calendarIds: { [calendar]: true }, duration: 'PT1H', timeZone: 'Etc/UTC', ...event } }
    return (await set('CalendarEvent', { create })).created.e.id
  }
  const change = (id: string, patch: object) => set('CalendarEvent', { update: { [id]: patch } })
  const principal = (await hello.call('Principal/get', { ids: null })).list[0].id as string
  const node = () => createCore({ store: anotherView(store), clock, logger: silentLogger })
  /** All that is read of a month, as a node answers it. */
  const told = async (core: Core): Promise<string> => {
    const { accountId } = hello
    const expanded = { expandRecurrences: true, timeZone: 'Europe/Berlin' }
    const calls: [string, JsonObject][] = [
      ['CalendarEvent/query', { filter: APRIL, ...expanded }],
      ['CalendarEvent/get', { '#ids': { resultOf: '0', name: 'CalendarEvent/query', path: '/ids' } }],
      ['CalendarEvent/query', { filter: { ...APRIL, inCalendar: first }, ...expanded, position: 2, limit: 5 }],
      ['CalendarEvent/query', { filter: APRIL, timeZone: 'Asia/Tokyo' }],
      ['CalendarEvent/query', { filter: null, sort: [{ property: 'start', isAscending: false }] }],
      ['Principal/getAvailability', { id: principal, ...DAYS }],
      ['Availability/get', { from: DAYS.utcStart, to: DAYS.utcEnd, durationMinutes: 90, days: [0, 1, 2, 3, 4, 5, 6] }],
    ]
    const answer = await core.process(hello.principal, {
      using: USING,
      methodCalls: calls.map(([name, args], i) => [name, { accountId, ...args }, String(i)]),
    })
    const { methodResponses } = answer as unknown as { methodResponses: [string, JsonObject, string][] }
    for (const [name, args] of methodResponses) if (name === 'error') throw new Error(JSON.stringify(args))
    return JSON.stringify(methodResponses, null, 1)
  }
  const other = await node()

  t.test('after each kind of change the answer of warm nodes is that of a fresh one', async (t) => {
    let before = ''
    const step = async <T>(title: string, run: () => Promise<T>): Promise<T> => {
      const result = await run()
      const fresh = await told(await node())
      t.not(fresh, before, `control: ${title}`)
      t.equal(await told(test.core), fresh, title)
      t.equal(await told(other), fresh, `${title}, on another node`)
      before = fresh
      return result
    }
    const single = await step('an event is made', () => make({ start: '2026-04-02T10:00:00' }))
    const weekly = await step('a series is made', () =>
      make({ start: '2026-03-30T09:00:00', recurrenceRule: { frequency: 'weekly' } }),
    )
    await step('an event moves', () => change(single, { start: '2026-04-03T11:00:00' }))
    await step('an event gets another title', () => change(single, { title: 'Lunch' }))
    await step('a rule changes', () => change(weekly, { recurrenceRule: { frequency: 'daily', count: 9 } }))
    await step('an instance moves', () =>
      change(weekly, { recurrenceOverrides: { '2026-04-01T09:00:00': { start: '2026-04-20T09:00:00' } } }),
    )
    await step('an instance is excluded', () =>
      change(weekly, { 'recurrenceOverrides/2026-04-02T09:00:00': { excluded: true } }),
    )
    await step('instances come back', () => change(weekly, { recurrenceOverrides: null }))
    const { ids } = await hello.call('CalendarEvent/query', { filter: APRIL, expandRecurrences: true })
    await step('an instance is destroyed by its id', () => set('CalendarEvent', { destroy: [ids[0]] }))
    await step('an event becomes floating', () => change(single, { timeZone: null }))
    const owner = (timezone: string | null) =>
      test.request([
        ['MailAccount/set', { accountId: organization.accountId, update: { [hello.accountId]: { timezone } } }],
      ])
    await step('the owner has another zone', () => owner('America/New_York'))
    const second = await step('a calendar with an event', async () => {
      const { created } = await set('Calendar', { create: { c: { name: 'Second' } } })
      await make({ start: '2026-04-08T08:00:00', timeZone: null }, created.c.id)
      return created.c.id as string
    })
    const calendar = (id: string, patch: object) => set('Calendar', { update: { [id]: patch } })
    await step('a calendar has another zone', () => calendar(second, { timeZone: 'Asia/Tokyo' }))
    await step('a calendar does not count', () => calendar(first, { includeInAvailability: 'none' }))
    const meeting = await step('an invitation is accepted', () =>
      make({
        start: '2026-04-09T08:00:00',
        organizerCalendarAddress: 'mailto:boss@example.org',
        participants: {
          me: {
            calendarAddress: `mailto:${hello.address}`,
            participationStatus: 'accepted',
            roles: { attendee: true },
          },
          alias: {
            calendarAddress: 'mailto:hi@example.test',
            participationStatus: 'tentative',
            roles: { attendee: true },
          },
        },
      }),
    )
    await step('a calendar counts what is attended', () => calendar(first, { includeInAvailability: 'attending' }))
    await step('it is declined', () => change(meeting, { 'participants/me/participationStatus': 'declined' }))
    await step('the owner gets the address of another participant', () =>
      test.request([
        [
          'Alias/set',
          {
            accountId: organization.accountId,
            create: { a: { domainId, localPart: 'hi', mailboxId: hello.accountId } },
          },
        ],
      ]),
    )
    await step('an event is in both calendars', () => change(single, { [`calendarIds/${second}`]: true }))
    await step('an event is free', () => change(single, { freeBusyStatus: 'free' }))
    await step('a calendar is not subscribed', () => calendar(second, { isSubscribed: false }))
    await step('a calendar counts again', () => calendar(first, { includeInAvailability: 'all' }))
    await step('an event is secret', () => change(meeting, { privacy: 'secret', status: 'confirmed' }))
    await step('a calendar goes with its events', () =>
      set('Calendar', { destroy: [second], onDestroyRemoveEvents: true }),
    )
    await step('the log of changes is shorter than what is kept', async () => {
      await make({ start: '2026-04-10T08:00:00' })
      await store.write([hello.account], (work) => trimChanges(work, hello.account, clock.now() + 1))
      await make({ start: '2026-04-11T08:00:00' })
    })
    await step('an event is destroyed', () => set('CalendarEvent', { destroy: [weekly] }))
    await step('many changes in one commit', () =>
      set('CalendarEvent', {
        create: Object.fromEntries(
          Array.from({ length: 30 }, (_, i) => [
            `e${i}`,
            { calendarIds: { [first]: true }, start: `2026-04-${String(i + 1).padStart(2, '0')}T12:00:00` },
          ]),
        ),
        destroy: [single],
      }),
    )
  })

  t.test('after random changes a list is that of a fresh node, also where many events are at one time', async (t) => {
    const next = randomFrom(7)
    const random = (below: number) => Math.floor(next() * below)
    const lists = async (core: Core): Promise<string> => {
      const windows = [APRIL, { after: '2026-04-06T00:00:00', before: '2026-04-13T00:00:00' }]
      const methodCalls = windows.map((filter, i): Invocation => {
        const args = { accountId: hello.accountId, filter, expandRecurrences: true, timeZone: 'Europe/Berlin' }
        return ['CalendarEvent/query', { ...args, calculateTotal: true }, String(i)]
      })
      return JSON.stringify(await core.process(hello.principal, { using: USING, methodCalls }))
    }
    const noon = (day: number) => `2026-04-${String(day + 1).padStart(2, '0')}T12:00:00`
    const shapes = [
      () => ({ start: noon(random(30)), recurrenceRule: null, recurrenceOverrides: null }),
      () => ({ start: noon(random(5)), recurrenceRule: { frequency: 'daily' }, recurrenceOverrides: null }),
      () => ({
        start: noon(0),
        recurrenceRule: { frequency: 'weekly' },
        recurrenceOverrides: { [noon(7)]: { start: noon(random(30)) }, [noon(random(30))]: {} },
      }),
      // More instances than the share of an event: such a list is not kept.
      () => ({ start: noon(1), recurrenceRule: { frequency: 'hourly', count: 450 }, recurrenceOverrides: null }),
    ]
    const shape = (kinds = shapes.length) => shapes[random(kinds)]!()
    const ids = [await make({ start: noon(3) })]
    for (let n = 0; n < 25; n++) {
      const at = random(ids.length)
      const kind = random(4)
      if (kind === 0 || ids.length < 4) ids.push(await make(shape(3)))
      else if (kind === 1) await set('CalendarEvent', { destroy: ids.splice(at, 1) })
      else await change(ids[at]!, shape())
      if (n % 3 > 0) await lists(other)
      t.equal(await lists(test.core), await lists(await node()), `change ${n}`)
    }
    t.equal(await lists(other), await lists(test.core), 'another node')
    await set('CalendarEvent', { destroy: ids })
  })

  t.test('a change that was rolled back is not kept', async (t) => {
    const id = await make({ start: '2026-04-15T06:00:00', recurrenceRule: { frequency: 'daily', count: 2 } })
    await told(test.core)
    const number = test.core.ids.decode(CalendarEvent, id)!.object
    const undone = store.write([hello.account], async (work) => {
      const unit = work.account(hello.account)
      const before = eventOfRow((await findCalendarEvent(unit, hello.account, number))!)
      const after = { ...before, event: { ...before.event, recurrenceRule: { frequency: 'daily' as const, count: 5 } } }
      const services = { ...test.core, store } as never
      const write = { services, work, unit }
      await changeEvent(write, {
        before,
        after,
        changed: ['recurrenceRule'],
        sendSchedulingMessages: false,
        cause: 'owner',
      })
      const within = { start: Date.parse('2026-04-15T00:00:00Z'), end: Date.parse('2026-04-30T00:00:00Z') }
      const busy = await busyTimes({ store }, unit, { account: hello.account, within })
      t.equal(busy.filter(({ event }) => event === number).length, 5, 'control: the unit of work sees its change')
      throw new Error('undo')
    })
    await t.rejects(undone, { message: 'undo' })
    await change(id, { recurrenceRule: { frequency: 'daily', count: 3 } })
    t.equal(await told(test.core), await told(await node()))
  })

  t.test(
    'a query of kept rows reads the state only, and rows are kept of as many accounts as memory may hold',
    async (t) => {
      let statements = 0
      const counting = (reader: Reader): Reader => {
        const sql = new Proxy(reader.sql, {
          get(target, name) {
            const value: unknown = Reflect.get(target, name, target)
            if (typeof value !== 'function') return value
            return (...args: unknown[]) => {
              statements++
              return value.apply(target, args)
            }
          },
        })
        return { ...reader, sql: sql as Sql }
      }
      const all = { after: Number.MIN_SAFE_INTEGER, before: Number.MAX_SAFE_INTEGER }
      const ask = async (kept: KeptTimes, account: number) => {
        statements = 0
        const { rows } = await store.read((reader) => kept.between(counting(reader), account, all))
        return { rows: rows.length, statements }
      }
      const bob = await test.mailbox('bob')
      const large = new KeptTimes()
      const { rows } = await ask(large, hello.account)
      t.ok(rows > 20, 'control')
      t.equal((await ask(large, bob.account)).rows, 0)
      t.same(await ask(large, hello.account), { rows, statements: 1 }, 'the account is read, for its state')
      const small = new KeptTimes(1_000)
      await ask(small, bob.account)
      await ask(small, hello.account)
      t.same(await ask(small, hello.account), { rows, statements: 2 }, 'too many for this memory: they are read again')
    },
  )
})

t.test('lists are kept in bounded memory, and brought up to date by the rows that differ', async (t) => {
  const row = (id: number, start: number) => ({
    id,
    revision: id,
    calendars: '1',
    is_recurring: 0,
    is_floating: 0,
    start_at: start,
    end_at: start,
    first_start_at: start,
  })
  const listOf = (rows: readonly EventRow[]) => {
    const found = new FoundEvents()
    for (const one of rows) found.add(one, one.start_at, WHOLE)
    return sortEvents(found, [])
  }
  const shown = ({ rows, rowIndexes, starts }: SortedEvents) =>
    Array.from(starts, (start, at) => [start, rows[rowIndexes[at]!]!.id])
  const rows = Array.from({ length: 100 }, (_, id) => row(id, (id % 7) * 1_000))
  const lists = new KeptLists(50_000)
  lists.keep('a', rows, listOf(rows))
  t.same(lists.find('a', [...rows])?.fresh, [], 'control')
  const changed = rows.with(50, row(50, 500)).toSpliced(3, 1).concat(row(200, 3_000))
  const difference = lists.find('a', changed)!
  t.same(
    [[...difference.gone].map(({ id }) => id), difference.fresh.map(({ id }) => id)],
    [
      [3, 50],
      [50, 200],
    ],
  )
  t.same(shown(merged(difference, listOf(difference.fresh))), shown(listOf(changed)))
  t.equal(
    lists.find(
      'a',
      rows.map(({ id }) => row(id, 1_000)),
    ),
    null,
    'too much has changed',
  )
  t.equal(lists.find('b', rows), null)
  lists.keep('b', rows, listOf(rows))
  t.ok(lists.find('a', rows))
  lists.keep('c', rows, listOf(rows))
  t.same([lists.find('a', rows) !== null, lists.find('b', rows), lists.find('c', rows) !== null], [true, null, true])
  const small = new KeptLists(1_000)
  small.keep('a', rows, listOf(rows))
  t.equal(small.find('a', rows), null, 'larger than the memory')
})
