/** Promise W3: webhooks reach no internal address, neither at creation nor at delivery. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import t from 'tap'
import { createReach, faultOfTarget } from '../../server/egress/reach.ts'
import { startApi } from '../support/rest-api.ts'
import { answering, leadingTo, RECEIVER_NAME, startReceiver, startWebhookWorker } from '../support/webhooks.ts'

/** Listens at an internal address, and counts connections. */
async function startCanary(host: string, port = 0) {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  server.listen(port, host)
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const canary = await startCanary('127.0.0.1')
const { port } = canary
const sixth = await startCanary('::1', port).catch(() => null)
const connections = () => canary.connections() + (sixth?.connections() ?? 0)

const PUBLIC = '93.184.216.34'

/** Addresses of names; other names have none. */
const NAMES: { readonly [name: string]: readonly string[] } = {
  'loopback.example.org': ['127.0.0.1'],
  '127.0.0.1.nip.example': ['127.0.0.1'],
  'sixth.example.org': ['::1'],
  'mapped.example.org': ['::ffff:127.0.0.1'],
  'mixed.example.org': [PUBLIC, '127.0.0.1'],
  'mixed-six.example.org': ['2606:2800:220:1:248:1893:25c8:1946', '::1'],
  'private.example.org': ['192.168.1.1'],
  'metadata.example.org': ['169.254.169.254'],
  'shared.example.org': ['100.64.0.1'],
  'nat64.example.org': ['64:ff9b::7f00:1'],
  'unique-local.example.org': ['fd00::1'],
  'every.example.org': ['0.0.0.0'],
  localhost: ['127.0.0.1'],
  'hooks.localhost': ['127.0.0.1'],
}

const IPV4 = `127.0.0.1 127.1 127.0.1 127.0.0.1. 127.255.255.254 2130706433 0x7f000001 0x7f.1 0x7f.0.0.1 0177.0.0.1 017700000001
  0x7F.0x0.0x0.0x1 0.0.0.0 0 0x0 10.0.0.1 10.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1 3232235521
  192.168.255.255 100.64.0.1 100.127.255.255 169.254.0.1 169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 192.0.0.1
  192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
  224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255`
const IPV6 = `::1 :: 0:0:0:0:0:0:0:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe ::127.0.0.1 ::7f00:1
  ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1 2002:7f00:1:: 2002:a9fe:a9fe::1
  2002:c0a8:1:: fc00::1 fd00::1 fd00:ec2::254 fdff::1 fe80::1 fec0::1 ff02::1 ff0e::1 100::1 2001::1 2001:10::1 2001:db8::1
  3fff::1 5f00::1`
// Other characters for digits, letters and dots, which URL parsers accept.
const SPELLED = [
  '127。0。0。1',
  '127．0．0．1',
  '①②⑦.⓪.⓪.①',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'loc%61lhost',
  '%31%32%37.0.0.1',
  'LOCALHOST',
  'localhost.',
]

const words = (text: string) => text.split(/\s+/)
const URLS: readonly string[] = [
  ...words(IPV4).map((host) => `https://${host}:${port}/`),
  ...words(IPV6).map((host) => `https://[${host}]:${port}/`),
  ...SPELLED.map((host) => `https://${host}:${port}/`),
  ...Object.keys(NAMES).map((host) => `https://${host}:${port}/`),
  ...[22, 21, 25, 110, 143, 465, 587, 2375, 3306, 5432, 6379, 9200, 11_211].map((at) => `https://${PUBLIC}:${at}/`),
  ...['http', 'ftp', 'gopher', 'ws', 'wss', 'dict', 'ldap', 'tftp', 'jar'].map((way) => `${way}://127.0.0.1:${port}/`),
  ...['file:///etc/passwd', 'unix:/run/docker.sock', 'data:text/plain,x', 'javascript:1', 'about:blank', '/etc/passwd'],
  `//127.0.0.1:${port}/`,
  `https:/127.0.0.1:${port}/`,
  `https:127.0.0.1:${port}/`,
  `https:\\\\127.0.0.1:${port}\\`,
  `https://user@127.0.0.1:${port}/`,
  `https://example.org@127.0.0.1:${port}/`,
  `https://example.org:443@127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}@example.org/`,
  `https://example.org\\@127.0.0.1:${port}/`,
  `https://example.org#@127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}/\r\nX-Evil: 1`,
  `https://127.0.0.1\r\n:${port}/`,
  `https://127.0.\t0.1:${port}/`,
  ` https://127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}/#`,
]

const lookup = async (name: string) => [...(NAMES[name] ?? [])]
const reach = createReach({})

t.test('none of more than 120 URLs is accepted, and no connection is opened', async (t) => {
  const { ask } = await startApi(t, { webhookTargets: (url) => faultOfTarget(reach, url, lookup) })
  t.ok(URLS.length >= 120, `${URLS.length} URLs`)
  t.equal(new Set(URLS).size, URLS.length)
  const taken = []
  for (const url of URLS) {
    const { status, body } = await ask('POST', '/v1/webhooks', { body: { url, events: ['message.received'] } })
    if (status !== 422 || body.error.details[0].field !== 'url') taken.push([url, status])
  }
  t.same(taken, [])
  t.equal(connections(), 0)
  const body = { url: `https://${PUBLIC}/hooks`, events: ['message.received'] }
  t.equal((await ask('POST', '/v1/webhooks', { body })).status, 201, 'control')
})

t.test('a delivery connects to none of them, even if one is stored', async (t) => {
  const api = await startApi(t)
  const { ask } = api
  const receiver = await startReceiver(t)
  const resolve = ((name: string, _options: object, callback: (...args: unknown[]) => void) => {
    const addresses = NAMES[name.replace(/\.$/, '')] ?? []
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    callback(found.length === 0 ? new Error('no such name') : null, found)
  }) as ReturnType<typeof leadingTo>
  const worker = startWebhookWorker(t, api, receiver, { allowNetworks: [], lookup: resolve })
  const { body: hook } = await ask('POST', '/v1/webhooks', {
    body: { url: 'https://hooks.example.org/', events: ['message.received'] },
  })
  let posted = 0
  for (const url of URLS) {
    const { accountId } = api.organization
    const [changed] = await api.request([['Webhook/set', { accountId, update: { [hook.id]: { url } } }]])
    // The core itself refuses anything but an https URL.
    if ((changed![1]['notUpdated'] ?? null) !== null) continue
    await api.request([['Webhook/test', { accountId, webhookId: hook.id }]])
    await worker.settled()
    posted++
  }
  t.ok(posted > 90, `${posted} deliveries`)
  t.equal(connections(), 0)
  const statuses = new Map<string, number>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await ask('GET', `/v1/webhooks/${hook.id}/deliveries?limit=100${cursor && `&cursor=${cursor}`}`)
    for (const { status, last_error: error } of body.data) {
      const what = /not on the public Internet|not one of the web/.test(error) ? 'refused' : error
      statuses.set(`${status}: ${what}`, (statuses.get(`${status}: ${what}`) ?? 0) + 1)
    }
    cursor = body.pagination.next_cursor
  }
  t.same([...statuses.keys()], ['failed: refused'], 'permanently, without a further attempt')
})

