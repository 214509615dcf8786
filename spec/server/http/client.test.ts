import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import t from 'tap'
import { createClientView } from '../../../server/http/client.ts'

function request(remoteAddress: string, headers: IncomingHttpHeaders = {}): IncomingMessage {
  return {
    headers,
    socket: { remoteAddress, localAddress: '127.0.0.1', localPort: 8080 },
  } as unknown as IncomingMessage
}

const FORWARDED = {
  'x-forwarded-for': '203.0.113.9, 198.51.100.1, 10.1.1.1',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'mail.example.com',
  host: 'internal:8080',
}

t.test('an untrusted client cannot choose its own address', async (t) => {
  for (const trusted of [['10.0.0.0/8'], []]) {
    const view = createClientView(trusted, null)
    t.equal(view.ip(request('192.0.2.1', FORWARDED)), '192.0.2.1')
    t.equal(view.baseUrl(request('192.0.2.1', FORWARDED)), 'http://internal:8080')
    t.equal(view.trusts('192.0.2.1'), false)
  }
})

t.test('behind trusted proxies the last untrusted address counts', async (t) => {
  const view = createClientView(['10.0.0.0/8'], null)
  t.equal(view.ip(request('10.2.2.2', FORWARDED)), '198.51.100.1')
  t.equal(view.ip(request('::ffff:10.2.2.2', FORWARDED)), '198.51.100.1')
  t.equal(view.baseUrl(request('10.2.2.2', FORWARDED)), 'https://mail.example.com')
})

t.test('without an address from the proxy, the proxy is the client', async (t) => {
  const view = createClientView(['10.0.0.0/8'], null)
  t.equal(view.ip(request('10.2.2.2')), '10.2.2.2')
  t.equal(view.ip(request('10.2.2.2', { 'x-forwarded-for': 'unknown' })), '10.2.2.2')
})

t.test("the operator's base URL takes precedence", async (t) => {
  const view = createClientView([], 'https://mail.example.org')
  t.equal(view.baseUrl(request('192.0.2.1', { host: 'other' })), 'https://mail.example.org')
})

t.test('an invalid host does not get into URLs', async (t) => {
  const view = createClientView([], null)
  for (const host of ['a/b', 'user@host', 'a b', '"', undefined])
    t.equal(view.baseUrl(request('192.0.2.1', { host })), 'http://127.0.0.1:8080')
  t.equal(view.baseUrl(request('192.0.2.1', { host: '[::1]:8080' })), 'http://[::1]:8080')
})
