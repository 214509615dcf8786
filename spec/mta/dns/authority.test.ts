import t, { type Test } from 'tap'
import type { DnsQuestion } from '../../../jmap/type/host-ports.ts'
import { createDomainDns } from '../../../mta/dns/authority.ts'
import { systemClock } from '../../../server/base/clock.ts'
import { type Records, startZoneServer } from '../../support/zone-server.ts'

const TIMEOUT_MS = 300

async function start(t: Test, zones: readonly string[], records: Records, mayAsk = () => true) {
  const server = await startZoneServer(t, zones, records)
  const { port } = server
  const dns = createDomainDns({
    resolver: { host: '127.0.0.1', port },
    port,
    mayAsk,
    clock: systemClock,
    timeoutMs: TIMEOUT_MS,
  })
  const ask = (...questions: DnsQuestion[]) => dns.ask('acme.org', questions)
  return { server, ask }
}

const HOME: Records = { 'acme.org NS': ['ns.name-server.net'], 'ns.name-server.net A': ['127.0.0.1'] }

t.test('each type is read in zone file format', async (t) => {
  const { ask } = await start(t, ['acme.org'], {
    ...HOME,
    'acme.org MX': ['10 mx.host.net', '20 mx2.host.net'],
    'acme.org TXT': [`v=DKIM1; p=${'x'.repeat(400)}`],
    'www.acme.org CNAME': ['web.host.net'],
    '_jmap._tcp.acme.org SRV': ['0 1 443 web.host.net'],
    '_25._tcp.mx.acme.org TLSA': ['3 1 1 00ff'],
    'acme.org CAA': ['0 issue "letsencrypt.org"'],
  })
  const { answers, nameServers, isSigned } = await ask(
    { name: 'acme.org', type: 'MX' },
    { name: 'acme.org', type: 'TXT' },
    { name: 'www.acme.org', type: 'CNAME' },
    { name: '_jmap._tcp.acme.org', type: 'SRV' },
    { name: '_25._tcp.mx.acme.org', type: 'TLSA' },
    { name: 'acme.org', type: 'CAA' },
  )
  t.same(
    answers.map((answer) => answer.status === 'found' && answer.records),
    [
      [
        { priority: 10, value: 'mx.host.net' },
        { priority: 20, value: 'mx2.host.net' },
      ],
      [{ value: `v=DKIM1; p=${'x'.repeat(400)}` }],
      [{ value: 'web.host.net' }],
      [{ priority: 0, value: '1 443 web.host.net' }],
      [{ value: '3 1 1 00ff' }],
      [{ value: '0 issue "letsencrypt.org"' }],
    ],
  )
  t.same(nameServers, ['ns.name-server.net'])
  t.equal(isSigned, false)
})

t.test('the authoritative server is queried, not the resolver, whose answer may be old', async (t) => {
  const { ask, server } = await start(t, ['acme.org'], { ...HOME, 'acme.org TXT': ['new'] })
  await ask({ name: 'acme.org', type: 'TXT' })
  t.ok(server.questions.includes('acme.org TXT'))
  t.notOk(server.questions.includes('+acme.org TXT'))
})

t.test('a DS record in the parent zone means that the domain is signed', async (t) => {
  const { ask } = await start(t, ['acme.org'], { ...HOME, 'acme.org DS': ['3039080200'] })
  t.equal((await ask()).isSigned, true)
})

t.test('a record that does not exist is absent, and without an authoritative response it is unknown', async (t) => {
  const { ask, server } = await start(t, ['acme.org'], { ...HOME, 'acme.org MX': ['10 mx.host.net'] })
  const questions: DnsQuestion[] = [
    { name: 'acme.org', type: 'TXT' },
    { name: 'nowhere.acme.org', type: 'MX' },
  ]
  t.same((await ask(...questions)).answers, [{ status: 'absent' }, { status: 'absent' }])
  for (const trouble of ['servfail', 'silent', 'lame'] as const) {
    server.trouble = trouble
    t.same((await ask(...questions)).answers, [{ status: 'unknown' }, { status: 'unknown' }], trouble)
  }
})

t.test('a domain that is not delegated has no records, and no other server is queried', async (t) => {
  const { ask, server } = await start(t, ['org'], { 'org NS': ['ns.name-server.net'] })
  t.same(await ask({ name: 'acme.org', type: 'MX' }), {
    nameServers: [],
    isSigned: false,
    answers: [{ status: 'absent' }],
  })
  t.same(
    server.questions.filter((question) => !question.startsWith('+')),
    [],
  )
})

t.test('a subdomain without a delegation is queried at the zone above it', async (t) => {
  const { server } = await start(t, ['acme.org'], { ...HOME, 'mail.acme.org MX': ['10 mx.host.net'] })
  const { port } = server
  const dns = createDomainDns({ resolver: { host: '127.0.0.1', port }, port, mayAsk: () => true, clock: systemClock })
  const { answers, nameServers } = await dns.ask('mail.acme.org', [{ name: 'mail.acme.org', type: 'MX' }])
  t.match(answers, [{ status: 'found' }])
  t.same(nameServers, ['ns.name-server.net'])
})

t.test('delegations below the domain and aliases to other zones are followed', async (t) => {
  const { ask } = await start(t, ['acme.org', '_domainkey.acme.org', 'host.net'], {
    ...HOME,
    '_domainkey.acme.org NS': ['ns.name-server.net'],
    'ph1._domainkey.acme.org TXT': ['v=DKIM1'],
    'host.net NS': ['ns.name-server.net'],
    '_dmarc.acme.org CNAME': ['_dmarc.host.net'],
    '_dmarc.host.net TXT': ['v=DMARC1; p=none'],
    'dangling.acme.org CNAME': ['nowhere.net'],
  })
  const { answers } = await ask(
    { name: 'ph1._domainkey.acme.org', type: 'TXT' },
    { name: '_dmarc.acme.org', type: 'TXT' },
    { name: 'dangling.acme.org', type: 'TXT' },
  )
  t.same(answers, [
    { status: 'found', records: [{ value: 'v=DKIM1' }] },
    { status: 'found', records: [{ value: 'v=DMARC1; p=none' }] },
    { status: 'absent' },
  ])
})

t.test('delegations and aliases in a circle end', async (t) => {
  const { ask } = await start(t, ['acme.org'], {
    ...HOME,
    'sub.acme.org NS': ['ns.name-server.net'],
    'one.acme.org CNAME': ['two.acme.org'],
    'two.acme.org CNAME': ['one.acme.org'],
  })
  const { answers } = await ask({ name: 'x.sub.acme.org', type: 'MX' }, { name: 'one.acme.org', type: 'MX' })
  t.match(answers, [{ status: 'unknown' }, { status: /unknown|absent/ }])
})

t.test('a forbidden address is not queried (promise W3)', async (t) => {
  const records = { ...HOME, 'acme.org MX': ['10 mx.host.net'] }
  const refused: string[] = []
  const { ask, server } = await start(
    t,
    ['acme.org'],
    records,
    ((address: string) => !refused.push(address)) as () => boolean,
  )
  t.same((await ask({ name: 'acme.org', type: 'MX' })).answers, [{ status: 'unknown' }])
  t.same(refused, ['127.0.0.1'])
  t.same(
    server.questions.filter((question) => !question.startsWith('+')),
    [],
  )
})
