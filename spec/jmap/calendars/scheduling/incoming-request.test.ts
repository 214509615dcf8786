import t from 'tap'
import type { Store } from '../../../../storage/ports.ts'
import { type Result, startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { deliver } from '../../delivery/support.ts'
import { calendarOf } from '../support.ts'
import { eventsOf, invitation, ORGANIZER, participant, send, vcalendar, vevent } from './support.ts'

const request = (...events: string[]) => vcalendar('REQUEST', ...events)
const WEEKLY = { RRULE: 'FREQ=WEEKLY;COUNT=5' }

/** A store whose units of work fail at their end. */
function failing(store: Store, isFailing: () => boolean): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'writeBatched') return typeof value === 'function' ? value.bind(target) : value
      const batched: Store['writeBatched'] = (accounts, work) =>
        target.writeBatched(accounts, async (unit) => {
          const result = await work(unit)
          if (isFailing()) throw new Error('the power is gone')
          return result
        })
      return batched
    },
  })
}

await forEachEngine(t, async (t, engine) => {
  let fails = false
  const core = await startCore(t, engine, {}, { aroundStore: (store) => failing(store, () => fails) })
  let made = 0
  const box = async () => {
    const mailbox = await core.mailbox(`hello${++made}`)
    const me = `mailto:${mailbox.address}`
    const mine = { 'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': me }
    return { mailbox, mine, me: mailbox.address }
  }

  t.test(
    'an invitation becomes an event in the default calendar, which waits for an answer and takes time',
    async (t) => {
      const { mailbox, mine, me } = await box()
      const trace = await send(
        core,
        mailbox,
        request(
          vevent({
            ...mine,
            STATUS: 'TENTATIVE',
            'BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER': '-PT5M\r\nDESCRIPTION:x\r\nEND:VALARM',
          }),
        ),
      )
      t.same(trace, [`The invitation of ${ORGANIZER} is in the calendar.`])
      const [event, ...others] = await eventsOf(mailbox)
      t.same(others, [])
      t.match(event, {
        uid: 'meeting-1@example.org',
        title: 'Planning',
        status: 'tentative',
        start: '2026-03-02T10:00:00',
        duration: 'PT1H',
        timeZone: 'Europe/Berlin',
        isOrigin: false,
        isDraft: false,
        calendarIds: { [await calendarOf(mailbox)]: true },
        organizerCalendarAddress: `mailto:${ORGANIZER}`,
      })
      t.match(participant(event, me), { participationStatus: 'needs-action', expectReply: true })
      t.notOk(event.alerts, "the organizer's alarms are not the owner's")
      const { list } = await mailbox.call('CalendarEventNotification/get', { ids: null })
      t.match(list, [{ type: 'created', calendarEventId: event.id, changedBy: { email: ORGANIZER } }])
      const [principal] = (await mailbox.call('Principal/get', { ids: null })).list
      const { list: busy } = await mailbox.call('Principal/getAvailability', {
        id: principal.id,
        utcStart: '2026-03-02T00:00:00Z',
        utcEnd: '2026-03-03T00:00:00Z',
      })
      t.match(busy, [{ utcStart: '2026-03-02T09:00:00Z', utcEnd: '2026-03-02T10:00:00Z' }], 'it takes time')
    },
  )

  t.test("a PARTSTAT of the organizer is no answer of the owner's", async (t) => {
    const { mailbox, me } = await box()
    await send(
      core,
      mailbox,
      request(
        vevent({ 'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': null, 'ATTENDEE;PARTSTAT=ACCEPTED': `mailto:${me}` }),
      ),
    )
    t.match(participant((await eventsOf(mailbox))[0], me), { participationStatus: 'needs-action' })
  })

  t.test('an update keeps the answer and what is personal; a new time asks again', async (t) => {
    const { mailbox, mine, me } = await box()
    await send(core, mailbox, request(vevent(mine)))
    const [{ id, participants }] = await eventsOf(mailbox)
    const own = Object.keys(participants).find((key) => participants[key].calendarAddress === `mailto:${me}`)
    const alerts = { a: { '@type': 'Alert', trigger: { '@type': 'OffsetTrigger', offset: '-PT5M' } } }
    const answer = { [`participants/${own}/participationStatus`]: 'accepted', alerts, useDefaultAlerts: false }
    await mailbox.call('CalendarEvent/set', { update: { [id]: answer } })
    const renamed = vevent({ ...mine, SUMMARY: 'Planning 2', SEQUENCE: 0, DTSTAMP: '20260101T090000Z' })
    t.same(await send(core, mailbox, request(renamed)), [`The event of ${ORGANIZER} in the calendar is updated.`])
    const [updated] = await eventsOf(mailbox)
    t.match(updated, { id, title: 'Planning 2', alerts, sequence: 0, updated: '2026-01-01T09:00:00Z' })
    t.match(participant(updated, me), { participationStatus: 'accepted' })
    const moved = vevent({
      ...mine,
      SEQUENCE: 1,
      DTSTAMP: '20260101T100000Z',
      'DTSTART;TZID=Europe/Berlin': '20260302T120000',
      'DTEND;TZID=Europe/Berlin': '20260302T130000',
    })
    await send(core, mailbox, request(moved))
    const [later] = await eventsOf(mailbox)
    t.match(later, { id, start: '2026-03-02T12:00:00', alerts })
    t.match(participant(later, me), { participationStatus: 'needs-action' })
  })

  t.test('a message does not change the privacy that the owner has given (JMAP Calendars 5.9)', async (t) => {
    const { mailbox, mine } = await box()
    await send(core, mailbox, request(vevent({ ...mine, CLASS: 'PUBLIC' })))
    const [event] = await eventsOf(mailbox)
    await mailbox.call('CalendarEvent/set', { update: { [event.id]: { privacy: 'secret' } } })
    await send(core, mailbox, request(vevent({ ...mine, CLASS: 'PUBLIC', SEQUENCE: '1', SUMMARY: 'Moved' })))
    t.match(await eventsOf(mailbox), [{ title: 'Moved', privacy: 'secret' }])
    const instance = (date: string, level: string) =>
      request(vevent({ ...mine, UID: 'alone', 'RECURRENCE-ID;TZID=Europe/Berlin': date, CLASS: level }))
    await send(core, mailbox, instance('20260309T100000', 'PRIVATE'))
    await send(core, mailbox, instance('20260316T100000', 'CONFIDENTIAL'))
    const alone = (await eventsOf(mailbox)).filter(({ uid }) => uid === 'alone')
    t.same(
      alone.map(({ privacy }) => privacy),
      ['private', 'private'],
    )
    await send(core, mailbox, request(vevent({ ...mine, UID: 'alone', ...WEEKLY, SEQUENCE: 1, CLASS: 'PUBLIC' })))
    const series = (await eventsOf(mailbox)).filter(({ uid }) => uid === 'alone')
    t.match(series, [{ recurrenceRule: { frequency: 'weekly' }, privacy: 'private' }], 'the series takes their place')
  })

  t.test('older versions and repetitions change nothing (RFC 5546 2.1.5)', async (t) => {
    const { mailbox, mine } = await box()
    const second = request(vevent({ ...mine, SEQUENCE: 2, SUMMARY: 'Second' }))
    await send(core, mailbox, second)
    const { state } = await mailbox.call('CalendarEvent/get', { ids: [] })
    const ignored = ['The calendar message changes nothing: the event in the calendar is as new, or newer.']
    t.same(await send(core, mailbox, second), ignored, 'the same again')
    const first = vevent({ ...mine, SEQUENCE: 1, DTSTAMP: '20260601T080000Z', SUMMARY: 'First' })
    t.same(await send(core, mailbox, request(first)), ignored, 'a lower SEQUENCE with a later DTSTAMP')
    const earlier = vevent({ ...mine, SEQUENCE: 2, DTSTAMP: '20251231T080000Z', SUMMARY: 'Earlier' })
    t.same(await send(core, mailbox, request(earlier)), ignored, 'an earlier DTSTAMP')
    t.equal((await mailbox.call('CalendarEvent/get', { ids: [] })).state, state)
    const third = vevent({ ...mine, SEQUENCE: 2, DTSTAMP: '20260102T080000Z', SUMMARY: 'Third' })
    await send(core, mailbox, request(third))
    t.match(await eventsOf(mailbox), [{ title: 'Third' }], 'the control: a later DTSTAMP')
  })

  t.test('an invitation that the owner has deleted does not come back by the same message', async (t) => {
    const { mailbox, mine } = await box()
    const first = request(vevent(mine))
    await send(core, mailbox, first)
    const [{ id }] = await eventsOf(mailbox)
    await mailbox.call('CalendarEvent/set', { destroy: [id] })
    await send(core, mailbox, first)
    t.same(await eventsOf(mailbox), [])
    await send(core, mailbox, request(vevent({ ...mine, DTSTAMP: '20260105T080000Z' })))
    t.equal((await eventsOf(mailbox)).length, 1, 'the control: a newer one')
  })

  t.test('instances are updated one by one; answers to others stay', async (t) => {
    const { mailbox, mine, me } = await box()
    await send(core, mailbox, request(vevent({ ...mine, ...WEEKLY })))
    const [{ id, participants }] = await eventsOf(mailbox)
    const own = Object.keys(participants).find((key) => participants[key].calendarAddress === `mailto:${me}`)
    await mailbox.call('CalendarEvent/set', {
      update: { [id]: { [`participants/${own}/participationStatus`]: 'accepted' } },
    })
    const instance = (lines: object) =>
      vevent({ ...mine, DTSTAMP: '20260102T080000Z', 'RECURRENCE-ID': '20260309T090000Z', ...lines })
    const renamed = instance({
      SUMMARY: 'Special',
      'DTSTART;TZID=Europe/Berlin': '20260309T100000',
      'DTEND;TZID=Europe/Berlin': '20260309T110000',
    })
    t.same(await send(core, mailbox, request(renamed)), [
      `The instance 2026-03-09T10:00:00 of the event of ${ORGANIZER} is updated.`,
    ])
    t.match((await eventsOf(mailbox))[0].recurrenceOverrides, { '2026-03-09T10:00:00': { title: 'Special' } })
    t.notMatch(JSON.stringify((await eventsOf(mailbox))[0].recurrenceOverrides), /needs-action/, 'the time is the same')
    const moved = instance({
      SEQUENCE: 1,
      DTSTAMP: '20260103T080000Z',
      'DTSTART;TZID=Europe/Berlin': '20260310T100000',
      'DTEND;TZID=Europe/Berlin': '20260310T110000',
    })
    await send(core, mailbox, request(moved))
    const [event] = await eventsOf(mailbox)
    t.match(event.recurrenceOverrides, {
      '2026-03-09T10:00:00': {
        start: '2026-03-10T10:00:00',
        [`participants/${own}/participationStatus`]: 'needs-action',
      },
    })
    t.match(participant(event, me), { participationStatus: 'accepted' }, 'the series keeps the answer')
    await send(core, mailbox, request(renamed))
    t.match((await eventsOf(mailbox))[0].recurrenceOverrides, event.recurrenceOverrides, 'an older one has no effect')
  })

  t.test('single instances without their series are events, until the series comes (JMAP Calendars 5.5)', async (t) => {
    const { mailbox, mine, me } = await box()
    const alone = vevent({
      ...mine,
      'RECURRENCE-ID;TZID=Europe/Berlin': '20260309T100000',
      'DTSTART;TZID=Europe/Berlin': '20260309T100000',
      'DTEND;TZID=Europe/Berlin': '20260309T110000',
    })
    await send(core, mailbox, request(alone))
    const [event, ...others] = await eventsOf(mailbox)
    t.same(others, [])
    t.match(event, { recurrenceId: '2026-03-09T10:00:00', recurrenceIdTimeZone: 'Europe/Berlin' })
    const own = Object.keys(event.participants).find(
      (key) => event.participants[key].calendarAddress === `mailto:${me}`,
    )
    await mailbox.call('CalendarEvent/set', {
      update: { [event.id]: { [`participants/${own}/participationStatus`]: 'declined' } },
    })
    await send(core, mailbox, request(vevent({ ...mine, ...WEEKLY, DTSTAMP: '20260102T080000Z' })))
    const [series, ...more] = await eventsOf(mailbox)
    t.same(more, [])
    t.not(series.id, event.id)
    t.match(series.recurrenceOverrides, {
      '2026-03-09T10:00:00': { [`participants/${own}/participationStatus`]: 'declined' },
    })
    t.match(participant(series, me), { participationStatus: 'needs-action' })
  })

  t.test(
    'an update of the series keeps answers to single instances, and drops overrides it does not have',
    async (t) => {
      const { mailbox, mine, me } = await box()
      const series = vevent({ ...mine, ...WEEKLY })
      const special = (day: string, lines: object) =>
        vevent({
          ...mine,
          'RECURRENCE-ID;TZID=Europe/Berlin': `${day}T100000`,
          'DTSTART;TZID=Europe/Berlin': `${day}T100000`,
          'DTEND;TZID=Europe/Berlin': `${day}T110000`,
          ...lines,
        })
      await send(
        core,
        mailbox,
        request(series, special('20260309', { SUMMARY: 'A' }), special('20260316', { SUMMARY: 'B' })),
      )
      const [{ id, participants }] = await eventsOf(mailbox)
      const own = Object.keys(participants).find((key) => participants[key].calendarAddress === `mailto:${me}`)
      const path = (day: string) => `recurrenceOverrides/${day}T10:00:00/participants~1${own}~1participationStatus`
      const answers = { [path('2026-03-09')]: 'declined', [path('2026-03-16')]: 'accepted' }
      t.ok((await mailbox.call('CalendarEvent/set', { update: { [id]: answers } })).updated)
      const next = { SEQUENCE: 1, DTSTAMP: '20260102T080000Z' }
      await send(
        core,
        mailbox,
        request(vevent({ ...mine, ...WEEKLY, ...next }), special('20260309', { SUMMARY: 'A2', ...next })),
      )
      const status = `participants/${own}/participationStatus`
      const { recurrenceOverrides } = (await eventsOf(mailbox))[0]
      t.match(recurrenceOverrides['2026-03-09T10:00:00'], { title: 'A2', [status]: 'declined' })
      t.same(recurrenceOverrides['2026-03-16T10:00:00'], { [status]: 'accepted' }, 'B has gone, the answer stays')
    },
  )

  t.test('ADD makes another instance of a known event only (RFC 5546 3.2.4)', async (t) => {
    const { mailbox, mine } = await box()
    const added = vevent({
      ...mine,
      SEQUENCE: 1,
      DTSTAMP: '20260102T080000Z',
      SUMMARY: 'Extra',
      'DTSTART;TZID=Europe/Berlin': '20260401T150000',
      'DTEND;TZID=Europe/Berlin': '20260401T160000',
    })
    await send(core, mailbox, vcalendar('ADD', added))
    t.same(await eventsOf(mailbox), [], 'the event is unknown')
    await send(core, mailbox, request(vevent({ ...mine, ...WEEKLY })))
    await send(core, mailbox, vcalendar('ADD', added))
    const [event] = await eventsOf(mailbox)
    t.match(event, {
      sequence: 1,
      title: 'Planning',
      recurrenceOverrides: { '2026-04-01T15:00:00': { title: 'Extra' } },
    })
    t.same(await send(core, mailbox, vcalendar('ADD', added)), [
      'The calendar message changes nothing: the event in the calendar is as new, or newer.',
    ])
  })

  t.test('a mail and what it changes are stored together, or not at all', async (t) => {
    const { mailbox, mine } = await box()
    const bytes = Buffer.from(invitation(request(vevent(mine))))
    const recipients = [{ account: mailbox.account, address: mailbox.address }]
    const ingest = () => core.core.ingest([{ bytes, recipients, receivedAt: 0, mailFrom: ORGANIZER }])
    fails = true
    t.match(await ingest(), [[{ status: 'failed' }]])
    fails = false
    const has = async () => [(await mailbox.call('Email/query', {})).ids.length, (await eventsOf(mailbox)).length]
    t.same(await has(), [0, 0])
    await ingest()
    t.same(await has(), [1, 1], 'the sender tries again')
  })

  t.test('two messages about one event that arrive together have the result of the newer one', async (t) => {
    const { mailbox, mine } = await box()
    const versions = [3, 1, 4, 2].map((n) => request(vevent({ ...mine, SEQUENCE: n, SUMMARY: `Version ${n}` })))
    await Promise.all(versions.map((version) => send(core, mailbox, version)))
    t.match(await eventsOf(mailbox), [{ title: 'Version 4', sequence: 4 }])
    t.equal((await eventsOf(mailbox)).length, 1)
  })

  t.test('files that the mail brings are attached to the event (RFC 5545 3.8.1.1, RFC 2392)', async (t) => {
    const { mailbox, mine } = await box()
    const part = (cid: string, name: string, content: string) =>
      [
        '--b',
        `Content-Type: text/plain; name="${name}"`,
        `Content-ID: <${cid}>`,
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from(content).toString('base64'),
      ].join('\r\n')
    const withFiles = (calendar: string, files: readonly string[]) =>
      invitation(calendar).replace(/--b--\r\n$/, [...files, '--b--', ''].join('\r\n'))
    const take = (calendar: string, ...files: readonly string[]) => deliver(core, [mailbox], withFiles(calendar, files))
    const named = {
      ...mine,
      ...WEEKLY,
      'ATTACH;FMTTYPE=text/markdown;FILENAME=agenda.md': 'cid:agenda%2B1@example.org',
      'ATTACH;X-N=1': 'CID:map@example.org',
      'ATTACH;X-N=2': 'cid:none@example.org',
      'ATTACH;X-N=3': 'https://example.org/file',
    }
    const [agenda, map] = [part('agenda+1@example.org', 'a.txt', 'Agenda'), part('map@example.org', 'map.txt', 'Map')]
    await take(request(vevent(named)), agenda, map, part('other@example.org', 'other.txt', 'Nobody names it'))
    const linksOf = async () => Object.values((await eventsOf(mailbox))[0]!.links as { [id: string]: Result })
    const read = async ({ blobId }: Result) =>
      Buffer.from((await core.core.download(mailbox.principal, mailbox.accountId, blobId))!.bytes).toString()
    const links = await linksOf()
    t.match(links, [
      { contentType: 'text/markdown', title: 'agenda.md', size: 6, rel: 'enclosure', href: undefined },
      { contentType: 'text/plain', title: 'map.txt', size: 3, href: undefined },
      { href: 'cid:none@example.org', blobId: undefined },
      { href: 'https://example.org/file', blobId: undefined },
    ])
    t.same([await read(links[0]!), await read(links[1]!)], ['Agenda', 'Map'])
    const own = {
      'RECURRENCE-ID;TZID=Europe/Berlin': '20260309T100000',
      'DTSTART;TZID=Europe/Berlin': '20260309T100000',
      'DTEND;TZID=Europe/Berlin': '20260309T110000',
      SEQUENCE: 1,
    }
    const minutes = { 'ATTACH;FILENAME=minutes.txt': 'cid:minutes@example.org' }
    await take(
      request(vevent({ ...mine, ...own, ...minutes })),
      part('minutes@example.org', 'minutes.txt', 'What was said'),
    )
    const { ids } = await mailbox.call('CalendarEvent/query', {
      filter: { after: '2026-03-09T00:00:00', before: '2026-03-10T00:00:00' },
      expandRecurrences: true,
    })
    const [instance] = (await mailbox.call('CalendarEvent/get', { ids })).list
    const [link, ...others] = Object.values(instance.links as { [id: string]: Result })
    t.same(others, [])
    t.equal(await read(link!), 'What was said', 'also those of one instance')

    const many = Array.from({ length: 21 }, (_, n) => `f${n}@example.org`)
    const lines = Object.fromEntries(many.map((cid, n) => [`ATTACH;X-N=${n}`, `cid:${cid}`]))
    await take(
      request(vevent({ ...mine, ...lines, SEQUENCE: 2 })),
      ...many.map((cid, n) => part(cid, `${n}.txt`, `File ${n}`)),
    )
    const bounded = await linksOf()
    t.equal(bounded.filter(({ blobId }) => blobId !== undefined).length, 20)
    t.match(bounded[20], { href: 'cid:f20@example.org' }, 'one too many stays in the mail')
  })
})
