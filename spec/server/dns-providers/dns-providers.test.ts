/** Zones at providers: a name server that takes only updates signed by TSIG, and the APIs of PowerDNS and Cloudflare, all on loopback. */
import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { DnsAccess, HeldRecord } from '../../../jmap/type/dns-provider-port.ts'
import { encodeRaw } from '../../../mta/dns/rdata.ts'
import { signMessage, type TsigKey, verifyMessage } from '../../../mta/dns/tsig.ts'
import { readName } from '../../../mta/dns/wire.ts'
import { systemClock } from '../../../server/base/clock.ts'
import { createDnsProviders } from '../../../server/dns-providers/create-dns-providers.ts'
import { Egress } from '../../../server/egress/safe-fetch.ts'
import { listenOnLoopback } from '../../support/loopback-server.ts'

const ZONE = 'acme.org'
const SECRET = Buffer.alloc(32, 7)
const KEY: TsigKey = { name: 'posthouse', algorithm: 'hmac-sha256', secret: SECRET }
const TXT = 16

function providers(t: Test, allowLoopback: boolean, cloudflareBase: string | null = null) {
  const egress = new Egress({ clock: systemClock, allowLoopback })
  t.teardown(() => egress.close())
  const fetch = egress.fetch.bind(egress)
  const plan = { own: null, isManual: false, nameServers: ['ns1.host.net'], cloudflareBase, reach: { allowLoopback } }
  return createDnsProviders(plan, { outside: fetch, inside: fetch }, systemClock)
}

const accessTo = (port: number, secret = SECRET): DnsAccess => ({
  provider: 'rfc2136',
  server: `127.0.0.1:${port}`,
  keyName: 'posthouse',
  algorithm: 'hmac-sha256',
  secret: secret.toString('base64'),
})

/** Holds TXT records of one name. Refuses what is not signed by the key; `answers` how it signs. */
async function startNameServer(t: Test, answers: 'signed' | 'unsigned' | 'forged' = 'signed') {
  const state = { records: new Set<string>(), refused: 0 }
  const now = () => Math.floor(Date.now() / 1_000)
  const reply = (query: Buffer): Buffer => {
    const verdict = verifyMessage(query, KEY, now(), null)
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8400 | (query.readUInt16BE(2) & 0x7800), 2)
    if (verdict.kind !== 'valid') {
      state.refused++
      header.writeUInt8(0x89, 3)
      return header
    }
    const { name, end } = readName(query, 12)
    const question = query.subarray(12, end + 4)
    header.writeUInt16BE(1, 4)
    const isUpdate = (query.readUInt16BE(2) >> 11) % 16 === 5
    const records: Buffer[] = []
    if (isUpdate) update(query, end + 4)
    else if (query.readUInt16BE(end) === TXT)
      for (const value of state.records) records.push(encodeRaw(name, TXT, 1, 300, Buffer.from(value, 'base64')))
    header.writeUInt16BE(records.length, 6)
    const plain = Buffer.concat([header, question, ...records])
    if (answers === 'unsigned') return plain
    const key = answers === 'forged' ? { ...KEY, secret: Buffer.alloc(32, 8) } : KEY
    return signMessage(plain, key, { signedAt: now(), fudge: 300 }, verdict.mac).bytes
  }
  const update = (query: Buffer, from: number) => {
    let at = from
    for (let i = query.readUInt16BE(8); i > 0; i--) {
      const { end } = readName(query, at)
      const [rrClass, length] = [query.readUInt16BE(end + 2), query.readUInt16BE(end + 8)]
      const data = query.toString('base64', end + 10, end + 10 + length)
      if (rrClass === 1) state.records.add(data)
      else state.records.delete(data)
      at = end + 10 + length
    }
  }
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 2 && received.length >= received.readUInt16BE(0) + 2) {
        const length = received.readUInt16BE(0)
        const bytes = reply(received.subarray(2, length + 2))
        received = received.subarray(length + 2)
        const prefix = Buffer.alloc(2)
        prefix.writeUInt16BE(bytes.length)
        socket.write(Buffer.concat([prefix, bytes]))
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { ...state, state, port: (server.address() as AddressInfo).port }
}

const strings = (...parts: readonly string[]) =>
  Buffer.concat(parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part)])).toString('base64')

t.test('RFC 2136: records are added, and removed by their octets, by messages that are signed', async (t) => {
  const { state, port } = await startNameServer(t)
  state.records.add(strings('v=spf1 ', '-all'))
  const zone = providers(t, true).open(accessTo(port), ZONE)
  const read = await zone.read([`_x.${ZONE}`])
  t.match(read, { kind: 'done', value: [{ name: `_x.${ZONE}`, type: 'TXT', value: 'v=spf1 -all', ttl: 300 }] })
  const [before] = (read as { value: readonly HeldRecord[] }).value
  const record = { name: `_x.${ZONE}`, type: 'TXT', ttl: 60 } as const
  const update = [{ before: before!, after: { ...record, value: 'v=spf1 a -all' } }]
  t.match(await zone.change({ create: [{ ...record, value: 'x'.repeat(300) }], update, remove: [] }), { kind: 'done' })
  t.same([...state.records].toSorted(), [strings('x'.repeat(255), 'x'.repeat(45)), strings('v=spf1 a -all')].toSorted())
  t.match(await zone.ensure(), { kind: 'done', value: ['ns1.host.net'] })
})

