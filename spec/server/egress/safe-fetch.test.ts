import { createServer, type RequestListener } from 'node:http'
import type { LookupFunction } from 'node:net'
import t, { type Test } from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { Egress, type EgressError, type EgressRequest } from '../../../server/egress/safe-fetch.ts'
import { listenOnLoopback } from '../../support/loopback-server.ts'
import { leadingTo } from '../../support/webhooks.ts'

/** A listener on loopback that counts connections. */
async function startCanary(t: Test, answer: RequestListener = (_request, response) => response.end('hello')) {
  const seen: string[] = []
  let connections = 0
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`)
    answer(request, response)
  })
  server.on('connection', () => connections++)
  const port = await listenOnLoopback(t, server)
  return { port, url: `http://127.0.0.1:${port}`, seen, connections: () => connections }
}

function egress(
  t: Test,
  options: { allowLoopback?: boolean; allowInside?: boolean; lookup?: LookupFunction; clock?: ManualClock } = {},
) {
  const made = new Egress({ clock: new ManualClock(), ...options })
  t.teardown(() => made.close())
  const fetch = (url: string, request: EgressRequest = {}) =>
    made.fetch(url, { protocols: ['http:', 'https:'], ...request })
  const fault = (url: string, request?: EgressRequest) =>
    fetch(url, request).then(
      ({ status }) => `answered ${status}`,
      (error: EgressError) => error.fault,
    )
  return { made, fetch, fault }
}

t.test('internal addresses are refused in every spelling, and no connection is made', async (t) => {
  const canary = await startCanary(t)
  const { fault } = egress(t)
  const { port } = canary
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.0.0.1.', '0.0.0.0', '0', '[::1]', '[::]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fd00::1]'],
    ...['[fc00::1]', '[2001:db8::1]', '[ff02::1]', '[::7f00:1]', '10.0.0.1', '172.16.0.1', '172.31.255.255'],
    ...['192.168.1.1', '100.64.0.1', '169.254.169.254', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1'],
    ...['203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', 'localhost', 'LOCALHOST'],
  ]
  for (const host of hosts) t.equal(await fault(`http://${host}:${port}/`), 'refused', host)
  // Whether this name exists depends on the resolver.
  t.match(await fault(`http://localhost.:${port}/`), /^(refused|failed)$/)
  t.equal(canary.connections(), 0)
  const open = egress(t, { allowLoopback: true })
  t.equal((await open.fetch(canary.url)).body.toString(), 'hello', 'control')
})

t.test('an operator may name services with internal addresses', async (t) => {
  const canary = await startCanary(t)
  const { fault } = egress(t, { allowInside: true, lookup: leadingTo(['127.0.0.1']) })
  t.equal(await fault(canary.url), 'answered 200')
  t.equal(await fault(`http://filter.internal.example:${canary.port}/`), 'answered 200')
  t.equal(await fault(`ftp://127.0.0.1:${canary.port}/`), 'refused')
})

t.test('an address that is not a plain web URL is refused', async (t) => {
  const canary = await startCanary(t)
  const { made, fault } = egress(t, { allowLoopback: true })
  for (const url of [
    ...[
      'file:///etc/passwd',
      'gopher://127.0.0.1/',
      'ftp://127.0.0.1/',
      'unix:/tmp/x',
      'javascript:1',
      '/x',
      '',
      'http://',
    ],
    `http://user@127.0.0.1:${canary.port}/`,
    `http://example.com@127.0.0.1:${canary.port}/`,
    ...['http://127.0.0.1:25/', 'http://127.0.0.1:22/', 'http://127.0.0.1:6379/', 'http://127.0.0.1:5432/'],
    `http://127.0.0.1:${canary.port}/${'x'.repeat(3_000)}`,
  ])
    t.equal(await fault(url), 'refused', url.slice(0, 40))
  const plain = await made.fetch(canary.url).catch((error: EgressError) => error.fault)
  t.equal(plain, 'refused', 'http where only https may be')
  t.equal(canary.connections(), 0)
})

t.test('a line break in a URL is refused', async (t) => {
  const canary = await startCanary(t)
  const { fetch } = egress(t, { allowLoopback: true })
  await fetch(`${canary.url}/a\r\nX-Evil: 1`)
  t.same(canary.seen, ['GET /aX-Evil:%201 -'])
})

