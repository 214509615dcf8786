/** Tokens in the URLs of a session (decision 0030): for what browsers load without Authorization. */
import { get } from 'node:http'
import { format } from 'node:util'
import t from 'tap'
import { makeUrlToken, readUrlToken, type UrlUse } from '../../../jmap/type/url-token.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { Keyring } from '../../../server/base/keyring.ts'
import type { Logger } from '../../../server/base/logger.ts'
import { URL_TOKEN_SECONDS } from '../../../server/base/login-limits.ts'
import { SYSTEM } from '../../../server/base/principal.ts'
import { mail } from '../../jmap/mails.ts'
import type { Result, TestMailbox } from '../../support/core.ts'
import { eventStream } from '../../support/event-stream.ts'
import { basic, startHttp, type TestHttp } from '../../support/http-server.ts'

/** Promise A6 names 100,000. */
const MUTATIONS = Number(process.env['MUTATIONS'] ?? 10_000)

interface Urls {
  readonly download: (accountId: string, blobId: string) => string
  readonly events: string
  readonly downloadToken: string
  readonly eventsToken: string
}

async function urlsOf(http: TestHttp, authorization: string): Promise<Urls> {
  const session = await http.ask('/jmap/session', { headers: { Authorization: authorization } })
  const { downloadUrl, eventSourceUrl } = (await session.json()) as { downloadUrl: string; eventSourceUrl: string }
  const tokenOf = (url: string) => new URL(url.replaceAll(/[{}]/g, '')).searchParams.get('token')!
  return {
    download: (accountId, blobId) =>
      downloadUrl
        .replace('{accountId}', accountId)
        .replace('{blobId}', blobId)
        .replace('{name}', 'a.txt')
        .replace('{type}', 'text/plain'),
    events: eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'no').replace('{ping}', '0'),
    downloadToken: tokenOf(downloadUrl),
    eventsToken: tokenOf(eventSourceUrl),
  }
}

async function blobOf(box: TestMailbox): Promise<string> {
  return (await box.call('Email/get', { ids: [await box.receive(mail({ subject: 'Secret' }))] })).list[0].blobId
}

/** Without Authorization, on a connection of its own. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (response) => {
      resolve(response.statusCode!)
      response.destroy()
    })
    request.on('error', reject)
  })
}

t.test('requests of a browser without Authorization', async (t) => {
  const http = await startHttp(t)
  const { alice, login } = http
  const urls = await urlsOf(http, login)
  const blobId = await blobOf(alice)

  t.test('a download needs only its URL', async (t) => {
    const answer = await fetch(urls.download(alice.accountId, blobId))
    t.equal(answer.status, 200)
    t.match(await answer.text(), 'Secret')
    t.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    t.match(answer.headers.get('cache-control'), /^private\b/)
    const part = await fetch(urls.download(alice.accountId, blobId), { headers: { Range: 'bytes=0-3' } })
    t.equal(part.status, 206)
    t.equal((await fetch(urls.download(alice.accountId, blobId), { method: 'HEAD' })).status, 200)
    t.equal(await statusOf(urls.download(alice.accountId, blobId).replace(/&token=.*/, '')), 401, 'control')
  })

  t.test('an event source needs only its URL, and gets changes', async (t) => {
    const stream = eventStream(t, await fetch(urls.events))
    await alice.receive(mail())
    t.same(Object.keys((await stream.nextEvent())?.data.changed), [alice.accountId])
    t.equal(await statusOf(urls.events.replace(/&token=.*/, '')), 401, 'control')
  })

  t.test('no other resource accepts a token', async (t) => {
    for (const token of [urls.downloadToken, urls.eventsToken])
      for (const path of [
        '/jmap/session',
        '/.well-known/jmap',
        '/jmap/api',
        `/jmap/upload/${alice.accountId}`,
        '/v1/domains',
      ]) {
        const method = /api|upload/.test(path) ? 'POST' : 'GET'
        const answer = await fetch(`${http.url}${path}?token=${token}`, {
          method,
          ...(method === 'POST' && { body: '{}' }),
        })
        t.equal(answer.status, 401, path)
      }
  })

  t.test('Authorization takes precedence over the token', async (t) => {
    const wrong = { headers: { Authorization: basic(alice.address, 'not it') } }
    t.equal((await fetch(urls.download(alice.accountId, blobId), wrong)).status, 401)
    const broken = `${urls.download(alice.accountId, blobId)}x`
    t.equal((await fetch(broken, { headers: { Authorization: login } })).status, 200)
  })

  t.test('a refusal contains no token, and no browser asks for a password', async (t) => {
    const answer = await fetch(urls.download(alice.accountId, blobId).replace(/.$/, '~'))
    t.equal(answer.status, 401)
    t.notMatch(answer.headers.get('www-authenticate'), 'Basic')
    const told = JSON.stringify([...answer.headers]) + (await answer.text())
    t.notOk(told.includes(urls.downloadToken.slice(0, -1)))
    t.notOk(told.includes('token='))
  })

  t.test('the tokens do not change the state of the session', async (t) => {
    const state = async () => ((await (await http.ask('/jmap/session')).json()) as Result).state
    const before = await state()
    const later = await urlsOf(http, login)
    t.equal(await state(), before)
    t.ok(later.downloadToken)
  })
})

