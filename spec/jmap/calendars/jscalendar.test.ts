import t from 'tap'
import { withAnswersReset } from '../../../jmap/calendars/itip/reset-answers.ts'
import { checkEvent } from '../../../jmap/calendars/jscalendar/check-event.ts'
import {
  formatDuration,
  formatLocal,
  formatUTC,
  keyOfLocal,
  localOfKey,
  parseDuration,
  parseLocal,
  parseSignedDuration,
  parseUTC,
} from '../../../jmap/calendars/jscalendar/date-times.ts'
import { instanceOf, patchBetween, patched, withoutStalePaths } from '../../../jmap/calendars/jscalendar/overrides.ts'
import { EVENT_MAX_BYTES } from '../../../server/base/calendar-data-limits.ts'

const EVENT = {
  '@type': 'Event',
  uid: 'a',
  title: 'Lunch',
  start: '2026-03-02T12:00:00',
  timeZone: 'Europe/Berlin',
  participants: { ada: { name: 'Ada', roles: { attendee: true } } },
}

t.test('local times and instants are of whole seconds', async (t) => {
  t.equal(parseLocal('1970-01-02T00:00:01'), 86_401_000)
  t.equal(formatLocal(86_401_000), '1970-01-02T00:00:01')
  t.equal(formatUTC(parseUTC('1604-02-29T00:00:00Z')!), '1604-02-29T00:00:00Z')
  for (const text of [
    '2026-02-29T00:00:00',
    '2026-01-01T24:00:00',
    '2026-01-01T00:00:60',
    '2026-01-01T00:00:00.5',
    '2026-01-01',
    '',
  ])
    t.equal(parseLocal(text), null, text)
  t.equal(parseUTC('2026-01-01T00:00:00'), null)
  for (const text of ['0000-01-01T00:00:00', '2026-07-25T09:30:00', '9999-12-31T23:59:59'])
    t.equal(formatLocal(localOfKey(keyOfLocal(parseLocal(text)!))), text, 'a recurrence id comes back from its key')
})

t.test('durations are read as RFC 5545 means them: days apart from hours', async (t) => {
  t.same(parseDuration('P1W2DT3H4M5S'), { days: 9, ms: 11_045_000, sign: 1 })
  t.same(parseDuration('PT0S'), { days: 0, ms: 0, sign: 1 })
  t.match(parseSignedDuration('-PT15M'), { days: 0, ms: 900_000, sign: -1 })
  for (const text of ['', 'P', 'PT', 'P1DT', 'PT1H5S', 'P1Y', 'P1M', '-PT1H', 'PT1.5H', 'P36526D', 'PT99999999999H'])
    t.equal(parseDuration(text), null, text)
  for (const [ms, text] of [
    [0, 'PT0S'],
    [5_400_000, 'PT1H30M'],
    [3_605_000, 'PT1H0M5S'],
    [90_000_000, 'PT25H'],
    [59_000, 'PT59S'],
  ] as const) {
    t.equal(formatDuration(ms), text)
    t.equal(parseDuration(text)?.ms, ms)
  }
})

t.test('an override makes an instance, and what has no effect in it is left out', async (t) => {
  const at = '2026-03-09T12:00:00'
  const event = { ...EVENT, recurrenceRule: { frequency: 'weekly' } }
  const plain = instanceOf(event, at)
  t.match(plain, { start: at, recurrenceId: at, recurrenceIdTimeZone: 'Europe/Berlin', title: 'Lunch' })
  t.notOk('recurrenceRule' in plain!)
  const override = {
    title: 'Late',
    start: '2026-03-09T13:00:00',
    uid: 'b',
    privacy: 'secret',
    'participants/ada/name': 'A',
  }
  t.match(instanceOf({ ...event, recurrenceOverrides: { [at]: override } }, at), {
    uid: 'a',
    title: 'Late',
    start: '2026-03-09T13:00:00',
    participants: { ada: { name: 'A' } },
  })
  t.equal(instanceOf({ ...event, recurrenceOverrides: { [at]: { excluded: true } } }, at), null)
  const stale = { 'participants/bob/name': 'B', title: 'Late' }
  t.equal(patched(event, stale)['title'], 'Late', 'a path that leads nowhere spoils no other')
  const cleaned = withoutStalePaths({ ...event, recurrenceOverrides: { [at]: stale } })
  t.same(cleaned['recurrenceOverrides'], { [at]: { title: 'Late' } })
})

