import t from 'tap'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { calendarOf } from './support.ts'

const LUNCH = { title: 'Lunch', start: '2026-03-02T12:00:00', duration: 'PT1H', timeZone: 'Europe/Berlin' }
const ADA = {
  '@type': 'Participant',
  name: 'Ada',
  calendarAddress: 'mailto:ada@example.org',
  roles: { attendee: true },
}

await forEachEngine(t, async (t, engine) => {
  const { mailbox, clock, request } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const calendar = await calendarOf(hello)
  const inCalendar = { calendarIds: { [calendar]: true } }
  const set = (args: object) => hello.call('CalendarEvent/set', { ...args })
  const create = async (event: object, args: object = {}) => {
    const { created, notCreated } = await set({ create: { e: { ...inCalendar, ...event } }, ...args })
    return notCreated?.e ?? created.e
  }
  const get = async (id: string, args: object = {}) =>
    (await hello.call('CalendarEvent/get', { ids: [id], ...args })).list[0]
  const update = async (id: string, patch: object) => {
    const { updated, notUpdated } = await set({ update: { [id]: patch } })
    return notUpdated?.[id] ?? updated[id]
  }

  t.test('an event is stored as it was sent, with what the server sets (draft-ietf-jmap-calendars 5.9)', async (t) => {
    const made = await create({
      ...LUNCH,
      'example.com:mood': { level: 3 },
      iCalendar: { name: 'vevent' },
      locale: null,
    })
    t.match(made, {
      '@type': 'Event',
      uid: /^[0-9a-f-]{36}$/,
      isDraft: false,
      isOrigin: true,
      created: /Z$/,
      updated: /Z$/,
    })
    t.notOk('title' in made, 'what the client sent is not repeated')
    const early = await create({ ...LUNCH, created: '2999-01-01T00:00:00Z' })
    t.equal(early.created, early.updated, 'an event is not made after it was updated')
    const event = await get(made.id)
    t.match(event, {
      ...LUNCH,
      ...inCalendar,
      uid: made.uid,
      'example.com:mood': { level: 3 },
      isDraft: false,
      isOrigin: true,
    })
    t.notOk('locale' in event, 'null is as good as absent')
    t.notOk('iCalendar' in event || 'utcStart' in event || 'baseEventId' in event, 'only on request')
    const asked = await get(made.id, { properties: ['iCalendar', 'utcStart', 'utcEnd', 'example.com:mood'] })
    t.same(asked, {
      id: made.id,
      iCalendar: { name: 'vevent' },
      utcStart: '2026-03-02T11:00:00Z',
      utcEnd: '2026-03-02T12:00:00Z',
      'example.com:mood': { level: 3 },
    })
  })

  t.test('what is wrong in an event is named by its path', async (t) => {
    const cases: [object, string][] = [
      [{ start: null }, 'start'],
      [{ start: '2026-02-30T10:00:00' }, 'start'],
      [{ start: '2026-03-01T10:00:00.5' }, 'start'],
      [{ start: '1500-03-01T10:00:00' }, 'start'],
      [{ duration: '1h' }, 'duration'],
      [{ duration: 'P200Y' }, 'duration'],
      [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
      [{ method: 'request' }, 'method'],
      [{ '@type': 'Task' }, '@type'],
      [{ participants: { abc: { ...ADA, calendarAddress: 'nobody' } } }, 'participants/abc/calendarAddress'],
      [{ participants: { 'a b': ADA } }, 'participants/a b'],
      [{ locations: { l: { name: 7 } } }, 'locations/l/name'],
      [{ virtualLocations: { v: { name: 'Call' } } }, 'virtualLocations/v/uri'],
      [{ alerts: { a: { trigger: { offset: '15' } } } }, 'alerts/a/trigger/offset'],
      [{ links: { l: { title: 'File' } } }, 'links/l/href'],
      [{ keywords: { a: false } }, 'keywords'],
      [{ priority: 10 }, 'priority'],
      [{ recurrenceRule: { frequency: 'sometimes' } }, 'recurrenceRule/frequency'],
      [{ recurrenceRule: { frequency: 'daily', count: 2, until: '2026-04-01T00:00:00' } }, 'recurrenceRule/until'],
      [
        { recurrenceRule: { frequency: 'yearly', byDay: [{ day: 'mo', nthOfPeriod: 0 }] } },
        'recurrenceRule/byDay/0/nthOfPeriod',
      ],
      [{ recurrenceRule: { frequency: 'secondly' } }, 'recurrenceRule'],
      [{ recurrenceOverrides: { tomorrow: {} } }, 'recurrenceOverrides/tomorrow'],
      [
        { recurrenceOverrides: { '2026-03-03T12:00:00': { isDraft: true } } },
        'recurrenceOverrides/2026-03-03T12:00:00/isDraft',
      ],
      [
        { recurrenceOverrides: { '2026-03-03T12:00:00': { utcStart: 'x' } } },
        'recurrenceOverrides/2026-03-03T12:00:00/utcStart',
      ],
      [
        { recurrenceOverrides: { '2026-03-03T12:00:00': { mayInviteSelf: true } } },
        'recurrenceOverrides/2026-03-03T12:00:00/mayInviteSelf',
      ],
      [
        { recurrenceOverrides: { '2026-03-03T12:00:00': { 'participants/x/name': 'X' } } },
        'recurrenceOverrides/2026-03-03T12:00:00/participants/x',
      ],
      [
        { recurrenceOverrides: { '2026-03-03T12:00:00': { start: null } } },
        'recurrenceOverrides/2026-03-03T12:00:00/start',
      ],
      [{ recurrenceId: '2026-03-02T12:00:00', recurrenceRule: { frequency: 'daily' } }, 'recurrenceId'],
      [{ utcStart: '2026-03-02T12:00:00Z' }, 'utcStart'],
      [{ utcEnd: '2026-03-02T12:00:00Z' }, 'utcEnd'],
      [{ calendarIds: {} }, 'calendarIds'],
      [{ calendarIds: { [calendar]: true, cal_none: true } }, 'calendarIds'],
    ]
    for (const [more, path] of cases)
      t.match(await create({ ...LUNCH, ...more }), { type: 'invalidProperties', properties: [path] }, path)
    t.match(await create({ ...LUNCH, description: 'x'.repeat(200_000), keywords: {} }), { id: String }, 'control')
    const large = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`l${i}`, { href: `data:,${'x'.repeat(4_000)}` }]),
    )
    t.match(await create({ ...LUNCH, links: large }), { type: 'tooLarge', maxSize: 1_048_576 })
  })

  t.test('an account has one event of a uid, or instances of it (draft-ietf-jmap-calendars 1.4.1)', async (t) => {
    const { id, uid } = await create(LUNCH)
    t.match(await create({ ...LUNCH, uid }), { type: 'alreadyExists', existingId: id })
    t.match(await create({ ...LUNCH, uid, recurrenceId: LUNCH.start }), { type: 'alreadyExists' })
    const first = await create({ ...LUNCH, uid: 'series', recurrenceId: LUNCH.start })
    t.ok((await create({ ...LUNCH, uid: 'series', recurrenceId: '2026-03-09T12:00:00' })).id, 'another instance')
    t.match(await create({ ...LUNCH, uid: 'series', recurrenceId: LUNCH.start }), {
      type: 'alreadyExists',
      existingId: first.id,
    })
    const { list } = await hello.call('CalendarEvent/get', { ids: null, properties: ['uid'] })
    const instances = list
      .filter((event: { uid: string }) => event.uid === 'series')
      .map((event: { id: string }) => event.id)
    const replaced = await set({ destroy: instances, create: { e: { ...inCalendar, ...LUNCH, uid: 'series' } } })
    t.ok(replaced.created?.e, 'one call replaces the instances by the whole event')
  })

  t.test('events of a uid have one privacy (draft-ietf-jmap-calendars 1.4.1, 5.9)', async (t) => {
    const uid = 'invited-twice'
    const times = ['2026-03-02T12:00:00', '2026-03-09T12:00:00']
    const [first, second] = [
      await create({ ...LUNCH, uid, recurrenceId: times[0], privacy: 'private' }),
      await create({ ...LUNCH, uid, recurrenceId: times[1], privacy: 'private' }),
    ]
    t.ok(second.id)
    const wrong = { type: 'invalidProperties', properties: ['privacy'] }
    t.match(await create({ ...LUNCH, uid, recurrenceId: '2026-03-16T12:00:00' }), wrong)
    t.match(await update(first.id, { privacy: 'secret' }), wrong)
    const { updated } = await set({ update: { [first.id]: { privacy: null }, [second.id]: { privacy: 'public' } } })
    t.same(Object.keys(updated), [first.id, second.id], 'all in one call')
    const { notUpdated } = await set({
      update: { [first.id]: { privacy: 'secret' }, [second.id]: { privacy: 'private' } },
    })
    t.match(notUpdated, { [first.id]: wrong, [second.id]: wrong })
    t.match((await set({ destroy: [first.id, second.id] })).destroyed, [first.id, second.id])
  })

  t.test('utcStart and utcEnd become start, duration and a zone (draft-ietf-jmap-calendars 5)', async (t) => {
    const times = { utcStart: '2026-07-01T10:00:00Z', utcEnd: '2026-07-01T11:30:00Z' }
    const made = await create({ title: 'Call', ...times })
    t.match(made, { start: '2026-07-01T10:00:00', duration: 'PT1H30M', timeZone: 'Etc/UTC' })
    const { created } = await hello.call('Calendar/set', {
      create: { c: { name: 'NY', timeZone: 'America/New_York' } },
    })
    const there = await create({ title: 'Call', ...times, calendarIds: { [created.c.id]: true } })
    t.match(there, { start: '2026-07-01T06:00:00', timeZone: 'America/New_York' })
    t.match(await update(there.id, { utcStart: '2026-07-01T12:00:00Z' }), { start: '2026-07-01T08:00:00' })
    t.equal((await get(there.id)).duration, 'PT1H30M')
    t.match(await create({ title: 'Call', utcStart: times.utcEnd, utcEnd: times.utcStart }), { properties: ['utcEnd'] })
  })

  t.test(
    'updates are patches; updated and sequence follow what they change (draft-ietf-jmap-calendars 5.9)',
    async (t) => {
      const { id } = await create({ ...LUNCH, participants: { a: ADA }, keywords: { x: true } })
      clock.advance(60_000)
      const before = await get(id)
      t.equal(before.organizerCalendarAddress, `mailto:${hello.address}`)
      t.match(await update(id, { title: 'Dinner', 'participants/a/participationStatus': 'accepted' }), { sequence: 1 })
      const after = await get(id)
      t.match(after, { title: 'Dinner', participants: { a: { name: 'Ada', participationStatus: 'accepted' } } })
      t.ok(after.updated > before.updated, 'the time of the server')
      t.notOk('sequence' in ((await update(id, { 'keywords/y': true, color: 'red' })) ?? {}), 'properties of the user')
      t.equal((await get(id)).sequence, 1)
      t.notOk('sequence' in ((await update(id, { sequence: 7, title: 'Supper' })) ?? {}))
      t.equal((await get(id)).sequence, 7, 'a higher number of the client stands')
      t.match(await update(id, { updated: '2020-01-01T00:00:00Z', title: 'Tea' }), {
        updated: /^20(?!20)/,
        sequence: 8,
      })
      t.equal((await update(id, { color: null, keywords: null })) === undefined, false)
      t.notOk('color' in (await get(id)))
      t.match(await update(id, { 'participants/b/name': 'Bob' }), { type: 'invalidPatch' })
      t.match(await update(id, { uid: 'other' }), { type: 'invalidProperties', properties: ['uid'] })
      t.match(await update(id, { isDraft: true }), { type: 'invalidProperties', properties: ['isDraft'] })
      t.match(await update(id, { isOrigin: false }), { type: 'invalidProperties', properties: ['isOrigin'] })
    },
  )

  t.test('an event that somebody else organizes keeps their updated and sequence', async (t) => {
    const theirs = {
      ...LUNCH,
      updated: '2020-01-01T00:00:00Z',
      sequence: 4,
      organizerCalendarAddress: 'mailto:ada@example.org',
    }
    const { id, isOrigin } = await create(theirs)
    t.equal(isOrigin, false)
    t.equal(await update(id, { title: 'Mine' }), null)
    t.match(await get(id), { updated: theirs.updated, sequence: 4, isOrigin: false, title: 'Mine' })
  })

  t.test('a patch into an override changes that override (draft-ietf-jmap-calendars 5.9.1)', async (t) => {
    const at = '2026-03-09T12:00:00'
    const { id } = await create({
      ...LUNCH,
      recurrenceRule: { frequency: 'weekly' },
      participants: { a: ADA, b: ADA },
      recurrenceOverrides: { [at]: { start: '2026-03-09T13:00:00', 'participants/a/participationStatus': 'declined' } },
    })
    await update(id, { [`recurrenceOverrides/${at}/participants~1b~1participationStatus`]: 'declined' })
    const overrides = async () => (await get(id)).recurrenceOverrides
    t.same(Object.keys((await overrides())[at]), [
      'start',
      'participants/a/participationStatus',
      'participants/b/participationStatus',
    ])
    await update(id, { [`recurrenceOverrides/${at}/participants~1a~1participationStatus`]: null })
    t.notOk('participants/a/participationStatus' in (await overrides())[at])
    await update(id, { [`recurrenceOverrides/${at}`]: { 'participants/a': null } })
    t.same(await overrides(), { [at]: { 'participants/a': null } }, 'null in the whole override stays')
    t.match(await update(id, { [`recurrenceOverrides/${at}/title`]: 7 }), {
      properties: [`recurrenceOverrides/${at}/title`],
    })
    await update(id, { 'participants/b': null, [`recurrenceOverrides/${at}`]: { 'participants/a/name': 'A' } })
    await update(id, { 'participants/a': null })
    t.same(await overrides(), { [at]: {} }, 'paths that lead nowhere any more go')
  })

  t.test('/get limits overrides and participants (draft-ietf-jmap-calendars 5.7)', async (t) => {
    const override = { title: 'Late', 'participants/a/name': 'A' }
    const { id } = await create({
      ...LUNCH,
      recurrenceRule: { frequency: 'weekly' },
      recurrenceOverrides: { '2026-03-09T12:00:00': override, '2026-03-16T12:00:00': override },
      participants: {
        a: ADA,
        me: { calendarAddress: `mailto:${hello.address.toUpperCase()}`, roles: { attendee: true } },
        boss: { name: 'Boss', roles: { owner: true } },
      },
    })
    const after = await get(id, { recurrenceOverridesAfter: '2026-03-16T11:00:00Z' })
    t.same(Object.keys(after.recurrenceOverrides), ['2026-03-16T12:00:00'])
    const before = await get(id, { recurrenceOverridesBefore: '2026-03-16T11:00:00Z' })
    t.same(Object.keys(before.recurrenceOverrides), ['2026-03-09T12:00:00'])
    const reduced = await get(id, { reduceParticipants: true })
    t.same(Object.keys(reduced.participants), ['me', 'boss'])
    t.same(reduced.recurrenceOverrides['2026-03-09T12:00:00'], { title: 'Late' })
    const floating = await create({ title: 'Float', start: '2026-03-02T12:00:00' })
    const args = { properties: ['utcStart'], timeZone: 'Asia/Tokyo' }
    t.equal((await get(floating.id, args)).utcStart, '2026-03-02T03:00:00Z')
    const refused = (more: object) => hello.call('CalendarEvent/get', { ids: [id], ...more })
    t.match(await refused({ properties: ['utcStart', 'recurrenceOverrides'] }), { type: 'invalidArguments' })
    t.match(await refused({ timeZone: 'Mars/Olympus' }), { type: 'invalidArguments', arguments: ['timeZone'] })
  })

  t.test('/changes tells of events, and a draft becomes an event', async (t) => {
    const { state } = await hello.call('CalendarEvent/get', { ids: [] })
    const { id } = await create({ ...LUNCH, isDraft: true })
    await update(id, { isDraft: false })
    t.equal((await get(id)).isDraft, false)
    const gone = await create(LUNCH)
    t.same((await set({ destroy: [gone.id, 'cev_none'] })).destroyed, [gone.id])
    const changes = await hello.call('CalendarEvent/changes', { sinceState: state })
    t.same([changes.created, changes.updated, changes.destroyed], [[id], [], []])
  })

  t.test('an attachment by blobId is kept, and found by Blob/lookup (draft-ietf-jmap-calendars 5.3)', async (t) => {
    const { created } = await hello.call('Blob/upload', { create: { b: { data: [{ 'data:asText': 'agenda' }] } } })
    const blobId = created.b.id
    const links = { f: { blobId, rel: 'enclosure', title: 'agenda.txt' } }
    const { id } = await create({ ...LUNCH, links })
    t.equal((await get(id)).links.f.blobId, blobId)
    const { list } = await hello.call('Blob/lookup', { typeNames: ['CalendarEvent'], ids: [blobId] })
    t.same(list[0].matchedIds.CalendarEvent, [id])
    t.match(await create({ ...LUNCH, links: { f: { blobId: 'blb_none' } } }), {
      type: 'blobNotFound',
      notFound: ['blb_none'],
    })
  })

  t.test('/copy makes the event in another account (RFC 8620 5.4)', async (t) => {
    const other = await mailbox('other')
    const { id, uid } = await create({ ...LUNCH, title: 'Copied' })
    const principal = { ...hello.principal, mailboxes: [hello.account, other.account] }
    const copied = { id, calendarIds: { [await calendarOf(other)]: true } }
    const args = { fromAccountId: hello.accountId, accountId: other.accountId, create: { c: copied } }
    const [first, second] = await request(
      [
        ['CalendarEvent/copy', args],
        ['CalendarEvent/copy', args],
      ],
      principal,
    )
    const made = (first as Result)[1].created.c
    const { list } = await other.call('CalendarEvent/get', { ids: [made.id] })
    t.match(list[0], { uid, title: 'Copied', start: LUNCH.start })
    t.match((second as Result)[1].notCreated.c, { type: 'alreadyExists', existingId: made.id })
  })
})
