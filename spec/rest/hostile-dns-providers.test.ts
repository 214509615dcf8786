/** Endpoints of customers' DNS providers that answer nonsense, without end, or never, seen from the API (promise W4). */
import { once } from 'node:events'
import { createServer as createHttp, type ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { ManualClock } from '../../server/base/clock.ts'
import { PROVIDER_REQUEST_MS } from '../../server/base/registration-limits.ts'
import { createDnsProviders } from '../../server/dns-providers/create-dns-providers.ts'
import { Egress } from '../../server/egress/safe-fetch.ts'
import { listenOnLoopback } from '../support/loopback-server.ts'
import { startApi } from '../support/rest-api.ts'

const NAME = 'acme-mail.com'

/** The API, with a domain whose records are at a provider on loopback. */
async function startCustomer(t: Test, credentials: (port: number) => object, port: number) {
  const clock = new ManualClock()
  const egress = new Egress({ clock, allowLoopback: true })
  t.teardown(() => egress.close())
  const fetch = egress.fetch.bind(egress)
  const plan = { own: null, isManual: false, nameServers: [], cloudflareBase: null, reach: { allowLoopback: true } }
  const dnsProviders = createDnsProviders(plan, { outside: fetch, inside: fetch }, clock)
  const { ask } = await startApi(t, { dnsProviders })
  const { body } = await ask('POST', '/v1/domains', { body: { name: NAME } })
  const set = { dns_credentials: credentials(port) }
  t.equal((await ask('PATCH', `/v1/domains/${body.id}`, { body: set })).status, 200)
  return { clock, apply: () => ask('POST', `/v1/domains/${body.id}/dns-records/apply`, { body: {} }) }
}

t.test('PowerDNS', async (t) => {
  let answer: (response: ServerResponse) => unknown = () => {}
  let arrived = Promise.withResolvers<void>()
  const patches: { rrsets: { name: string; type: string; records?: { content: string }[] }[] }[] = []
  const server = createHttp(async (request, response) => {
    response.on('error', () => {})
    arrived.resolve()
    if (request.method === 'PATCH') {
      patches.push(JSON.parse(await text(request)))
      response.writeHead(204).end()
    } else answer(response)
  })
  const canary = { count: 0 }
  const inside = createHttp((_, response) => {
    canary.count++
    response.end('{"rrsets":[]}')
  })
  const insidePort = await listenOnLoopback(t, inside)
  const credentials = (port: number) => ({ provider: 'powerdns', url: `http://127.0.0.1:${port}`, api_key: 'k' })
  const { clock, apply } = await startCustomer(t, credentials, await listenOnLoopback(t, server))
  const says =
    (body: string, status = 200) =>
    (response: ServerResponse) =>
      response.writeHead(status).end(body)
  const set = (name: string, type: string, contents: readonly string[]) => ({
    name: `${name}.`,
    type,
    ttl: 60,
    records: contents.map((content) => ({ content, disabled: false })),
  })
  const zone = (...rrsets: object[]) => JSON.stringify({ rrsets })
  const endless = (response: ServerResponse) => {
    const more = () => {
      while (!response.destroyed && response.write('{"x":1},'.repeat(8_192)));
    }
    response.on('drain', more)
    response.write('{"rrsets":[')
    more()
  }

  t.test('nothing is written after an answer that is not a whole zone', async (t) => {
    const whole = zone(set(NAME, 'TXT', ['"of others"']))
    const cases: { readonly [what: string]: (response: ServerResponse) => unknown } = {
      'no JSON': says('<html>Log in</html>'),
      'half of it': says(whole.slice(0, -20)),
      'a list': says('[]'),
      'an object without the zone': says('{}'),
      'a zone that is no list': says('{"rrsets":"all"}'),
      'a set without its records': says(`{"rrsets":[{"name":"${NAME}.","type":"TXT","ttl":60}]}`),
      'records that are none': says(`{"rrsets":[{"name":"${NAME}.","type":"TXT","ttl":60,"records":["x"]}]}`),
      'two members of one name': says('{"rrsets":[],"rrsets":[]}'),
      'millions of values': says(`{"rrsets":[${'{},'.repeat(1_000_000)}{}]}`),
      'nested without end': says('{"rrsets":'.repeat(100_000)),
      'more than 4 MiB': says(zone(set(NAME, 'TXT', [`"${'x'.repeat(4_194_304)}"`]))),
      'without end': endless,
      'cut off': (response) => {
        response.writeHead(200, { 'content-length': 1_000 })
        response.write(whole)
        setImmediate(() => response.destroy())
      },
      'a redirect to the inside': (response) =>
        response.writeHead(302, { location: `http://127.0.0.1:${insidePort}/` }).end(),
      'a redirect that keeps the method': (response) =>
        response.writeHead(308, { location: `http://127.0.0.1:${insidePort}/` }).end(),
      'a failure with a page': says('x'.repeat(1_000_000), 500),
    }
    for (const [what, how] of Object.entries(cases)) {
      answer = how
      t.match(await apply(), { status: 503, body: { error: { type: 'service_unavailable' } } }, what)
    }
    answer = says(
      zone(
        set(
          NAME,
          'TXT',
          Array.from({ length: 501 }, (_, i) => `"${i}"`),
        ),
      ),
    )
    t.match(await apply(), { body: { error: { code: 'dns_provider_refused', message: /too many records/ } } })
    answer = says(zone(set(NAME, 'TXT', [`"${'x'.repeat(200_000)}"`])))
    t.match(await apply(), { body: { error: { code: 'dns_provider_refused', message: /too many records/ } } })
    t.same(patches, [])
    t.equal(canary.count, 0, 'no redirect is followed')
  })

  t.test('a provider that never answers is given up in time', async (t) => {
    answer = () => {}
    arrived = Promise.withResolvers()
    const asked = apply()
    await arrived.promise
    clock.advance(PROVIDER_REQUEST_MS)
    t.match(await asked, { status: 503, body: { error: { message: /did not answer in time/ } } })
    t.same(patches, [])
  })

  t.test('control: a zone is written, and records of other names and types stay out of it', async (t) => {
    const others = [
      set(`www.${NAME}`, 'A', ['192.0.2.1']),
      set('other.com', 'TXT', ['"x"']),
      set(NAME, 'A', ['192.0.2.2']),
      // Read in one pass: a search that begins again at each quote or blank takes hours.
      set('other.com', 'TXT', [`"${String.raw`\"`.repeat(500_000)}`]),
      set('other.com', 'MX', [`10${' '.repeat(900_000)}\n\n`]),
    ]
    answer = says(zone(...others, set(NAME, 'TXT', ['"of others"', '"\u001b[2J"'])))
    t.match(await apply(), { status: 200, body: { applied: true, update: [], delete: [] } })
    const written = patches.flatMap(({ rrsets }) => rrsets)
    t.ok(written.every(({ name, type }) => name.endsWith(`${NAME}.`) && !(name === `www.${NAME}.` && type === 'A')))
    const texts = written.find(({ name, type }) => name === `${NAME}.` && type === 'TXT')!.records!
    t.ok(['"of others"', '"\u001b[2J"'].every((content) => texts.some((one) => one.content === content)))
    t.ok(texts.some(({ content }) => content.includes('v=spf1')))
  })
})

t.test('a name server that sends without end, or nothing, is given up', async (t) => {
  let behave: (socket: Socket) => void = () => {}
  let arrived = Promise.withResolvers<void>()
  const closed: Promise<unknown>[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    closed.push(new Promise((resolve) => socket.once('close', resolve)))
    socket.once('data', () => {
      arrived.resolve()
      behave(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const secret = Buffer.alloc(32, 7).toString('base64')
  const credentials = () => ({ provider: 'rfc2136', server: `127.0.0.1:${port}`, key_name: 'k', secret })
  const { clock, apply } = await startCustomer(t, credentials, port)
  const flood = (first: Buffer) => (socket: Socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
    }
    socket.on('drain', more)
    socket.write(first)
    more()
  }
  for (const [what, first] of [
    ['an answer of 65,535 octets', Buffer.from([0xff, 0xff])],
    ['empty answers', Buffer.alloc(2)],
  ] as const) {
    behave = flood(first)
    t.equal((await apply()).status, 503, what)
    await Promise.all(closed)
  }
  behave = () => {}
  arrived = Promise.withResolvers()
  const asked = apply()
  await arrived.promise
  clock.advance(PROVIDER_REQUEST_MS)
  t.match(await asked, { status: 503, body: { error: { message: /no answer in time/ } } })
  await Promise.all(closed)
})