t.test('the patch between two objects makes the one of the other', async (t) => {
  const to = { ...EVENT, title: 'Tea', participants: { ada: { name: 'Ada', roles: {} }, 'b/c': { name: 'B' } } }
  const patch = patchBetween(EVENT, to)
  t.same(patch, { title: 'Tea', 'participants/ada/roles/attendee': null, 'participants/b~1c': { name: 'B' } })
  t.same(patched(EVENT, patch), to)
  const { title: _title, ...without } = EVENT
  t.same(patchBetween(EVENT, without), { title: null })
})

t.test('faults are few and short, however many things are wrong', async (t) => {
  const participants = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`p${i}`, { name: 7, roles: [] }]))
  t.equal(checkEvent({ ...EVENT, participants }).length, 20)
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`p${i}`, {}]))
  t.match(checkEvent({ ...EVENT, participants: many }), [{ path: 'participants', fault: 'has at most 500 members' }])
  const evil = JSON.parse('{"__proto__": {"x": 1}, "constructor": {}}')
  t.same(
    checkEvent({ ...EVENT, ...evil, recurrenceOverrides: { '2026-03-09T12:00:00': evil } }),
    [],
    'names like any other',
  )
  const deep = 'a/'.repeat(300)
  t.equal(checkEvent({ ...EVENT, recurrenceOverrides: { '2026-03-09T12:00:00': { [deep]: 1 } } }).length, 1)
})

t.test('an override adds to a map what the event may have, and no more', async (t) => {
  const at = '2026-03-09T12:00:00'
  const faults = (patch: object, event: object = EVENT) =>
    checkEvent({ ...event, recurrenceOverrides: { [at]: { ...patch } } } as never)
  const path = `recurrenceOverrides/${at}/participants`
  t.same(faults({ 'participants/bob': { name: 'Bob' } }), [], 'control')
  t.match(faults({ 'participants/b~1c': { name: 'Bob' } }), [{ path: `${path}/b~1c`, fault: /^is not a key here/ }])
  t.same(faults({ 'participants/b~1c': null }), [], 'nothing is removed where nothing is')
  const full = { ...EVENT, participants: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, {}])) }
  t.match(faults({ 'participants/bob': {} }, full), [{ path, fault: 'has at most 500 members' }])
  t.same(faults({ 'participants/bob': {}, 'participants/p1': null }, full), [], 'one goes, one comes')
  t.same(faults({ 'participants/p1': { name: 'P' } }, full), [], 'one is replaced')
  t.match(
    faults({ participants: { ada: { name: 7 } }, 'alerts/a': {} }),
    [{ path: `${path}/ada/name` }, { fault: 'changes a member of what the event does not have' }],
    'control: what is wrong further in',
  )
})

t.test('an event and its overrides name a bounded number of people', async (t) => {
  const address = (n: number) => ({ calendarAddress: `mailto:p${n}@example.org` })
  const people = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, address(i)]))
  const days = (count: number, patch: (n: number) => object) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        formatLocal(parseLocal(EVENT.start)! + i * 86_400_000),
        { ...patch(i) },
      ]),
    )
  const event = { ...EVENT, participants: people(400) }
  const guests = (count: number) =>
    checkEvent({
      ...event,
      recurrenceOverrides: days(count, (n) => ({ 'participants/guest': address(1_000 + n) })),
    } as never)
  t.same(guests(600), [])
  t.match(guests(601), [{ path: 'recurrenceOverrides', fault: /^names at most 1000 participants/ }])
  const replaced = days(601, (n) => ({ 'participants/p1/calendarAddress': `mailto:other${n}@example.org` }))
  t.match(checkEvent({ ...event, recurrenceOverrides: replaced } as never), [{ path: 'recurrenceOverrides' }])
})

t.test('answers that a move of many instances makes void are not written beyond what an event may have', async (t) => {
  const answered = { roles: { attendee: true }, participationStatus: 'accepted' }
  const participants = Object.fromEntries(
    Array.from({ length: 500 }, (_, i) => [`p${i}`, { calendarAddress: `mailto:p${i}@example.org`, ...answered }]),
  )
  const moved = (count: number, hour: string) => {
    const days = Array.from({ length: count }, (_, i) => formatLocal(parseLocal(EVENT.start)! + i * 86_400_000))
    const recurrenceOverrides = Object.fromEntries(
      days.map((day) => [day, { start: `${day.slice(0, 11)}${hour}:00:00` }]),
    )
    return { ...EVENT, participants, recurrenceRule: { frequency: 'daily' }, recurrenceOverrides }
  }
  const reset = (count: number) => JSON.stringify(withAnswersReset(moved(count, '13'), moved(count, '14'), new Set()))
  t.equal(reset(2).split('needs-action').length - 1, 1_000, 'control')
  const octets = reset(80).length
  t.ok(octets > EVENT_MAX_BYTES && octets < 2 * EVENT_MAX_BYTES, `${octets} octets, which are refused`)
})