t.test('names', async (t) => {
  const canary = await startCanary(t)
  const { port } = canary

  t.test('that resolve to internal addresses are refused, even if only one address is internal', async (t) => {
    const inside = [['127.0.0.1'], ['10.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::1'], ['::ffff:127.0.0.1']]
    for (const addresses of inside) {
      const { fault } = egress(t, { lookup: leadingTo(addresses) })
      t.equal(await fault(`http://evil.test:${port}/`), 'refused', addresses.join())
    }
    t.equal(canary.connections(), 0)
    const open = egress(t, { lookup: leadingTo(['127.0.0.1']), allowLoopback: true })
    t.equal((await open.fetch(`http://good.test:${port}/`)).status, 200, 'control')
  })

  t.test('are looked up once, and the connection goes to the found address', async (t) => {
    const rebinding = egress(t, { lookup: leadingTo(['127.0.0.1'], ['10.0.0.1']), allowLoopback: true })
    t.equal((await rebinding.fetch(`http://rebinding.test:${port}/`)).status, 200)
    const before = canary.connections()
    const other = egress(t, { lookup: leadingTo(['127.0.0.1'], ['93.184.216.34']) })
    t.equal(await other.fault(`http://rebinding.test:${port}/`), 'refused')
    t.equal(canary.connections(), before)
  })
})

t.test('redirects', async (t) => {
  const other = await startCanary(t)
  const canary = await startCanary(t, (request, response) => {
    const to: { [path: string]: [number, string] } = {
      '/once': [302, '/end'],
      '/303': [303, '/end'],
      '/307': [307, '/end'],
      '/away': [307, `${other.url}/end`],
      '/loop': [302, '/loop'],
      '/inside': [302, 'http://10.0.0.1/'],
      '/file': [302, 'file:///etc/passwd'],
    }
    const [status, location] = to[request.url!] ?? [200, '']
    response.writeHead(status, location ? { Location: location } : {}).end()
  })
  const { fetch, fault } = egress(t, { allowLoopback: true })

  t.test('are not followed by default', async (t) => {
    t.equal((await fetch(`${canary.url}/once`)).status, 302)
  })

  t.test('are followed up to the limit, and each target is checked', async (t) => {
    t.match(await fetch(`${canary.url}/once`, { redirects: 3 }), { status: 200, url: `${canary.url}/end` })
    t.equal(await fault(`${canary.url}/loop`, { redirects: 3 }), 'tooManyRedirects')
    t.equal(await fault(`${canary.url}/inside`, { redirects: 3 }), 'refused')
    t.equal(await fault(`${canary.url}/file`, { redirects: 3 }), 'refused')
  })

  t.test('keep the method if their status says so, and send no credentials to other hosts', async (t) => {
    const request: EgressRequest = { method: 'POST', body: 'x', headers: { authorization: 'secret' }, redirects: 1 }
    await fetch(`${canary.url}/307`, request)
    t.equal(canary.seen.at(-1), 'POST /end secret')
    await fetch(`${canary.url}/303`, request)
    t.equal(canary.seen.at(-1), 'GET /end secret')
    await fetch(`${canary.url}/away`, request)
    t.same(other.seen, ['POST /end -'])
  })
})

t.test('a response that is too large, or too late, is aborted', async (t) => {
  const clock = new ManualClock()
  const waiting = Promise.withResolvers<void>()
  const canary = await startCanary(t, (request, response) => {
    if (request.url === '/slow') waiting.resolve()
    else response.end('x'.repeat(1_000))
  })
  const { fetch, fault } = egress(t, { allowLoopback: true, clock })
  t.equal((await fetch(canary.url, { maxBytes: 1_000 })).body.length, 1_000)
  t.equal(await fault(canary.url, { maxBytes: 999 }), 'tooLarge')
  const slow = fault(`${canary.url}/slow`, { timeoutMs: 1_000 })
  await waiting.promise
  clock.advance(1_000)
  t.equal(await slow, 'timeout')
})

t.test('an unreachable host is a failure', async (t) => {
  const { fault } = egress(t, { allowLoopback: true })
  t.equal(await fault('http://127.0.0.1:1027/'), 'failed')
})
