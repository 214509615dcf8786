// RFC 8461, RFC 7672, RFC 8689; promise S3: if TLS is required, nothing is sent in clear or to another host.
import { createHash, X509Certificate } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Zone } from '../../support/dns-server.ts'
import type { MemoryCore } from '../../support/memory-core.ts'
import { startQueue } from '../../support/outbound-queue.ts'
import { type PeerOptions, startPeer } from '../../support/smtp-peer.ts'
import { tlsMaterial } from '../../support/tls-material.ts'

const { cert } = await tlsMaterial()
const certificate = new X509Certificate(cert)
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
const KEY = sha256(certificate.publicKey.export({ type: 'spki', format: 'der' }))
const POLICY = 'version: STSv1\r\nmode: enforce\r\nmx: mx.out.test\r\nmax_age: 86400\r\n'
const STS: Zone = { txt: [['v=STSv1; id=1;']] }

interface Case {
  readonly kept?: MemoryCore['policies']
  readonly peer?: PeerOptions
  readonly policy?: string | null
  readonly dns?: { [name: string]: Zone }
  readonly dane?: boolean
}

/** Mail to out.test, whose host mx.out.test is a peer on loopback. */
async function start(t: Test, { peer: options = { tls: true }, policy = null, dns = {}, dane = false, kept }: Case) {
  const peer = await startPeer(t, options)
  const zones = {
    'out.test': { mx: [[10, 'mx.out.test']] },
    'mx.out.test': { a: ['127.0.0.1'] },
    ...dns,
  } as { [name: string]: Zone }
  for (const [name, zone] of Object.entries(dns)) {
    if (!name.startsWith('TLSA')) continue
    zones[`_${peer.port}._tcp.${name.split(' ')[1] ?? 'mx.out.test'}`] = zone
  }
  const routing = { mode: 'mx', port: peer.port, dane } as const
  const fetched: string[] = []
  const fetchPolicy = async (domain: string) => {
    fetched.push(domain)
    return policy
  }
  const queue = await startQueue(t, { routing, dns: zones, fetchPolicy, ...(kept && { kept }) })
  return { peer, fetched, zones, ...queue }
}

const SIGNED: { [name: string]: Zone } = {
  'out.test': { mx: [[10, 'mx.out.test']], authentic: true },
  'mx.out.test': { a: ['127.0.0.1'], authentic: true },
}
const tlsa = (...records: NonNullable<Zone['tlsa']>): Zone => ({ tlsa: records, authentic: true })

t.test('control: without a policy an untrusted certificate is accepted', async (t) => {
  const { peer, send } = await start(t, {})
  await send(['x@out.test'])
  t.match(peer.messages, [{ secure: true }])
})

for (const [name, given, reply] of [
  ['a certificate that nobody vouches for', {}, /^451 4\.4\.1 .*certificate/],
  ['a host without STARTTLS', { peer: {} }, /^451 4\.4\.1 .*no TLS/],
  ['a handshake that fails', { peer: { tls: 'broken' } }, /^451 4\./],
  ['a host that the policy does not name', { policy: POLICY.replace('mx.out', 'other.out') }, /^451 4\.7\.5 .*MTA-STS/],
] as const) {
  t.test(`under an enforced policy, with ${name} nothing is sent`, async (t) => {
    const { peer, core, send } = await start(t, { policy: POLICY, dns: { '_mta-sts.out.test': STS }, ...given } as Case)
    await send(['x@out.test'])
    t.match(core.reports[0]?.outcomes, [{ status: 'deferred', smtpReply: reply }])
    t.same(peer.messages, [])
    t.notOk(peer.lines.some((line) => line.startsWith('MAIL')))
  })
}

t.test('a policy in testing mode lets the mail through', async (t) => {
  const policy = POLICY.replace('enforce', 'testing')
  const { peer, send } = await start(t, { peer: {}, policy, dns: { '_mta-sts.out.test': STS } })
  await send(['x@out.test'])
  t.equal(peer.messages.length, 1)
})

t.test('a cached policy applies after its record is removed', async (t) => {
  const dns: { [name: string]: Zone } = { '_mta-sts.out.test': { ...STS, ttl: 0 } }
  const { peer, clock, send, reported, zones } = await start(t, { peer: {}, policy: POLICY, dns })
  await send(['x@out.test'])
  delete zones['_mta-sts.out.test']
  clock.advance(3_600_000)
  await reported(2)
  t.same(peer.messages, [])
  clock.advance(86_400_000)
  await reported(3)
  t.equal(peer.messages.length, 1, 'control: it has run out, and the record is gone')
})

t.test('a policy applies after a restart, even if its record is removed (RFC 8461 5.1)', async (t) => {
  const first = await start(t, { peer: {}, policy: POLICY, dns: { '_mta-sts.out.test': STS } })
  await first.send(['x@out.test'])
  const next = await start(t, { peer: {}, kept: first.core.policies })
  await next.send(['x@out.test'])
  t.same(next.peer.messages, [])
  next.clock.advance(86_400_000)
  await next.send(['x@out.test'])
  t.match(next.peer.messages[0], { secure: false }, 'control: it has run out')
})

