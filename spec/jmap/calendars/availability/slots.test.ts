// Decisions D22 and D32
import fc from 'fast-check'
import t from 'tap'
import { freeSlots, type Interval, isFreeSlot, type SlotRules } from '../../../../jmap/calendars/availability/slots.ts'
import { zoneClock } from '../../../../jmap/calendars/availability/zone-clock.ts'
import { isTimeZone } from '../../../../jmap/calendars/recurrence/zone-offsets.ts'
import { naiveSlots, slotRequests } from './naive-slots.ts'

const at = (text: string) => Date.parse(text)
const RULES: SlotRules = {
  durationMinutes: 30,
  intervalMinutes: 30,
  timezone: 'UTC',
  days: [1, 2, 3, 4, 5],
  windowStartMinutes: 540,
  windowEndMinutes: 1_020,
  bufferMinutes: 0,
  minimumNoticeMinutes: 0,
}

interface Asked {
  readonly rules?: Partial<SlotRules>
  readonly from: string
  readonly to: string
  readonly busy?: readonly (readonly [string, string])[]
  readonly now?: string
}

function ask({ rules, from, to, busy = [], now = '2000-01-01T00:00:00Z' }: Asked): string[] {
  const slots = freeSlots({
    rules: { ...RULES, ...rules },
    within: { start: at(from), end: at(to) },
    busy: busy.map(([start, end]): Interval => ({ start: at(start), end: at(end) })),
    now: at(now),
  })
  return slots.map(({ start }) => new Date(start).toISOString().slice(0, 16))
}

t.test('slots of a window start at its beginning and end within it', async (t) => {
  const monday = { from: '2026-06-15T00:00:00Z', to: '2026-06-16T00:00:00Z' }
  const slots = ask(monday)
  t.equal(slots.length, 16)
  t.same([slots[0], slots.at(-1)], ['2026-06-15T09:00', '2026-06-15T16:30'])
  t.same(ask({ ...monday, rules: { durationMinutes: 240, intervalMinutes: 60 } }), [
    '2026-06-15T09:00',
    '2026-06-15T10:00',
    '2026-06-15T11:00',
    '2026-06-15T12:00',
    '2026-06-15T13:00',
  ])
  t.same(ask({ from: '2026-06-13T00:00:00Z', to: '2026-06-15T00:00:00Z' }), [], 'not at the weekend')
  const sunday = ask({ from: '2026-06-13T00:00:00Z', to: '2026-06-15T00:00:00Z', rules: { days: [0] } })
  t.same(sunday[0], '2026-06-14T09:00', '0 is Sunday')
  t.same(
    ask({ from: '2026-06-15T09:10:00Z', to: '2026-06-15T10:45:00Z' }),
    ['2026-06-15T09:30', '2026-06-15T10:00'],
    'a slot lies wholly between from and to',
  )
})

t.test('busy times, buffers and notice take slots away', async (t) => {
  const day = { from: '2026-06-15T09:00:00Z', to: '2026-06-15T12:00:00Z' }
  const meeting = ['2026-06-15T10:00:00Z', '2026-06-15T10:30:00Z'] as const
  const hours = (slots: readonly string[]) => slots.map((slot) => slot.slice(11))
  t.same(hours(ask({ ...day, busy: [meeting] })), ['09:00', '09:30', '10:30', '11:00', '11:30'])
  t.same(hours(ask({ ...day, busy: [meeting], rules: { bufferMinutes: 15 } })), ['09:00', '11:00', '11:30'])
  t.same(
    hours(ask({ ...day, busy: [['2026-06-15T10:00:00Z', '2026-06-15T10:00:00Z']], rules: { bufferMinutes: 15 } }))
      .length,
    6,
    'an event without a length blocks nothing',
  )
  t.same(hours(ask({ ...day, now: '2026-06-15T10:01:00Z' })), ['10:30', '11:00', '11:30'])
  t.same(hours(ask({ ...day, now: '2026-06-15T09:00:00Z', rules: { minimumNoticeMinutes: 120 } })), ['11:00', '11:30'])
  const nested = [meeting, ['2026-06-15T09:45:00Z', '2026-06-15T11:15:00Z']] as const
  t.same(hours(ask({ ...day, busy: nested })), ['09:00', '11:30'], 'busy times overlap')
})

