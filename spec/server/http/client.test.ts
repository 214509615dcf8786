import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import t from 'tap'
import { createClientView } from '../../../server/http/client.ts'

function request(remoteAddress: string, headers: IncomingHttpHeaders = {}): IncomingMessage {
  return {
    headers,
    socket: { remoteAddress, localAddress: '127.0.0.1', localPort: 8080 },
  } as unknown as IncomingMessage
}

const OWN = { baseUrl: null, hostname: 'mx.example.net', isDev: false }
const DEV = { ...OWN, isDev: true }

const FORWARDED = {
  'x-forwarded-for': '203.0.113.9, 198.51.100.1, 10.1.1.1',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'mail.example.com',
  host: 'internal:8080',
}

t.test('an untrusted client cannot choose its own address', async (t) => {
  for (const trusted of [['10.0.0.0/8'], []]) {
    const view = createClientView(trusted, OWN)
    t.equal(view.ip(request('192.0.2.1', FORWARDED)), '192.0.2.1')
    t.equal(view.baseUrl(request('192.0.2.1', FORWARDED)), 'http://mx.example.net:8080')
    t.equal(view.trusts('192.0.2.1'), false)
  }
})

t.test('behind trusted proxies the last untrusted address counts', async (t) => {
  const view = createClientView(['10.0.0.0/8'], OWN)
  t.equal(view.ip(request('10.2.2.2', FORWARDED)), '198.51.100.1')
  t.equal(view.ip(request('::ffff:10.2.2.2', FORWARDED)), '198.51.100.1')
  t.equal(view.baseUrl(request('10.2.2.2', FORWARDED)), 'https://mx.example.net')
})

t.test('without an address from the proxy, the proxy is the client', async (t) => {
  const view = createClientView(['10.0.0.0/8'], OWN)
  t.equal(view.ip(request('10.2.2.2')), '10.2.2.2')
  t.equal(view.ip(request('10.2.2.2', { 'x-forwarded-for': 'unknown' })), '10.2.2.2')
})

t.test("the operator's base URL takes precedence", async (t) => {
  const view = createClientView([], { ...DEV, baseUrl: 'https://mail.example.org' })
  t.equal(view.baseUrl(request('192.0.2.1', { host: 'other' })), 'https://mail.example.org')
})

t.test('the host that the client names does not get into URLs', async (t) => {
  for (const [own, url] of [
    [OWN, 'http://mx.example.net:8080'],
    // Nobody can look up the name of dev mode.
    [DEV, 'http://127.0.0.1:8080'],
  ] as const) {
    const view = createClientView([], own)
    for (const host of [
      'evil.example',
      'evil.example:8080',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'a/b',
      'user@host',
      undefined,
    ])
      t.equal(view.baseUrl(request('192.0.2.1', { host })), url, `${host}`)
  }
})

t.test('loopback names are repeated in dev mode only', async (t) => {
  const [dev, production] = [createClientView([], DEV), createClientView([], OWN)]
  for (const host of ['localhost:8080', 'app.localhost', '127.0.0.1:18080', '127.1.2.3', '[::1]:8080']) {
    t.equal(dev.baseUrl(request('127.0.0.1', { host })), `http://${host}`)
    t.equal(production.baseUrl(request('127.0.0.1', { host })), 'http://mx.example.net:8080')
  }
})