t.test('lifetimes of tokens', async (t) => {
  t.test(
    'a token of downloads is valid for an hour, one of the event source for a day; open streams continue',
    async (t) => {
      const http = await startHttp(t)
      const { alice, clock } = http
      const urls = await urlsOf(http, http.login)
      const url = urls.download(alice.accountId, await blobOf(alice))
      clock.advance(URL_TOKEN_SECONDS.download * 1000 - 1000)
      t.equal(await statusOf(url), 200)
      clock.advance(1000)
      t.equal(await statusOf(url), 401)
      const again = await urlsOf(http, http.login)
      t.equal(await statusOf(again.download(alice.accountId, await blobOf(alice))), 200, 'the session has new ones')
      const stream = eventStream(t, await fetch(urls.events))
      clock.advance((URL_TOKEN_SECONDS.events - URL_TOKEN_SECONDS.download) * 1000 - 1000)
      t.equal(await statusOf(urls.events), 200)
      clock.advance(1000)
      t.equal(await statusOf(urls.events), 401)
      await alice.receive(mail())
      t.ok(await stream.nextEvent())
    },
  )

  t.test('the session tells the lifetimes in seconds', async (t) => {
    const http = await startHttp(t)
    const { capabilities } = (await (await http.ask('/jmap/session')).json()) as Result
    t.same(capabilities['urn:posthouse:params:jmap:service'], { urlTokenSeconds: { download: 3600, events: 86_400 } })
  })

  t.test('a token ends with the password', async (t) => {
    const http = await startHttp(t)
    const { alice, request, organization } = http
    const urls = await urlsOf(http, http.login)
    const url = urls.download(alice.accountId, await blobOf(alice))
    t.same([await statusOf(url), await statusOf(urls.events)], [200, 200], 'control')
    const update = { [alice.accountId]: { password: 'Another123' } }
    await request([['MailAccount/set', { accountId: organization.accountId, update }]])
    t.same([await statusOf(url), await statusOf(urls.events)], [401, 401])
    const fresh = await urlsOf(http, basic(alice.address, 'Another123'))
    t.equal(await statusOf(fresh.events), 200)
  })

  t.test('a token ends with the key, and opens only what the key does', async (t) => {
    const http = await startHttp(t)
    const { alice, request, organization } = http
    const blobId = await blobOf(alice)
    const bob = await http.mailbox('bob')
    const theirs = await blobOf(bob)
    const { id, key } = await http.key({ scopes: ['messages:read'], mailboxIds: [alice.accountId] })
    const urls = await urlsOf(http, `Bearer ${key}`)
    t.equal(await statusOf(urls.download(alice.accountId, blobId)), 200)
    t.equal(await statusOf(urls.download(bob.accountId, theirs)), 404)
    await request([['ApiKey/set', { accountId: organization.accountId, destroy: [id] }]])
    t.equal(await statusOf(urls.download(alice.accountId, blobId)), 401)
    const brief = await http.key({ scopes: ['messages:read'], expiresAt: '2026-01-01T00:10:00Z' })
    const brieflyUrls = await urlsOf(http, `Bearer ${brief.key}`)
    t.equal(await statusOf(brieflyUrls.download(alice.accountId, blobId)), 200)
    http.clock.advance(600_000)
    t.equal(await statusOf(brieflyUrls.download(alice.accountId, blobId)), 401)
  })
})

t.test('a token is for one use', async (t) => {
  const http = await startHttp(t)
  const { alice } = http
  const urls = await urlsOf(http, http.login)
  const url = urls.download(alice.accountId, await blobOf(alice))
  t.equal(await statusOf(url.replace(urls.downloadToken, urls.eventsToken)), 401)
  t.equal(await statusOf(urls.events.replace(urls.eventsToken, urls.downloadToken)), 401)
  t.same([await statusOf(url), await statusOf(urls.events)], [200, 200], 'control')
})

t.test('logs contain no token', async (t) => {
  const lines: string[] = []
  const line = (...parts: unknown[]) => lines.push(format(...parts.map((part) => JSON.stringify(part))))
  const logger: Logger = { debug: line, info: line, warn: line, error: line, child: () => logger }
  const http = await startHttp(t, { logger })
  const { alice } = http
  const urls = await urlsOf(http, http.login)
  const url = urls.download(alice.accountId, await blobOf(alice))
  for (const one of [
    url,
    urls.events,
    url.replace(alice.accountId, 'x'),
    url.replace('/download/', '/nothing/'),
    `${url}~`,
  ])
    await statusOf(one)
  await fetch(url, { method: 'DELETE' })
  t.ok(
    lines.some((text) => text.includes('/jmap/download/')),
    'control',
  )
  t.same(
    lines.filter((text) => text.includes(urls.downloadToken) || text.includes(urls.eventsToken)),
    [],
  )
})

t.test('no changed token is accepted (promise A6)', async (t) => {
  const keyring = new Keyring([new Uint8Array(32).fill(7)])
  const clock = new ManualClock()
  const principal = { ...SYSTEM, credential: 'mbx_abcdefghijklmnop', stamp: 'stamp' }
  const token = makeUrlToken({ keyring, clock }, principal, 'download')!
  const isRead = (text: string, use: UrlUse = 'download', by = keyring) => readUrlToken(by, text, use) !== null
  t.ok(isRead(token), 'control')
  t.notOk(isRead(token, 'events'))
  t.notOk(isRead(token, 'download', new Keyring([new Uint8Array(32).fill(8)])), 'of another installation')
  t.ok(isRead(token, 'download', new Keyring([new Uint8Array(32).fill(8), new Uint8Array(32).fill(7)])), 'an older key')
  t.equal(makeUrlToken({ keyring, clock }, SYSTEM, 'download'), null)
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.'
  let opened = 0
  let tried = 0
  for (let at = 0; tried < MUTATIONS; at++) {
    const place = at % token.length
    const length = at % 3
    const letter = letters[Math.floor(at / token.length) % letters.length]!
    const changed = token.slice(0, place) + letter.repeat(length) + token.slice(place + (at % 2))
    if (changed === token) continue
    tried++
    if (isRead(changed)) opened++
  }
  t.equal(opened, 0)
})