t.test('RFC 2136: a wrong key is refused, and answers that are not signed by the key are not believed', async (t) => {
  const { state, port } = await startNameServer(t)
  const wrong = providers(t, true).open(accessTo(port, Buffer.alloc(32, 9)), ZONE)
  t.match(await wrong.read([ZONE]), { kind: 'refused', reason: /NOTAUTH/ })
  t.equal(state.refused, 1)
  for (const answers of ['unsigned', 'forged'] as const) {
    const liar = await startNameServer(t, answers)
    liar.state.records.add(strings('lie'))
    t.match(await providers(t, true).open(accessTo(liar.port), ZONE).read([ZONE]), { kind: 'refused' }, answers)
  }
})

// Promise W3.
t.test('endpoints of customers in private networks get no connection', async (t) => {
  const { state, port } = await startNameServer(t)
  const { open } = providers(t, false)
  const server = accessTo(port)
  for (const access of [server, { ...server, server: `localhost:${port}` }, { ...server, server: '10.0.0.1:53' }])
    t.match(await open(access as DnsAccess, ZONE).read([ZONE]), { kind: 'refused' })
  const pdns = { provider: 'powerdns', apiKey: 'k', serverId: 'localhost' } as const
  for (const url of ['https://127.0.0.1:8081', 'https://169.254.169.254', 'http://dns.example.org'])
    t.match(await open({ ...pdns, url }, ZONE).read([ZONE]), { kind: 'refused' }, url)
  t.equal(state.refused, 0)
})

t.test('PowerDNS: a set is written with what others have in it, also what is switched off', async (t) => {
  const patches: unknown[] = []
  const others = [
    { content: String.raw`"caf\195\169"`, disabled: false },
    { content: '"off"', disabled: true },
  ]
  const rrsets = [
    { name: `${ZONE}.`, type: 'TXT', ttl: 120, records: [...others, { content: '"mine"', disabled: false }] },
  ]
  const server = createHttp(async (request, response) => {
    if (request.headers['x-api-key'] !== 'k') return response.writeHead(401).end('{"error":"no"}')
    if (request.method === 'PATCH') patches.push(JSON.parse(await text(request)))
    return response.writeHead(request.method === 'PATCH' ? 204 : 200).end(JSON.stringify({ rrsets }))
  })
  const port = await listenOnLoopback(t, server)
  const access = { provider: 'powerdns', url: `http://127.0.0.1:${port}`, apiKey: 'k', serverId: 'localhost' } as const
  const zone = providers(t, true).open(access, ZONE)
  const { value } = (await zone.read([ZONE])) as { value: readonly HeldRecord[] }
  const mine = value.find((record) => record.value === 'mine')!
  const after = { name: ZONE, type: 'TXT', value: 'a "quote"', ttl: 60 } as const
  t.match(await zone.change({ create: [], update: [{ before: mine, after }], remove: [] }), { kind: 'done' })
  const records = [...others, { content: String.raw`"a \"quote\""`, disabled: false }]
  t.same(patches, [{ rrsets: [{ name: `${ZONE}.`, type: 'TXT', ttl: 120, changetype: 'REPLACE', records }] }])
  t.match(
    await providers(t, true)
      .open({ ...access, apiKey: 'x' }, ZONE)
      .read([ZONE]),
    { kind: 'refused', reason: /401/ },
  )
})

t.test('Cloudflare: pages of records are read, and each change is one request', async (t) => {
  const requests: string[] = []
  const server = createHttp(async (request, response) => {
    const body = await text(request)
    requests.push(`${request.method} ${request.url} ${body}`.trim())
    const page = Number(/[?&]page=(\d+)/.exec(request.url!)?.[1])
    const record = {
      id: `r${page}`,
      name: ZONE,
      ttl: 1,
      ...(page === 1 ? { type: 'TXT', content: '"one" "two"' } : { type: 'MX', content: 'mx.a.example', priority: 5 }),
    }
    const result = request.url!.startsWith('/client/v4/zones?') ? [{ id: 'z1', name: ZONE }] : [record]
    response.end(JSON.stringify({ success: true, result, result_info: { total_pages: 2 } }))
  })
  const port = await listenOnLoopback(t, server)
  const zone = providers(t, true, `http://127.0.0.1:${port}`).open({ provider: 'cloudflare', token: 'x' }, ZONE)
  const { value } = (await zone.read([ZONE])) as { value: readonly HeldRecord[] }
  t.match(value, [
    { ref: 'r1', value: 'onetwo' },
    { ref: 'r2', value: 'mx.a.example', priority: 5 },
  ])
  requests.length = 0
  const create = [{ name: `_jmap._tcp.${ZONE}`, type: 'SRV', value: '1 443 host.net', priority: 0, ttl: 60 }] as const
  const update = [{ before: value[0]!, after: { name: ZONE, type: 'TXT', value: 'new', ttl: 60 } as const }]
  await zone.change({ create, update, remove: [value[1]!] })
  t.same(requests.slice(1), [
    `POST /client/v4/zones/z1/dns_records {"name":"_jmap._tcp.${ZONE}","type":"SRV","ttl":60,"data":{"priority":0,"weight":1,"port":443,"target":"host.net"}}`,
    `PUT /client/v4/zones/z1/dns_records/r1 {"name":"${ZONE}","type":"TXT","ttl":60,"content":"\\"new\\""}`,
    'DELETE /client/v4/zones/z1/dns_records/r2',
  ])
})
