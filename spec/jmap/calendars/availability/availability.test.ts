// Decisions D22 and D32: what of a calendar takes time, on both engines. With AVAILABILITY_CALENDARS=1000 the model has 1,000 calendars.
import fc from 'fast-check'
import t from 'tap'
import type { Interval, SlotRules } from '../../../../jmap/calendars/availability/slots.ts'
import { zoneClock } from '../../../../jmap/calendars/availability/zone-clock.ts'
import type { Result } from '../../../support/core.ts'
import { startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { naiveSlots, ZONES } from './naive-slots.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const ME = 'mailto:alice@example.test'

/** An event with the times at which it happens, as a list. */
interface Known {
  readonly event: Record<string, unknown>
  /** Local starts, and the zone; null: the owner's. */
  readonly starts: readonly number[]
  readonly zone: string | null
  readonly minutes: number
  readonly isBusy: boolean
}

const localText = (at: number) => new Date(at).toISOString().slice(0, 19)

/** Events around a change of clocks in Berlin. */
const FIRST = Date.parse('2026-03-23T00:00:00Z')

const knownEvents: fc.Arbitrary<Known> = fc
  .record({
    at: fc.integer({ min: 0, max: 14 * 96 }),
    minutes: fc.integer({ min: 0, max: 30 }).map((count) => count * 15),
    zone: fc.constantFrom(null, 'Europe/Berlin', 'America/New_York', 'Etc/UTC'),
    isAllDay: fc.boolean(),
    days: fc.constantFrom(1, 1, 2),
    repeats: fc.constantFrom(0, 0, 3, 5),
    step: fc.constantFrom(1, 2, 7),
    excluded: fc.boolean(),
    kind: fc.constantFrom('busy', 'busy', 'busy', 'free', 'cancelled', 'declined', 'accepted', 'asked', 'draft'),
  })
  .map(({ at, minutes, zone, isAllDay, days, repeats, step, excluded, kind }) => {
    const start = FIRST + (isAllDay ? Math.floor(at / 96) * DAY : at * 15 * MINUTE)
    const length = isAllDay ? days * 1440 : minutes
    const all = Array.from({ length: Math.max(1, repeats) }, (_, i) => start + i * step * DAY)
    const isCut = excluded && repeats > 1
    const answer = { declined: 'declined', accepted: 'accepted', asked: 'needs-action' }[kind as 'asked']
    return {
      event: {
        '@type': 'Event',
        title: kind,
        start: localText(start),
        timeZone: isAllDay ? null : zone,
        duration: isAllDay ? `P${days}D` : `PT${minutes}M`,
        ...(isAllDay && { showWithoutTime: true }),
        ...(kind === 'free' && { freeBusyStatus: 'free' }),
        ...(kind === 'cancelled' && { status: 'cancelled' }),
        ...(kind === 'draft' && { isDraft: true }),
        ...(answer && {
          organizerCalendarAddress: 'mailto:boss@example.org',
          participants: {
            me: { '@type': 'Participant', calendarAddress: ME, roles: { attendee: true }, participationStatus: answer },
            boss: { '@type': 'Participant', calendarAddress: 'mailto:boss@example.org', roles: { owner: true } },
          },
        }),
        ...(repeats > 0 && {
          recurrenceRule: { '@type': 'RecurrenceRule', frequency: 'daily', interval: step, count: repeats },
        }),
        ...(isCut && { recurrenceOverrides: { [localText(all[1]!)]: { excluded: true } } }),
      },
      starts: isCut ? all.filter((_, i) => i !== 1) : all,
      zone: isAllDay ? null : zone,
      minutes: length,
      isBusy: !['free', 'cancelled', 'declined', 'draft'].includes(kind),
    }
  })

function busyOf(known: readonly Known[], ownerZone: string): Interval[] {
  return known.flatMap(({ starts, zone, minutes, isBusy, event }) => {
    const clock = zoneClock(zone ?? ownerZone)
    const isAllDay = event['showWithoutTime'] === true
    return (isBusy ? starts : []).map((local) => {
      const start = clock.instantOf(local)
      return { start, end: isAllDay ? clock.instantOf(local + minutes * MINUTE) : start + minutes * MINUTE }
    })
  })
}

await forEachEngine(t, async (t, engine) => {
  const { mailbox, request, organization, clock, core } = await startCore(t, engine)
  const alice = await mailbox('alice')
  const calendar = (await alice.call('Calendar/get', { ids: null })).list[0].id as string
  const setZone = (timezone: string | null) =>
    request([['MailAccount/set', { accountId: organization.accountId, update: { [alice.accountId]: { timezone } } }]])
  const add = async (events: readonly Record<string, unknown>[]): Promise<string[]> => {
    const create = Object.fromEntries(
      events.map((event, i) => [`e${i}`, { uid: `${Math.random()}`, calendarIds: { [calendar]: true }, ...event }]),
    )
    const { created, notCreated } = await alice.call('CalendarEvent/set', { create })
    if (notCreated) throw new Error(JSON.stringify(notCreated))
    return events.map((_, i) => created[`e${i}`].id)
  }
  const remove = async (ids: readonly string[]) => alice.call('CalendarEvent/set', { destroy: ids })
  const ask = async (args: object): Promise<string[]> => {
    const answer = (await alice.call('Availability/get', args as never)) as Result
    return answer.slots.map(({ start }: Result) => start.slice(0, 16))
  }
  const HOURS = { durationMinutes: 60, days: [0, 1, 2, 3, 4, 5, 6], windowStartMinutes: 0, windowEndMinutes: 1440 }

  t.test('slots are those of a model that goes minute by minute over random events', async (t) => {
    let compared = 0
    const rules: SlotRules = {
      durationMinutes: 45,
      intervalMinutes: 30,
      timezone: 'Europe/Berlin',
      days: [0, 1, 2, 3, 5, 6],
      windowStartMinutes: 60,
      windowEndMinutes: 1_320,
      bufferMinutes: 15,
      minimumNoticeMinutes: 0,
    }
    const calendars = fc.sample(
      fc.tuple(fc.array(knownEvents, { minLength: 3, maxLength: 20 }), fc.constantFrom(...ZONES.slice(0, 8))),
      {
        numRuns: Number(process.env['AVAILABILITY_CALENDARS'] ?? 3),
        seed: 7,
      },
    )
    for (const [known, zone] of calendars) {
      await setZone(zone)
      const ids = await add(known.map(({ event }) => event))
      const within = { start: FIRST + 5 * DAY, end: FIRST + 8 * DAY }
      const { durationMinutes, intervalMinutes, timezone, days, windowStartMinutes, windowEndMinutes, bufferMinutes } =
        rules
      const slots = await ask({
        from: new Date(within.start).toISOString().replace('.000', ''),
        to: new Date(within.end).toISOString().replace('.000', ''),
        durationMinutes,
        intervalMinutes,
        timezone,
        days,
        windowStartMinutes,
        windowEndMinutes,
        bufferMinutes,
      })
      const model = naiveSlots({ rules, within, busy: busyOf(known, zone), now: clock.now() })
      compared += model.length
      t.same(
        slots,
        model.map(({ start }) => new Date(start).toISOString().slice(0, 16)),
        JSON.stringify(known),
      )
      await remove(ids)
    }
    t.ok(compared > 20, `control: ${compared} slots`)
    await setZone(null)
  })

  t.test('an instance that an override frees, moves or declines takes no time at its place', async (t) => {
    const day = { ...HOURS, from: '2026-05-04T08:00:00Z', to: '2026-05-04T12:00:00Z' }
    const participants = {
      me: { '@type': 'Participant', calendarAddress: ME, roles: { attendee: true }, participationStatus: 'accepted' },
      boss: { '@type': 'Participant', calendarAddress: 'mailto:boss@example.org', roles: { owner: true } },
    }
    const daily = (hour: string, recurrenceOverrides: object) => ({
      '@type': 'Event',
      start: `2026-05-01T${hour}:00:00`,
      timeZone: 'Etc/UTC',
      duration: 'PT1H',
      organizerCalendarAddress: 'mailto:boss@example.org',
      participants,
      recurrenceRule: { '@type': 'RecurrenceRule', frequency: 'daily' },
      recurrenceOverrides,
    })
    const ids = await add([
      daily('08', { '2026-05-04T08:00:00': { freeBusyStatus: 'free' } }),
      daily('09', { '2026-05-04T09:00:00': { 'participants/me/participationStatus': 'declined' } }),
      daily('10', { '2026-05-04T10:00:00': { start: '2026-05-04T20:00:00' } }),
      daily('11', { '2026-05-05T11:00:00': { freeBusyStatus: 'free' } }),
    ])
    t.same(await ask(day), ['2026-05-04T08:00', '2026-05-04T09:00', '2026-05-04T10:00'])
    t.same(
      await ask({ ...HOURS, from: '2026-05-05T08:00:00Z', to: '2026-05-05T12:00:00Z' }),
      ['2026-05-05T11:00'],
      'control: the next day',
    )
    await alice.call('CalendarEvent/set', { update: { [ids[0]!]: { recurrenceOverrides: null } } })
    t.same(await ask(day), ['2026-05-04T09:00', '2026-05-04T10:00'], 'a change is seen at once')
    await alice.call('Calendar/set', { update: { [calendar]: { includeInAvailability: 'none' } } })
    t.equal((await ask(day)).length, 4, 'a calendar that does not count')
    await alice.call('Calendar/set', { update: { [calendar]: { includeInAvailability: 'all' } } })
    await remove(ids)
  })

  t.test('wrong arguments are refused', async (t) => {
    const good = { from: '2026-05-04T00:00:00Z', to: '2026-05-05T00:00:00Z' }
    t.equal((await ask(good)).length, 16, 'control')
    for (const wrong of [
      { to: good.from },
      { to: '2027-06-05T00:00:00Z' },
      { timezone: 'Mars/Base' },
      { windowStartMinutes: 600, windowEndMinutes: 600 },
      { days: [] },
      { durationMinutes: 4 },
    ])
      t.match(await alice.call('Availability/get', { ...good, ...wrong } as never), { type: 'invalidArguments' })
    t.equal((await ask({ ...good, to: '2027-05-04T00:00:00Z' })).length, 261 * 16, 'a year of working days')
    void core
  })
})
