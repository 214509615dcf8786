// Decisions D21, D32
import t from 'tap'
import { EVENT_MAX_DESCRIPTION_CHARS } from '../../../server/base/calendar-data-limits.ts'
import { IMPORT_MAX_EVENTS } from '../../../server/base/calendar-exchange-limits.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

const BERLIN = 'Europe/Berlin'

function calendar(...lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n')
}

function event(uid: string, ...lines: readonly string[]): string {
  const has = (name: string) => lines.some((line) => new RegExp(`^${name}[;:]`).test(line))
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    ...(has('DTSTAMP') ? [] : ['DTSTAMP:20260101T000000Z']),
    ...(has('DTSTART') ? [] : ['DTSTART;TZID=Europe/Berlin:20260302T120000']),
    ...lines,
    'END:VEVENT',
  ].join('\r\n')
}

await forEachEngine(t, async (t, engine) => {
  const { mailbox, core } = await startCore(t, engine)

  const open = async (name: string) => {
    const box = await mailbox(name)
    const load = (text: string, more: object = {}) =>
      box.call('CalendarEvent/import', { 'data:asBase64': Buffer.from(text).toString('base64'), ...more })
    const counts = async (text: string, more: object = {}) => {
      const { refused, created, updated, skipped, failed } = await load(text, more)
      return refused ?? [created, updated, skipped, failed]
    }
    const pages = async (more: object = {}) => {
      const found: string[] = []
      let after: string | null = null
      do {
        const page: { text: string; next: string | null } = await box.call('CalendarEvent/export', { ...more, after })
        found.push(page.text)
        after = page.next
      } while (after !== null)
      return found
    }
    const events = async () => (await box.call('CalendarEvent/get', { ids: null })).list
    const titles = async () => (await events()).map(({ title }: { title?: string }) => title ?? '').sort()
    return { ...box, load, counts, pages, events, titles }
  }

  await t.test('a calendar that is exported and imported by another mailbox has the same events', async (t) => {
    const [ada, bob] = [await open('ada'), await open('bob')]
    const calendarIds = { [(await ada.call('Calendar/get', { ids: null })).list[0].id]: true }
    const weekly = {
      start: '2026-02-23T09:00:00',
      duration: 'PT30M',
      timeZone: BERLIN,
      recurrenceRule: { '@type': 'RecurrenceRule', frequency: 'weekly', count: 5 },
      recurrenceOverrides: { '2026-03-09T09:00:00': { title: 'Moved', start: '2026-03-10T09:00:00' } },
    }
    const day = { start: '2026-05-01T00:00:00', duration: 'P2D', showWithoutTime: true, privacy: 'secret' }
    const made = {
      weekly: { calendarIds, title: 'Weekly; with, signs \\ and\nlines', ...weekly },
      day: { calendarIds, title: 'Days', 'example.com:mood': { good: true }, ...day },
      party: { calendarIds, title: 'Party', isDraft: true, start: '2026-06-01T20:00:00', timeZone: 'America/New_York' },
    }
    const { notCreated } = await ada.call('CalendarEvent/set', { create: made })
    t.equal(notCreated, null)
    const [text] = await ada.pages()
    t.equal(text!.match(/BEGIN:VTIMEZONE/g)?.length, 2)
    t.same(await bob.counts(text!), [3, 0, 0, 0])
    const plain = async (box: typeof ada) =>
      (await box.events())
        .map(({ id: _, calendarIds: _in, isDraft: _draft, ...rest }: Record<string, unknown>) => rest)
        .sort((a: { title: string }, b: { title: string }) => (a.title < b.title ? -1 : 1))
    t.same(await plain(bob), await plain(ada))
    t.same(await bob.counts(text!), [0, 0, 3, 0], 'a second import changes nothing')
    t.same(await ada.counts(text!), [0, 0, 3, 0], 'nor does that of the own events')
  })

  await t.test('an event is updated by a newer one of its uid, and by no other', async (t) => {
    const box = await open('newer')
    const at = (title: string, ...lines: readonly string[]) =>
      box.counts(calendar(event('a', `SUMMARY:${title}`, ...lines)))
    const title = async () => (await box.titles()).join()
    t.same(await at('First', 'DTSTAMP:20260110T000000Z', 'SEQUENCE:1'), [1, 0, 0, 0])
    t.same(await at('Older', 'DTSTAMP:20260101T000000Z', 'SEQUENCE:1'), [0, 0, 1, 0])
    t.same(await at('Lower', 'DTSTAMP:20260120T000000Z', 'SEQUENCE:0'), [0, 0, 1, 0])
    t.equal(await title(), 'First')
    t.same(await at('Later', 'DTSTAMP:20260111T000000Z', 'SEQUENCE:1'), [0, 1, 0, 0])
    t.same(await at('Higher', 'DTSTAMP:20260101T000000Z', 'SEQUENCE:2'), [0, 1, 0, 0])
    t.equal(await title(), 'Higher')
    t.same(
      await at('Downloaded', 'DTSTAMP:20260901T000000Z', 'LAST-MODIFIED:20260101T000000Z', 'SEQUENCE:2'),
      [0, 0, 1, 0],
      'DTSTAMP may be the time of the download',
    )
    const id = (await box.events())[0].id
    await box.call('CalendarEvent/set', { update: { [id]: { title: 'Own' } } })
    t.same(await at('Higher', 'DTSTAMP:20260101T000000Z', 'SEQUENCE:2'), [0, 0, 1, 0], 'the own change stays')
    t.equal(await title(), 'Own')
  })

  await t.test('an update by a file keeps what only the server knows of an event', async (t) => {
    const box = await open('keeping')
    const upload = { create: { b: { data: [{ 'data:asText': 'notes' }] } } }
    const blobId = (await box.call('Blob/upload', upload)).created.b.id
    const connection = { provider: 'jitsi', urlTemplate: 'https://meet.example.com/{room}' }
    t.ok((await box.call('ConferencingConnection/set', { create: { c: connection } })).created)
    const calendarIds = { [(await box.call('Calendar/get', { ids: null })).list[0].id]: true }
    const links = { f: { '@type': 'Link', blobId, contentType: 'text/plain' } }
    const made = {
      calendarIds,
      title: 'Before',
      start: '2026-03-02T12:00:00',
      links,
      conferencing: { provider: 'jitsi' },
    }
    await box.call('CalendarEvent/set', { create: { e: made } })
    const [before] = await box.events()
    const [text = ''] = await box.pages()
    t.same(await box.counts(text.replace('SUMMARY:Before', 'SUMMARY:After\r\nSEQUENCE:5')), [0, 1, 0, 0])
    const [after] = await box.events()
    t.equal(after.title, 'After')
    const { conferencing, links: kept, virtualLocations } = after
    t.same([conferencing, kept, virtualLocations], [before.conferencing, before.links, before.virtualLocations])
    t.ok(conferencing?.status === 'ready' && kept.f.blobId, 'control')
  })

  await t.test('what cannot be imported is told by its uid, and the rest is imported', async (t) => {
    const box = await open('failing')
    const text = calendar(
      event('good', 'SUMMARY:Good'),
      event('long', `DESCRIPTION:${'x'.repeat(EVENT_MAX_DESCRIPTION_CHARS + 1)}`),
      event('none', 'DTSTART:nothing'),
      'BEGIN:VTODO\r\nUID:todo\r\nDTSTAMP:20260101T000000Z\r\nEND:VTODO',
    )
    t.same(await box.counts(text), [1, 0, 0, 3])
    t.same(await box.titles(), ['Good'])
    const { skipped, failures } = await box.load(text)
    t.equal(skipped, 1)
    const messages = Object.fromEntries(
      failures.map(({ uid, message }: { uid: string; message: string }) => [uid, message]),
    )
    t.match(messages['none'], /DTSTART/)
    t.match(messages['long'], /description/)
    t.match(messages['todo'], 'VTODO is no event and is left out.')
    t.notOk(messages['good'])
    const alone = event('series', 'RECURRENCE-ID;TZID=Europe/Berlin:20260309T120000', 'SUMMARY:Alone')
    t.same(await box.counts(calendar(alone)), [1, 0, 0, 0])
    const series = await box.load(calendar(event('series', 'SUMMARY:Series', 'RRULE:FREQ=WEEKLY')))
    t.match(series, { failed: 1, failures: [{ uid: 'series', message: /other instances of this event/ }] })
    t.same(await box.counts(calendar(alone)), [0, 0, 1, 0], 'control: the instance is there')
  })

  await t.test('a file is refused as a whole in words', async (t) => {
    const box = await open('refused')
    t.equal(await box.counts('Dear Ada'), 'The text has no VCALENDAR.')
    t.equal(await box.counts(calendar()), 'The file has no events.')
    t.match(
      await box.counts(calendar('METHOD:REPLY', event('a'))),
      /^The file is a scheduling message \(METHOD:REPLY\)/,
    )
    const many = Array.from({ length: IMPORT_MAX_EVENTS + 1 }, (_, i) => event(`e${i}`))
    t.match(await box.counts(calendar(...many)), /^The file has 10001 events; at most 10000/)
    t.same(await box.titles(), [])
    t.same(await box.counts(calendar('METHOD:PUBLISH', event('a', 'SUMMARY:Good'))), [1, 0, 0, 0], 'control')
    t.equal((await box.load('x', { calendarId: 'cal_none' })).type, 'invalidArguments')
    t.equal((await box.call('CalendarEvent/import', {})).type, 'invalidArguments')
  })

  await t.test('an import sends nothing and names no blob of the account', async (t) => {
    const box = await open('quiet')
    const { blobId } = (await box.call('Email/get', { ids: [await box.receive('Subject: x\n\nx')] })).list[0]
    const link = JSON.stringify({ '@type': 'Link', href: 'https://example.org', blobId })
    const text = calendar(
      event(
        'invited',
        `ORGANIZER:mailto:${box.address}`,
        'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:bob@example.org',
        'ATTACH:https://example.org/a',
        `JSPROP;JSPTR=links/x;VALUE=TEXT:${link.replaceAll(',', '\\,')}`,
      ),
    )
    t.same(await box.counts(text), [1, 0, 0, 0])
    const [{ links, participants }] = await box.events()
    t.ok(Object.keys(participants).length > 0, 'control: somebody could be invited')
    t.notMatch(JSON.stringify(links), 'blobId')
    t.same((await box.call('EmailSubmission/query', {})).ids, [])
  })

  await t.test('a large calendar is exported in pages that are one text', async (t) => {
    const box = await open('large')
    const zones = ['Europe/Berlin', 'Asia/Tokyo', 'America/New_York']
    const notes = 'x'.repeat(2_000)
    const lines = Array.from({ length: 300 }, (_, i) =>
      event(`e${i}`, `DTSTART;TZID=${zones[Math.floor(i / 100)]}:20260302T120000`, `DESCRIPTION:${notes}`),
    )
    t.same(await box.counts(calendar(...lines)), [300, 0, 0, 0])
    const pages = await box.pages()
    t.ok(pages.length > 1, `${pages.length} pages`)
    const text = pages.join('')
    t.equal(text.match(/^BEGIN:VCALENDAR$/gm)?.length ?? text.match(/BEGIN:VCALENDAR/g)?.length, 1)
    t.equal(text.match(/BEGIN:VEVENT/g)?.length, 300)
    t.same(
      [...text.matchAll(/^TZID:(.*)\r$/gm)].map(([, zone]) => zone),
      zones,
      'each zone once, before its use',
    )
    t.same(await box.counts(text), [0, 0, 300, 0])
    t.equal((await box.call('CalendarEvent/export', { after: 'nowhere' })).type, 'invalidArguments')
  })

  await t.test('an export has the events of one calendar', async (t) => {
    const box = await open('several')
    const { created } = await box.call('Calendar/set', { create: { w: { name: 'Work' } } })
    const work = created.w.id
    await box.load(calendar(event('at-home', 'SUMMARY:Home')))
    await box.load(calendar(event('at-work', 'SUMMARY:Work')), { calendarId: work })
    const [text = ''] = await box.pages({ calendarId: work })
    t.match(text, 'X-WR-CALNAME:Work')
    t.match(text, 'UID:at-work')
    t.notMatch(text, 'UID:at-home')
    t.match((await box.pages())[0], 'UID:at-home', 'control')
    t.equal((await box.call('CalendarEvent/export', { calendarId: 'cal_none' })).type, 'invalidArguments')
  })

  await t.test('the URL of a feed shows public events until the feed, its calendar or its mailbox ends', async (t) => {
    const box = await open('shared')
    const { created } = await box.call('Calendar/set', { create: { w: { name: 'Work' } } })
    const work = created.w.id
    const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'DESCRIPTION:x', 'TRIGGER:-PT5M', 'END:VALARM']
    await box.load(
      calendar(
        event('public', 'SUMMARY:Open house', 'CATEGORIES:mine', ...alarm),
        event(
          'private',
          'SUMMARY:Doctor',
          'LOCATION:Clinic',
          'CLASS:PRIVATE',
          'X-NOTE:hidden',
          'RRULE:FREQ=DAILY;COUNT=2',
        ),
        event('private', 'RECURRENCE-ID;TZID=Europe/Berlin:20260303T120000', 'SUMMARY:Surgeon', 'CLASS:PRIVATE'),
        event('secret', 'SUMMARY:Surprise', 'CLASS:CONFIDENTIAL'),
        event('free', 'SUMMARY:Maybe', 'CLASS:PRIVATE', 'TRANSP:TRANSPARENT'),
      ),
      { calendarId: work },
    )
    await box.load(calendar(event('other', 'SUMMARY:Other')))
    const make = async (calendarId: string | null) => {
      const { created } = await box.call('CalendarFeed/set', { create: { f: { calendarId } } })
      return { id: created.f.id as string, token: String(created.f.path).slice('/calendar/feeds/'.length) }
    }
    const textOf = async (token: string) => {
      const feed = await core.calendarFeeds.find(token)
      return feed && (await core.calendarFeeds.page(feed, null))?.text
    }
    const [feed, all, spare] = [await make(work), await make(null), await make(work)]
    const text = await textOf(feed.token)
    t.match(text, 'SUMMARY:Open house')
    t.match(text, 'UID:private')
    t.equal(text?.match(/SUMMARY:Busy/g)?.length, 2, 'the series and its instance')
    for (const hidden of [
      'Doctor',
      'Clinic',
      'Surgeon',
      'hidden',
      'Surprise',
      'UID:free',
      'VALARM',
      'mine',
      'UID:other',
    ])
      t.notMatch(text, hidden, hidden)
    t.match(await textOf(all.token), 'UID:other')
    const listed = (await box.call('CalendarFeed/get', { ids: [feed.id] })).list[0]
    t.same(Object.keys(listed).sort(), ['calendarId', 'createdAt', 'id'])
    const before = await core.calendarFeeds.find(feed.token)
    await box.load(calendar(event('new')), { calendarId: work })
    t.not((await core.calendarFeeds.find(feed.token))?.state, before?.state)
    t.equal(await textOf(`${feed.token.slice(0, -8)}AAAA.ics`), null, 'another secret')
    t.equal(await textOf('nothing'), null)
    await box.call('CalendarFeed/set', { destroy: [spare.id] })
    t.equal(await textOf(spare.token), null, 'revoked')
    t.ok(await textOf(feed.token), 'control')
    await box.call('Calendar/set', { destroy: [work], onDestroyRemoveEvents: true })
    t.equal(await textOf(feed.token), null, 'its calendar is gone')
    t.same(
      (await box.call('CalendarFeed/get', { ids: null })).list.map(({ id }: { id: string }) => id),
      [all.id],
    )
    t.equal(
      (await box.call('CalendarFeed/set', { create: { f: { calendarId: work } } })).notCreated.f.type,
      'invalidProperties',
    )
  })
})