t.test('where the clock is put forward the skipped times are left out', async (t) => {
  const berlin = { timezone: 'Europe/Berlin', days: [0], windowStartMinutes: 60, windowEndMinutes: 240 }
  t.same(ask({ from: '2026-03-28T00:00:00Z', to: '2026-03-30T00:00:00Z', rules: berlin }), [
    '2026-03-29T00:00',
    '2026-03-29T00:30',
    '2026-03-29T01:00',
    '2026-03-29T01:30',
  ])
  const inGap = { ...berlin, windowEndMinutes: 150, durationMinutes: 45, intervalMinutes: 45 }
  t.same(
    ask({ from: '2026-03-28T00:00:00Z', to: '2026-03-30T00:00:00Z', rules: inGap }),
    ['2026-03-29T00:00'],
    'a window that ends in the gap ends at the change',
  )
})

t.test('where the clock is put back the first passing is offered', async (t) => {
  const berlin = { timezone: 'Europe/Berlin', days: [0], windowStartMinutes: 60, windowEndMinutes: 240 }
  t.same(ask({ from: '2026-10-24T00:00:00Z', to: '2026-10-26T00:00:00Z', rules: berlin }), [
    '2026-10-24T23:00',
    '2026-10-24T23:30',
    '2026-10-25T00:00',
    '2026-10-25T00:30',
    '2026-10-25T02:00',
    '2026-10-25T02:30',
  ])
  const after = { ...berlin, windowStartMinutes: 150, durationMinutes: 60, intervalMinutes: 60 }
  t.same(
    ask({ from: '2026-10-24T00:00:00Z', to: '2026-10-26T00:00:00Z', rules: after }),
    [],
    'the clock goes back to before the window during the slot',
  )
})

t.test('a slot is free when it is one of those that are offered', async (t) => {
  const request = { rules: RULES, busy: [], now: 0 }
  t.equal(isFreeSlot(request, at('2026-06-15T09:30:00Z')), true)
  t.equal(isFreeSlot(request, at('2026-06-15T09:40:00Z')), false, 'between two candidates')
  t.equal(isFreeSlot(request, at('2026-06-15T17:00:00Z')), false, 'after the window')
  const busy = [{ start: at('2026-06-15T09:59:00Z'), end: at('2026-06-15T10:30:00Z') }]
  t.equal(isFreeSlot({ ...request, busy }, at('2026-06-15T09:30:00Z')), false)
})

t.test('slots are those of a model that goes minute by minute', async (t) => {
  let found = 0
  fc.assert(
    fc.property(slotRequests(2), (request) => {
      const slots = freeSlots(request)
      found += slots.length
      t.same(slots, naiveSlots(request))
    }),
    // The numbers are fixed, so that slots are found; scripts/availability-model.ts draws others.
    { numRuns: 12, seed: 7 },
  )
  t.ok(found > 30, `control: ${found} slots were compared`)
})

t.test('wall times of zones', async (t) => {
  const berlin = zoneClock('Europe/Berlin')
  t.equal(berlin.firstInstant(at('2026-03-29T02:30:00Z')), null, 'skipped')
  t.equal(berlin.reaches(at('2026-03-29T02:30:00Z')), at('2026-03-29T01:00:00Z'))
  // RFC 5545 3.3.5
  t.equal(berlin.instantOf(at('2026-03-29T02:30:00Z')), at('2026-03-29T01:30:00Z'))
  t.equal(berlin.instantOf(at('2026-10-25T02:30:00Z')), at('2026-10-25T00:30:00Z'))
  t.equal(berlin.toLocal(at('2026-10-25T01:30:00Z')), at('2026-10-25T02:30:00Z'), 'the second passing')
  t.equal(zoneClock('Pacific/Apia').firstInstant(at('2011-12-30T12:00:00Z')), null, 'the day was skipped')
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
    t.ok(isTimeZone(zone), zone)
  for (const zone of ['', 'Mars/Base', '+01:00', 'Europe/Berlin ', 'x'.repeat(100)]) t.notOk(isTimeZone(zone), zone)
})