t.test('a policy in use is fetched again after half of its time', async (t) => {
  const policy = POLICY.replace('enforce', 'testing')
  const { fetched, send, clock, core } = await start(t, { policy, dns: { '_mta-sts.out.test': STS } })
  await send(['x@out.test'])
  clock.advance(43_000_000)
  await send(['x@out.test'])
  t.equal(fetched.length, 1)
  clock.advance(300_000)
  await send(['x@out.test'])
  t.equal(fetched.length, 2)
  t.equal(core.policies.get('out.test')?.until, clock.now() + 86_400_000)
})

t.test('a host whose key is in its TLSA records gets the mail, whoever signed its certificate', async (t) => {
  const { peer, send } = await start(t, { dane: true, dns: { ...SIGNED, TLSA: tlsa([3, 1, 1, KEY]) } })
  await send(['x@out.test'])
  t.match(peer.messages, [{ secure: true }])
})

for (const [name, given] of [
  ['another key', { dns: { ...SIGNED, TLSA: tlsa([3, 1, 1, sha256(Buffer.from('x'))]) } }],
  ['another anchor', { dns: { ...SIGNED, TLSA: tlsa([2, 0, 1, sha256(Buffer.from('x'))]) } }],
  ['no STARTTLS', { peer: {}, dns: { ...SIGNED, TLSA: tlsa([3, 1, 1, KEY]) } }],
  ['records that cannot be looked up', { dns: { ...SIGNED, TLSA: { rcode: 'servfail' } } }],
  ['records of no use and no STARTTLS', { peer: {}, dns: { ...SIGNED, TLSA: tlsa([1, 1, 1, KEY]) } }],
] as const) {
  t.test(`under DANE, with ${name} nothing is sent`, async (t) => {
    const { peer, core, send } = await start(t, { dane: true, ...given } as Case)
    await send(['x@out.test'])
    t.match(core.reports[0]?.outcomes, [{ status: 'deferred' }])
    t.same(peer.messages, [])
  })
}

for (const [name, given] of [
  [
    'the resolver does not vouch for the records',
    { dns: { ...SIGNED, TLSA: { tlsa: [[3, 1, 1, Buffer.alloc(32)]] } } },
  ],
  ['the resolver is not believed', { dane: false, dns: { ...SIGNED, TLSA: tlsa([3, 1, 1, Buffer.alloc(32)]) } }],
  [
    'the names of the hosts are not signed',
    {
      dns: { 'mx.out.test': { a: ['127.0.0.1'], authentic: true }, TLSA: tlsa([3, 1, 1, Buffer.alloc(32)]) },
    },
  ],
  [
    'the address of the host is not signed',
    {
      dns: { ...SIGNED, 'mx.out.test': { a: ['127.0.0.1'] }, TLSA: tlsa([3, 1, 1, Buffer.alloc(32)]) },
    },
  ],
  ['they are all of no use', { dns: { ...SIGNED, TLSA: tlsa([1, 1, 1, Buffer.alloc(32)]) } }],
] as const) {
  t.test(`where ${name}, TLSA records do not count`, async (t) => {
    const { peer, send } = await start(t, { dane: true, ...given } as Case)
    await send(['x@out.test'])
    t.equal(peer.messages.length, 1)
  })
}

for (const [name, key] of [
  ['its own host', KEY],
  ['another', sha256(Buffer.from('x'))],
] as const) {
  t.test(
    `a domain without MX records must match its TLSA records: the key is that of ${name} (RFC 7672 2.2.2)`,
    async (t) => {
      const dns: { [name: string]: Zone } = {
        'nomx.test': { a: ['127.0.0.1'], authentic: true },
        'TLSA nomx.test': tlsa([3, 1, 1, key]),
      }
      const { peer, core, send } = await start(t, { dane: true, dns })
      await send(['x@nomx.test'])
      t.match(core.reports[0]?.outcomes, [{ status: key === KEY ? 'sent' : 'deferred' }])
      t.equal(peer.messages.length, key === KEY ? 1 : 0)
    },
  )
}

t.test('REQUIRETLS goes to verified hosts that support it (RFC 8689)', async (t) => {
  const dns = { ...SIGNED, TLSA: tlsa([3, 1, 1, KEY]) }
  const peer = { tls: true, extensions: ['REQUIRETLS', 'SIZE 1000000'] }
  const { peer: host, send } = await start(t, { dane: true, dns, peer })
  await send(['x@out.test'], { parameters: { REQUIRETLS: null } })
  t.match(host.messages, [{ secure: true, mail: /^MAIL FROM:.* REQUIRETLS$/ }])
})

t.test('REQUIRETLS is refused if the host does not support it', async (t) => {
  const { peer, core, send } = await start(t, { dane: true, dns: { ...SIGNED, TLSA: tlsa([3, 1, 1, KEY]) } })
  await send(['x@out.test'], { parameters: { REQUIRETLS: null } })
  t.match(core.reports[0]?.outcomes, [{ status: 'refused', smtpReply: /^550 5\.7\.30/ }])
  t.same(peer.messages, [])
})

t.test('REQUIRETLS is not sent over unverified TLS', async (t) => {
  const { peer, core, send } = await start(t, { peer: { tls: true, extensions: ['REQUIRETLS'] } })
  await send(['x@out.test'], { parameters: { REQUIRETLS: null } })
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred' }])
  t.same(peer.messages, [])
})
