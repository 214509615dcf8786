// Decision record 0038
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { FEED_READS_PER_MINUTE } from '../../../server/base/calendar-exchange-limits.ts'
import type { Logger } from '../../../server/base/logger.ts'
import { updateAccount } from '../../../storage/repos/accounts.ts'
import { startHttp } from '../../support/http-server.ts'

t.test('feeds of calendars', async (t) => {
  const lines: string[] = []
  const line = (fields: object) => void lines.push(JSON.stringify(fields))
  const logger: Logger = { debug: line, info: line, warn: line, error: line, child: () => logger }
  let pages = 0
  const http = await startHttp(t, {
    logger,
    around: (core) => ({
      ...core,
      calendarFeeds: {
        ...core.calendarFeeds,
        page: (...args) => {
          pages++
          return core.calendarFeeds.page(...args)
        },
      },
    }),
  })
  const { alice, url, clock, request, organization, store } = http
  const calendarIds = { [(await alice.call('Calendar/get', { ids: null })).list[0].id]: true }
  const add = async (title: string) => {
    const create = { e: { calendarIds, title, start: '2026-03-01T09:00:00', timeZone: 'Europe/Berlin' } }
    return (await alice.call('CalendarEvent/set', { create })).created.e.id as string
  }
  const make = async () => {
    const { created } = await alice.call('CalendarFeed/set', { create: { f: {} } })
    return { id: created.f.id as string, path: created.f.path as string }
  }
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url + path, { method, headers: { 'Accept-Encoding': 'identity', ...headers } })
  const first = await add('First')
  const { id, path } = await make()

  await t.test('a feed is a calendar for whoever knows its URL', async (t) => {
    clock.advance(10_000)
    const answer = await ask(path)
    t.equal(answer.status, 200)
    t.match(Object.fromEntries(answer.headers), {
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      etag: /^"[^"]+"$/,
      'last-modified': /GMT$/,
    })
    t.match(await answer.text(), /^BEGIN:VCALENDAR[\s\S]*REFRESH-INTERVAL;VALUE=DURATION:PT1H[\s\S]*SUMMARY:First/)
    const head = await ask(path, {}, 'HEAD')
    t.same([head.status, await head.text(), head.headers.get('etag')], [200, '', answer.headers.get('etag')])
    t.equal((await ask(path, {}, 'POST')).status, 405)
    t.equal((await ask('/calendar/feeds/nothing.ics')).status, 404)
    t.equal((await ask(path.replace(/.{10}\.ics$/, 'AAAAAAAAAA.ics'))).status, 404)
  })

  await t.test('it is made anew only when an event has changed', async (t) => {
    const before = await ask(path)
    const [tag, modified] = [before.headers.get('etag')!, before.headers.get('last-modified')!]
    const made = pages
    t.equal((await ask(path, { 'If-None-Match': tag })).status, 304)
    t.equal((await ask(path, { 'If-None-Match': `W/${tag}, "other"` })).status, 304)
    t.equal((await ask(path, { 'If-Modified-Since': modified })).status, 304)
    t.equal((await ask(path, { 'If-None-Match': '"other"', 'If-Modified-Since': modified })).status, 200)
    t.equal(pages, made, 'from memory')
    await add('Second')
    const after = await ask(path, { 'If-None-Match': tag })
    t.equal(after.status, 200)
    t.match(await after.text(), 'SUMMARY:Second')
    t.ok(pages > made)
    t.equal(after.headers.get('last-modified'), null, 'another change may come in the same second')
    clock.advance(2_000)
    t.not((await ask(path)).headers.get('last-modified'), modified)
    t.equal((await ask(path, { 'If-Modified-Since': modified })).status, 200)
    await alice.call('CalendarEvent/set', { destroy: [first] })
    t.notMatch(await (await ask(path)).text(), 'SUMMARY:First')
  })

  await t.test('it is compressed for clients that can read that', async (t) => {
    const { promise, resolve } = Promise.withResolvers<Buffer>()
    const { get } = await import('node:http')
    get(url + path, { headers: { 'Accept-Encoding': 'gzip' } }, async (response) => {
      t.equal(response.headers['content-encoding'], 'gzip')
      t.equal(response.headers.vary, 'Accept-Encoding')
      resolve(Buffer.concat(await response.toArray()))
    })
    const plain = await ask(path)
    t.equal(plain.headers.get('content-length'), null, 'what is unpacked is sent as it comes, not held as a whole')
    t.equal(gunzipSync(await promise).toString(), await plain.text())
  })

  await t.test('requests for the same text wait for one', async (t) => {
    await add('Third')
    const made = pages
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(path)))
    t.ok(answers.every(({ status }) => status === 200))
    t.equal(pages, made + 1)
  })

  await t.test('its secret is in no log', async (t) => {
    const secret = path.slice(-20, -4)
    t.ok(lines.some((one) => one.includes('/calendar/feeds/...')))
    t.same(
      lines.filter((one) => one.includes(secret)),
      [],
    )
    await fetch(`${url}/book/manage/secret-of-an-invitee`)
    t.ok(lines.some((one) => one.includes('/book/manage/...')))
    t.same(
      lines.filter((one) => one.includes('secret-of-an-invitee')),
      [],
    )
  })

  await t.test('it ends when it is revoked, and when its mailbox is suspended or deleted', async (t) => {
    const other = await make()
    t.equal((await ask(other.path)).status, 200)
    await alice.call('CalendarFeed/set', { destroy: [id] })
    t.equal((await ask(path)).status, 404)
    t.equal((await ask(other.path)).status, 200, 'control')
    for (const suspended of [alice.account, organization.account]) {
      await store.write([], (unit) => updateAccount(unit, suspended, { suspended_at: 1 }))
      t.equal((await ask(other.path)).status, 404)
      await store.write([], (unit) => updateAccount(unit, suspended, { suspended_at: null }))
      t.equal((await ask(other.path)).status, 200, 'control')
    }
    await request([['MailAccount/set', { accountId: organization.accountId, destroy: [alice.accountId] }]])
    t.equal((await ask(other.path)).status, 404)
  })

  await t.test('a client gets a number of answers in a minute', async (t) => {
    clock.advance(60_000)
    const statuses: number[] = []
    for (let n = 0; n <= FEED_READS_PER_MINUTE; n++) statuses.push((await ask('/calendar/feeds/nothing.ics')).status)
    t.equal(statuses.indexOf(429), FEED_READS_PER_MINUTE)
    const refused = await ask('/calendar/feeds/nothing.ics')
    t.match(refused.headers.get('retry-after'), /^\d+$/)
    clock.advance(60_000)
    t.equal((await ask('/calendar/feeds/nothing.ics')).status, 404)
  })
})
