import t, { type Test } from 'tap'
import { createDnsResolver } from '../../../mta/dns/resolver.ts'
import { findRoute, type RoutingOptions } from '../../../mta/outbound/routing.ts'
import { startDnsServer, type Zone } from '../../support/dns-server.ts'

type Options = Partial<RoutingOptions>

async function route(t: Test, domain: string, zones: { [name: string]: Zone }, options: Options = {}) {
  const { server } = await startDnsServer(t, zones)
  const dns = createDnsResolver({ server, timeoutMs: 50, tries: 1 })
  const defaults = { dns, hostname: 'mx.posthouse.test', port: 25, allowLoopback: false, random: () => 0.5 }
  return findRoute(domain, { ...defaults, ...options })
}

const HOSTS = {
  'a.test': { a: ['192.0.2.1'] },
  'b.test': { a: ['192.0.2.2'], aaaa: ['2001:db8::2'] },
  'c.test': { a: ['192.0.2.3'] },
}

t.test('hosts come by preference, IPv4 before IPv6', async (t) => {
  const found = await route(t, 'out.test', {
    ...HOSTS,
    'out.test': {
      mx: [
        [20, 'a.test'],
        [10, 'b.test'],
      ],
    },
  })
  t.match(found, {
    status: 'found',
    hosts: [
      { name: 'b.test', ip: '192.0.2.2', port: 25 },
      { name: 'b.test', ip: '2001:db8::2' },
      { name: 'a.test', ip: '192.0.2.1' },
    ],
  })
})

t.test('hosts of equal preference are shuffled, and have one key', async (t) => {
  const zones = {
    ...HOSTS,
    'out.test': {
      mx: [
        [10, 'a.test'],
        [10, 'c.test'],
      ] as [number, string][],
    },
  }
  const order = async (...numbers: number[]) => {
    const found = await route(t, 'out.test', zones, { random: () => numbers.shift()! })
    return found.status === 'found' ? { key: found.key, names: found.hosts.map(({ name }) => name) } : null
  }
  const [one, other] = [await order(0.1, 0.9), await order(0.9, 0.1)]
  t.equal(one?.key, other?.key)
  t.same(new Set([one?.names[0], other?.names[0]]), new Set(['a.test', 'c.test']))
})

t.test('without MX the domain itself is the host', async (t) => {
  t.match(await route(t, 'b.test', HOSTS), {
    status: 'found',
    hosts: [{ name: 'b.test', ip: '192.0.2.2' }, { ip: '2001:db8::2' }],
  })
})

t.test('an address literal needs no DNS', async (t) => {
  t.match(await route(t, '[192.0.2.9]', {}), { status: 'found', hosts: [{ ip: '192.0.2.9' }] })
  t.match(await route(t, '[IPv6:2001:db8::9]', {}), { status: 'found', hosts: [{ ip: '2001:db8::9' }] })
})

for (const [name, zones, wanted] of [
  ['no such domain', {}, { status: 'refused', reply: { code: 550, enhanced: '5.1.2' } }],
  ['no records at all', { 'out.test': {} }, { status: 'refused', reply: { enhanced: '5.1.2' } }],
  [
    'a null MX',
    { 'out.test': { mx: [[0, '']], a: ['192.0.2.1'] } },
    { status: 'refused', reply: { code: 556, enhanced: '5.1.10' } },
  ],
  [
    'MX hosts without addresses',
    { 'out.test': { mx: [[10, 'gone.test']] } },
    { status: 'refused', reply: { enhanced: '5.4.4' } },
  ],
  [
    'an MX at this server',
    {
      'out.test': {
        mx: [
          [10, 'MX.posthouse.test'],
          [20, 'a.test'],
        ],
      },
      ...HOSTS,
    },
    { status: 'refused', reply: { enhanced: '5.4.6' } },
  ],
  [
    'an MX that is loopback',
    { 'out.test': { mx: [[10, 'l.test']] }, 'l.test': { a: ['127.0.0.1'], aaaa: ['::1'] } },
    { status: 'refused', reply: { enhanced: '5.4.4' } },
  ],
  [
    'name servers that fail',
    { 'out.test': { rcode: 'servfail' } },
    { status: 'deferred', reply: { code: 451, enhanced: '4.4.3' } },
  ],
  [
    'name servers that are silent',
    { 'out.test': { rcode: 'silent' } },
    { status: 'deferred', reply: { enhanced: '4.4.3' } },
  ],
  [
    'MX hosts that cannot be looked up',
    { 'out.test': { mx: [[10, 'x.test']] }, 'x.test': { rcode: 'servfail' } },
    { status: 'deferred', reply: { enhanced: '4.4.3' } },
  ],
] as [string, { [name: string]: Zone }, object][]) {
  t.test(`${name} is ${JSON.stringify(wanted)}`, async (t) => {
    t.match(await route(t, 'out.test', zones), wanted)
  })
}

t.test('hosts with a better preference than this server are tried', async (t) => {
  const zones: { [name: string]: Zone } = {
    ...HOSTS,
    'out.test': {
      mx: [
        [20, 'mx.posthouse.test'],
        [10, 'a.test'],
        [30, 'c.test'],
      ],
    },
  }
  const found = await route(t, 'out.test', zones)
  t.same(found.status === 'found' && found.hosts.map(({ name }) => name), ['a.test'])
})

t.test('loopback is a target if it is allowed', async (t) => {
  t.match(await route(t, 'l.test', { 'l.test': { a: ['127.0.0.1'] } }, { allowLoopback: true }), { status: 'found' })
})
