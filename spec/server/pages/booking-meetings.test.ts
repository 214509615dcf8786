// Decisions D23, D32: meetings of bookings and events at providers, on both engines
import t from 'tap'
import { BOOKING_LINK_WAIT_MS } from '../../../server/base/booking-limits.ts'
import { MEETING_LEASE_MS, MEETING_RETRY_MS, ZOOM_REQUEST_MS } from '../../../server/base/conferencing-limits.ts'
import type { Result } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startMeetingWorker, ZOOM_CONNECTION, zoomAt } from '../../support/meetings.ts'
import { startZoom } from '../../support/zoom.ts'
import { type Letter, linkOf, MONDAY, startBooking } from './booking-world.ts'

const at = (time: string, day = MONDAY) => `${day}T${time}:00.000Z`
const plain = ({ source }: Letter) => source.replaceAll(/=\r\n/g, '').replaceAll('=3D', '=')

await forEachEngine(t, async (t, engine) => {
  const zoom = await startZoom(t)
  const world = await startBooking(t, engine)
  const { visit, page, book, events, letters, alice, clock, core } = world
  const worker = startMeetingWorker(t, world, zoom)
  const connect = async (record: object) => {
    const { created, notCreated } = await alice.call('ConferencingConnection/set', { create: { c: record } as never })
    if (!created?.c) throw new Error(JSON.stringify(notCreated))
    return created.c.id as string
  }
  await connect({ provider: 'jitsi', urlTemplate: 'https://meet.example.com/{room}' })
  const zoomId = await connect(ZOOM_CONNECTION)
  const inbox = async () => {
    const query = { sort: [{ property: 'receivedAt', isAscending: false }], limit: 3 }
    const { ids } = await alice.call('Email/query', query)
    return (await alice.call('Email/get', { ids, properties: ['subject', 'preview'] })).list as Result[]
  }
  const eventOf = async (title: RegExp) => (await events()).find((one) => title.test(one.title))
  const settled = async () => {
    await worker.settled()
    // What was reported may have made more due.
    worker.wake()
    await worker.settled()
    zoom.drain()
  }

  t.test('a room whose name is drawn here is in the first mail and on the page', async (t) => {
    const path = await page({ name: 'Room', conferencingProvider: 'jitsi' })
    const made = await book(path, at('09:00'))
    t.match(made.body.video_url, /^https:\/\/meet\.example\.com\/[a-z2-7]{24}$/)
    const [letter] = await letters()
    t.match(plain(letter!), `To take part, open this link: ${made.body.video_url}`)
    t.match(plain(letter!).replaceAll(/\r\n /g, ''), /\r\nLOCATION[^:]*:https:\/\/meet\.example\.com/)
    t.match((await visit(linkOf(made))).text, `href="${made.body.video_url}"`)
    t.match(await eventOf(/^Room/), { conferencing: { provider: 'jitsi', status: 'ready' } })
    t.equal(zoom.requests.length, 0)
  })

  t.test(
    'a meeting at Zoom is made, moved and deleted with its booking, and the confirmation waits for its link',
    async (t) => {
      const path = await page({ name: 'Zoomed', conferencingProvider: 'zoom', timezone: 'Europe/Berlin' })
      const made = await book(path, at('10:00'))
      t.match(made, { status: 201, body: { video_url: null } })
      t.match(await zoom.next(), {
        method: 'POST',
        path: '/v2/users/me/meetings',
        body: {
          topic: 'Zoomed: Jane Doe',
          type: 2,
          start_time: `${MONDAY}T10:00:00Z`,
          duration: 30,
          timezone: 'UTC',
        },
      })
      await settled()
      const [meeting] = [...zoom.meetings.values()]
      const [letter, ...more] = await letters()
      t.same(more, [], 'one mail')
      t.match(plain(letter!), `To take part, open this link: ${meeting!.join_url}`)
      t.match(letter!.header, /Subject: Confirmed/)
      t.match((await visit(linkOf(made))).text, meeting!.join_url.replaceAll('&', '&amp;'))
      t.match(await eventOf(/^Zoomed/), {
        conferencing: { status: 'ready' },
        virtualLocations: { meeting: { uri: meeting!.join_url } },
      })
      const moved = await visit(linkOf(made), { json: { action: 'reschedule', start: at('11:00'), timezone: 'UTC' } })
      t.match(moved, { status: 200, body: { video_url: meeting!.join_url } })
      t.match(await zoom.next(), {
        method: 'PATCH',
        path: `/v2/meetings/${meeting!.id}`,
        body: { start_time: `${MONDAY}T11:00:00Z` },
      })
      await settled()
      t.match(plain((await letters())[0]!), meeting!.join_url)
      await visit(linkOf(made), { json: { action: 'cancel' } })
      t.match(await zoom.next(), { method: 'DELETE' })
      await settled()
      t.equal(zoom.meetings.size, 0)
      t.notMatch(plain((await letters())[0]!), meeting!.join_url, 'nobody is sent to a meeting that is gone')
      t.equal(zoom.tokens.length, 1, 'one token for all of it')
    },
  )

  t.test('the booking stands when Zoom refuses, and the owner and the invitee are told', async (t) => {
    const path = await page({ name: 'Refused', conferencingProvider: 'zoom' })
    zoom.faults.push({ status: 400, body: { code: 300, message: 'User is not licensed.' } })
    const made = await book(path, at('12:00'))
    t.equal(made.status, 201)
    await zoom.next()
    await settled()
    const [letter] = await letters()
    t.match(letter!.header, /Subject: Confirmed/)
    t.match(plain(letter!), 'There is no link to the meeting yet. alice@example.test will tell you how to take part.')
    t.match(await inbox(), [{ subject: 'No meeting link: Refused: Jane Doe', preview: /User is not licensed/ }, {}, {}])
    t.match(await eventOf(/^Refused/), {
      status: 'confirmed',
      conferencing: { status: 'failed', note: /User is not licensed/ },
    })
    t.match((await visit(linkOf(made))).text, 'There is no link yet.')
    // Connected again, it is tried once more.
    const { provider: _provider, ...again } = ZOOM_CONNECTION
    await alice.call('ConferencingConnection/set', { update: { [zoomId]: again } })
    await zoom.next()
    await settled()
    const [late] = await letters()
    t.match(late!.header, /Subject: Link to the meeting/)
    t.match(plain(late!), 'To take part, open this link')
    await visit(linkOf(made), { json: { action: 'cancel' } })
    await zoom.next()
    await settled()
    await letters()
  })

  t.test('the confirmation goes without the link after a while, and the link follows', async (t) => {
    const path = await page({ name: 'Slow', conferencingProvider: 'zoom' })
    zoom.faults.push(
      { status: 500 },
      { status: 503, headers: { 'retry-after': '300' } },
      { status: 429, headers: { 'retry-after': '3600' } },
    )
    const made = await book(path, at('13:00'))
    await zoom.next()
    await settled()
    t.same(await letters(), [], 'it waits')
    clock.advance(BOOKING_LINK_WAIT_MS)
    await world.workOff()
    const [letter, ...more] = await letters()
    t.same(more, [])
    t.match(plain(letter!), 'The link to the meeting follows in another mail.')
    t.match((await visit(linkOf(made))).text, 'The link follows by mail.')
    await world.workOff()
    t.same(await letters(), [], 'once')
    await zoom.next()
    await settled()
    const count = zoom.requests.length
    clock.advance(299_000)
    await settled()
    t.equal(zoom.requests.length, count, 'it waits as long as Zoom asks')
    clock.advance(2_000)
    await zoom.next()
    await settled()
    clock.advance(3_600_000)
    await zoom.next()
    await settled()
    const [late, ...others] = await letters()
    t.same(others, [])
    t.match(late!.header, /Subject: Link to the meeting/)
    t.match(plain(late!), [...zoom.meetings.values()][0]!.join_url)
    await visit(linkOf(made), { json: { action: 'cancel' } })
    await zoom.next()
    await settled()
    await letters()
  })

  t.test('an answer that is lost makes no second meeting, and a deleted event none at all', async (t) => {
    const calendarIds = { [Object.keys((await events())[0].calendarIds)[0]!]: true }
    const timed = { calendarIds, start: `${MONDAY}T15:00:00`, timeZone: 'Etc/UTC', duration: 'PT1H' }
    const create = { e: { ...timed, title: 'Lost', conferencing: { provider: 'zoom' } } }
    zoom.faults.push('lost')
    const { created } = await alice.call('CalendarEvent/set', { create })
    t.match(created.e, { conferencing: { provider: 'zoom', status: 'pending' } })
    t.match(await zoom.next(), { method: 'POST' })
    await settled()
    t.equal(zoom.meetings.size, 1, 'control: Zoom has made it')
    clock.advance(MEETING_RETRY_MS[0]!)
    t.match(await zoom.next(), { method: 'GET' }, 'it is looked for')
    t.match(await zoom.next(), { method: 'PATCH' })
    await settled()
    t.equal(zoom.meetings.size, 1)
    const uri = [...zoom.meetings.values()][0]!.join_url
    t.match(await eventOf(/^Lost/), { virtualLocations: { meeting: { uri } } })
    await alice.call('CalendarEvent/set', { destroy: [created.e.id] })
    t.match(await zoom.next(), { method: 'DELETE' })
    await settled()
    // The event goes while nobody knows whether Zoom has made the meeting.
    zoom.faults.push('lost')
    const second = (await alice.call('CalendarEvent/set', { create })).created.e.id
    await zoom.next()
    await settled()
    t.equal(zoom.meetings.size, 1, 'control')
    await alice.call('CalendarEvent/set', { destroy: [second] })
    clock.advance(MEETING_RETRY_MS[0]!)
    t.match(await zoom.next(), { method: 'GET' })
    t.match(await zoom.next(), { method: 'DELETE' })
    await settled()
    t.equal(zoom.meetings.size, 0)
  })

  t.test('a Zoom that is silent holds up nobody', async (t) => {
    const path = await page({ name: 'Silent', conferencingProvider: 'zoom' })
    zoom.faults.push('silent')
    const [first, second] = [await book(path, at('09:00', '2026-01-07')), await book(path, at('10:00', '2026-01-07'))]
    await zoom.next()
    await zoom.next()
    // The answer to the second one has been recorded when its mail is there.
    let mails: Letter[] = []
    while (mails.length === 0) mails = await letters()
    t.equal(zoom.meetings.size, 1)
    t.match((await visit(linkOf(second))).text, 'https://us05web.zoom.example/j/')
    t.match((await visit(linkOf(first))).text, 'The link follows by mail.', 'control')
    clock.advance(ZOOM_REQUEST_MS)
    await settled()
    clock.advance(MEETING_RETRY_MS[0]!)
    t.match(await zoom.next(), { method: 'GET' })
    await settled()
    t.equal(zoom.meetings.size, 2)
    for (const booked of [first, second]) await visit(linkOf(booked), { json: { action: 'cancel' } })
    await settled()
    t.equal(zoom.meetings.size, 0)
    await letters()
  })

  t.test('nobody is asked for a mailbox that is deleted', async (t) => {
    const gone = await world.mailbox('gone')
    const calendarIds = { [(await gone.call('Calendar/get', { ids: null })).list[0].id]: true }
    await gone.call('ConferencingConnection/set', { create: { c: ZOOM_CONNECTION } })
    const event = { calendarIds, title: 'Gone', start: `${MONDAY}T09:00:00`, timeZone: 'Etc/UTC', duration: 'PT1H' }
    zoom.faults.push({ status: 500 })
    await gone.call('CalendarEvent/set', { create: { e: { ...event, conferencing: { provider: 'zoom' } } } })
    t.match(await zoom.next(), { method: 'POST' }, 'control')
    await settled()
    t.not(await core.meetings.nextAt(), null, 'control: it is due again')
    const { accountId } = world.organization
    await world.request([['MailAccount/set', { accountId, destroy: [gone.accountId] }]])
    t.equal(await core.meetings.nextAt(), null)
    const count = zoom.requests.length
    clock.advance(MEETING_RETRY_MS[0]!)
    await settled()
    t.equal(zoom.requests.length, count)
    t.same(await core.meetings.claim('other', 10, MEETING_LEASE_MS), [])
  })

  t.test('a worker that dies after the request leaves nothing behind', async (t) => {
    await worker.stop()
    const calendarIds = { [Object.keys((await events())[0].calendarIds)[0]!]: true }
    const timed = { calendarIds, start: `${MONDAY}T16:00:00`, timeZone: 'Etc/UTC', duration: 'PT1H' }
    const create = { e: { ...timed, title: 'Crash', conferencing: { provider: 'zoom' } } }
    const id = (await alice.call('CalendarEvent/set', { create })).created.e.id
    const [task, ...others] = await core.meetings.claim('dies', 10, MEETING_LEASE_MS)
    t.same(others, [])
    t.match(await zoomAt(t, zoom).keep(task!), { kind: 'kept' }, 'and it is never reported')
    zoom.drain()
    t.equal(zoom.meetings.size, 1, 'control')
    await alice.call('CalendarEvent/set', { destroy: [id] })
    worker.start()
    await settled()
    t.equal(zoom.meetings.size, 1, 'the lease of the dead one has not ended')
    clock.advance(MEETING_LEASE_MS)
    t.match(await zoom.next(), { method: 'GET' })
    t.match(await zoom.next(), { method: 'DELETE' })
    await settled()
    t.equal(zoom.meetings.size, 0)
    await core.meetings.report(task!, { kind: 'kept', remote: '1', joinUrl: 'https://late.example.com/' })
    t.equal(await core.meetings.nextAt(), null, 'a report that is too late has no effect')
  })

  t.test(
    'a meeting follows its event: a token that ends, a meeting that somebody deleted, the end of the provider',
    async (t) => {
      const calendarIds = { [Object.keys((await events())[0].calendarIds)[0]!]: true }
      const timed = { calendarIds, start: `${MONDAY}T17:00:00`, timeZone: 'Etc/UTC', duration: 'PT1H' }
      const create = { e: { ...timed, title: 'Follow', conferencing: { provider: 'zoom' } } }
      zoom.revoke()
      const tokens = zoom.tokens.length
      const { created } = await alice.call('CalendarEvent/set', { create })
      await zoom.next()
      await settled()
      t.equal(zoom.tokens.length, tokens + 1, 'another token')
      const update = (patch: object) => alice.call('CalendarEvent/set', { update: { [created.e.id]: patch } as never })
      await update({ description: 'Nothing for Zoom' })
      await settled()
      const first = [...zoom.meetings.keys()][0]!
      zoom.meetings.clear()
      await update({ title: 'Followed' })
      t.match(await zoom.next(), { method: 'PATCH', path: `/v2/meetings/${first}`, body: { topic: 'Followed' } })
      t.match(await zoom.next(), { method: 'POST' }, 'it is made anew')
      await settled()
      const [meeting] = [...zoom.meetings.values()]
      t.match(await eventOf(/^Followed/), { virtualLocations: { meeting: { uri: meeting!.join_url } } })
      await update({ recurrenceRule: { frequency: 'weekly' } })
      t.match((await zoom.next()).body, { type: 3 }, 'a series has one meeting without a fixed time')
      await settled()
      await update({ conferencing: null })
      t.match(await zoom.next(), { method: 'DELETE' })
      await settled()
      const followed = await eventOf(/^Followed/)
      t.same([followed.conferencing, followed.virtualLocations], [undefined, undefined])
      t.equal(zoom.meetings.size, 0)
      const page1 = await page({ name: 'Ended', conferencingProvider: 'zoom' })
      // An own file that comes back changes the meeting, and does not end it.
      const kept = (await alice.call('CalendarEvent/set', { create })).created.e.id
      await zoom.next()
      await settled()
      const { text } = await alice.call('CalendarEvent/export', {})
      const newer = text
        .replace('SUMMARY:Follow\r', 'SUMMARY:Imported\r')
        .replaceAll(/DTSTAMP:\w+/g, 'DTSTAMP:20261231T000000Z')
      await alice.call('CalendarEvent/import', { 'data:asBase64': Buffer.from(newer).toString('base64') })
      t.match(await zoom.next(), { method: 'PATCH', body: { topic: 'Imported' } })
      await settled()
      t.match(await eventOf(/^Imported/), { conferencing: { status: 'ready' } })
      await alice.call('CalendarEvent/set', { destroy: [kept] })
      t.match(await zoom.next(), { method: 'DELETE' })
      await settled()
      await alice.call('ConferencingConnection/set', { destroy: [zoomId] })
      const { body } = await book(page1, at('09:00', '2026-01-06'))
      t.equal(body.status, 'confirmed', 'a page whose provider is disconnected books without links')
      const [letter] = await letters()
      t.match(letter!.header, /Confirmed/)
      t.notMatch(plain(letter!), /link to the meeting|take part/)
    },
  )
})
