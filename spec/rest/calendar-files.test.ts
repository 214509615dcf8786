// Decision D32
import t from 'tap'
import { IMPORT_MAX_BYTES } from '../../server/base/calendar-exchange-limits.ts'
import { REST_HERE_MAX_BYTES } from '../../server/base/limits.ts'
import { faults, startApi } from '../support/rest-api.ts'

const FILE = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Example//EN',
  'BEGIN:VEVENT',
  'UID:lunch',
  'DTSTAMP:20260101T000000Z',
  'DTSTART;TZID=Europe/Berlin:20260302T120000',
  'SUMMARY:Lunch',
  'ATTENDEE:mailto:bob@example.org',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:broken',
  'DTSTAMP:20260101T000000Z',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n')

t.test('calendar files', async (t) => {
  const { ask, mailbox, key, stranger } = await startApi(t)
  const ada = await mailbox('ada')
  const of = `mailbox=${encodeURIComponent(ada.address)}`
  const send = (raw: string, query = of, more: object = {}) =>
    ask('POST', `/v1/calendar/ics?${query}`, { raw, headers: { 'Content-Type': 'text/calendar' }, ...more })
  const read = (query = of, more: object = {}) => ask('GET', `/v1/calendar/ics?${query}`, more)

  await t.test('a file is imported once, and exported', async (t) => {
    const imported = await send(FILE)
    t.equal(imported.status, 200)
    t.same(imported.body, {
      object: 'calendar_import',
      mailbox: ada.address,
      calendar_id: (await ada.call('Calendar/get', { ids: null })).list[0].id,
      created: 1,
      updated: 0,
      skipped: 0,
      failed: [{ uid: 'broken', message: 'Line 11: The VEVENT has no DTSTART that can be read.' }],
      failed_count: 1,
    })
    t.match((await send(FILE)).body, { created: 0, updated: 0, skipped: 1, failed_count: 1 })
    t.same((await ada.call('EmailSubmission/query', {})).ids, [], 'nobody is invited')
    const exported = await read()
    t.equal(exported.status, 200)
    t.match(Object.fromEntries(exported.headers), {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'attachment; filename="ada@example.test.ics"; filename*=UTF-8\'\'ada%40example.test.ics',
      'cache-control': 'private, no-cache',
    })
    t.match(exported.text, /^BEGIN:VCALENDAR\r\n[\s\S]*BEGIN:VTIMEZONE[\s\S]*UID:lunch[\s\S]*END:VCALENDAR\r\n$/)
    const tag = exported.headers.get('etag')!
    t.equal((await read(of, { headers: { 'If-None-Match': tag } })).status, 304)
    t.equal((await ask('HEAD', `/v1/calendar/ics?${of}`)).text, '')
    await send(FILE.replaceAll('lunch', 'dinner'))
    t.equal((await read(of, { headers: { 'If-None-Match': tag } })).status, 200)
  })

  await t.test('events are imported into the named calendar, and exported from it', async (t) => {
    const { created } = await ada.call('Calendar/set', { create: { w: { name: 'Work / Büro' } } })
    const work = `${of}&calendar_id=${created.w.id}`
    t.match((await send(FILE.replaceAll('lunch', 'meeting'), work)).body, { created: 1, calendar_id: created.w.id })
    const { text, headers } = await read(work)
    t.match(text, 'UID:meeting')
    t.notMatch(text, 'UID:lunch')
    t.match(headers.get('content-disposition'), "filename*=UTF-8''Work%20_%20B%C3%BCro.ics")
    t.same(faults(await send(FILE, `${of}&calendar_id=cal_none`)), [['calendar_id', 'unknown_reference']])
    t.same(faults(await read(`${of}&calendar_id=cal_none`)), [['calendar_id', 'unknown_reference']])
  })

  await t.test('what is no calendar is refused', async (t) => {
    const refused = await send('Dear Ada')
    t.same([refused.status, refused.body.error.message], [422, 'The text has no VCALENDAR.'])
    t.equal((await send('')).status, 422)
    const json = { raw: FILE, headers: { 'Content-Type': 'application/json' } }
    t.equal((await ask('POST', `/v1/calendar/ics?${of}`, json)).status, 415)
    const packed = { headers: { 'Content-Type': 'text/calendar', 'Content-Encoding': 'gzip' } }
    t.equal((await send(FILE, of, packed)).status, 415)
    t.equal((await send('x'.repeat(IMPORT_MAX_BYTES + 1))).status, 413)
    const large = FILE.replace('SUMMARY:Lunch', `SUMMARY:Lunch\r\nX-NOTE:${'x'.repeat(REST_HERE_MAX_BYTES)}`)
    t.equal((await send(large.replaceAll('lunch', 'large'))).body.created, 1, 'control')
  })

  await t.test('files and feeds need their scope and the mailbox', async (t) => {
    const bob = await mailbox('bob')
    const limited = await key(['calendar:read', 'calendar:write'], { mailboxIds: [bob.accountId] })
    const foreign = (await stranger()).key
    const reader = await key(['calendar:read'])
    const feed = { body: { mailbox: ada.address } }
    const makeFeed = (more: object) => ask('POST', '/v1/calendar/feeds', { ...feed, ...more })
    t.equal((await read(of, { key: limited })).body.error.code, 'mailbox_access_denied')
    t.equal((await send(FILE, of, { key: limited })).body.error.code, 'mailbox_access_denied')
    t.equal((await makeFeed({ key: limited })).body.error.code, 'mailbox_access_denied')
    t.equal((await read(of, { key: foreign })).status, 404)
    t.equal((await send(FILE, of, { key: foreign })).status, 404)
    t.equal((await send(FILE, of, { key: reader })).body.error.code, 'missing_scope')
    t.equal((await makeFeed({ key: reader })).body.error.code, 'missing_scope')
    t.equal((await read(of, { key: reader })).status, 200, 'control')
  })

  await t.test('a feed is made, listed without its URL, and deleted', async (t) => {
    const calendarId = (await ada.call('Calendar/get', { ids: null })).list[0].id
    const body = { mailbox: ada.address, calendar_id: calendarId }
    const made = await ask('POST', '/v1/calendar/feeds', { body })
    t.equal(made.status, 201)
    const { url, ...shown } = made.body
    t.match(shown, { object: 'calendar_feed', id: /^cfd_/, mailbox: ada.address, calendar_id: calendarId })
    t.match(url, /^https:\/\/mail\.example\.test\/calendar\/feeds\/[0-9a-z]+-[0-9a-z]+-[\w-]{43}\.ics$/)
    const list = async () => (await ask('GET', `/v1/calendar/feeds?${of}`)).body.data
    t.same(await list(), [shown])
    t.same((await ask('GET', `/v1/calendar/feeds/${shown.id}?${of}`)).body, shown)
    const unknown = { body: { ...body, calendar_id: 'cal_none' } }
    t.same(faults(await ask('POST', '/v1/calendar/feeds', unknown)), [['calendar_id', 'unknown_reference']])
    t.equal((await ask('DELETE', `/v1/calendar/feeds/${shown.id}?${of}`)).status, 204)
    t.equal((await ask('DELETE', `/v1/calendar/feeds/${shown.id}?${of}`)).status, 404)
    t.same(await list(), [])
  })
})