t.test('each connection checks the address of a name again, and goes to the checked address', async (t) => {
  const first = [[PUBLIC], ['127.0.0.1']]
  const api = await startApi(t, {
    webhookTargets: (url) => faultOfTarget(reach, url, async () => first.shift() ?? []),
  })
  const receiver = await startReceiver(t)
  const worker = startWebhookWorker(t, api, receiver, { allowNetworks: [], lookup: leadingTo(['127.0.0.1']) })
  const body = { url: `https://rebinding.example.org:${receiver.port}/`, events: ['message.received'] }
  const { status, body: hook } = await api.ask('POST', '/v1/webhooks', { body })
  t.equal(status, 201, 'it led to a public address at creation')
  await api.ask('POST', `/v1/webhooks/${hook.id}/test`)
  await worker.settled()
  const [delivery] = (await api.ask('GET', `/v1/webhooks/${hook.id}/deliveries`)).body.data
  t.match(delivery, {
    status: 'failed',
    attempts: 1,
    last_status_code: null,
    last_error: /not on the public Internet/,
  })
  t.equal(receiver.connections(), 0)
})

t.test('a redirect to an internal address is a failed delivery, and is not followed', async (t) => {
  const api = await startApi(t)
  const receiver = await startReceiver(t)
  const worker = startWebhookWorker(t, api, receiver)
  receiver.answer = answering(307, '', { location: `https://127.0.0.1:${port}/` })
  const body = { url: `https://${RECEIVER_NAME}:${receiver.port}/`, events: ['message.received'] }
  const { body: hook } = await api.ask('POST', '/v1/webhooks', { body })
  await api.ask('POST', `/v1/webhooks/${hook.id}/test`)
  await worker.settled()
  const [delivery] = (await api.ask('GET', `/v1/webhooks/${hook.id}/deliveries`)).body.data
  t.match(delivery, { status: 'pending', attempts: 1, last_status_code: 307 })
  t.equal(receiver.posted.length, 1, 'control: the network was allowed')
  t.equal(connections(), 0)
})

t.test('control: a client that reaches the listener is counted', async (t) => {
  const before = connections()
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'close')
  t.equal(connections(), before + 1)
})
