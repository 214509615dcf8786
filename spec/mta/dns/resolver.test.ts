import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import { createDnsResolver } from '../../../mta/dns/resolver.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { startDnsServer } from '../../support/dns-server.ts'

t.test('records are found by type', async (t) => {
  const { server } = await startDnsServer(t, {
    'out.test': {
      mx: [
        [20, 'mx2.out.test'],
        [10, 'mx1.out.test'],
      ],
      a: ['192.0.2.1'],
      aaaa: ['2001:db8::1'],
      txt: [['v=spf1 ', '-all'], ['other']],
    },
    'null.test': { mx: [[0, '']] },
  })
  const dns = createDnsResolver({ server })
  const mx = await dns.mx('out.test')
  t.same(
    mx.status === 'found' && new Set(mx.records.map(({ exchange }) => exchange)),
    new Set(['mx1.out.test', 'mx2.out.test']),
  )
  t.same(await dns.a('OUT.test.'), { status: 'found', records: ['192.0.2.1'] })
  t.same(await dns.aaaa('out.test'), { status: 'found', records: ['2001:db8::1'] })
  t.same(await dns.txt('out.test'), { status: 'found', records: ['v=spf1 -all', 'other'] })
  t.same(await dns.mx('null.test'), { status: 'found', records: [{ preference: 0, exchange: '' }] })
})

t.test('missing records and failed lookups are distinguished', async (t) => {
  const { server } = await startDnsServer(t, {
    'empty.test': {},
    'broken.test': { rcode: 'servfail' },
    'refused.test': { rcode: 'refused' },
    'silent.test': { rcode: 'silent' },
  })
  const dns = createDnsResolver({ server, tries: 1 })
  t.same(await dns.mx('nowhere.test'), { status: 'nxdomain' })
  t.same(await dns.mx('empty.test'), { status: 'nodata' })
  t.same(await dns.mx('broken.test'), { status: 'failed', reason: 'servfail' })
  t.match(await dns.mx('refused.test'), { status: 'failed' })
  const hasty = createDnsResolver({ server, timeoutMs: 50, tries: 1 })
  t.same(await hasty.mx('silent.test'), { status: 'failed', reason: 'timeout' })
})

t.test('names beyond ASCII are queried as A-labels, service names unchanged', async (t) => {
  const { server, questions } = await startDnsServer(t, {
    'xn--bcher-kva.test': { a: ['192.0.2.1'] },
    '_dmarc.out.test': { txt: [['v=DMARC1']] },
  })
  const dns = createDnsResolver({ server })
  t.match(await dns.a('bücher.test'), { status: 'found' })
  t.match(await dns.txt('_dmarc.out.test'), { status: 'found' })
  t.same(questions, ['xn--bcher-kva.test a', '_dmarc.out.test txt'])
})

t.test('text that is not a name sends no query', async (t) => {
  const { server, questions } = await startDnsServer(t, {})
  const dns = createDnsResolver({ server })
  for (const name of ['', '.', 'a..b', `${'x'.repeat(64)}.test`, 'a b.test', `${'abc.'.repeat(70)}test`]) {
    t.same(await dns.a(name), { status: 'nxdomain' }, name.slice(0, 20))
  }
  t.same(questions, [])
})

t.test('an answer is cached for its TTL, and simultaneous queries are sent once', async (t) => {
  const { server, questions } = await startDnsServer(t, {
    'kept.test': { a: ['192.0.2.1'], ttl: 100 },
    'fresh.test': { a: ['192.0.2.1'], ttl: 0 },
    'absent.test': { negativeTtl: 50 },
    'unsaid.test': {},
  })
  const clock = new ManualClock()
  const dns = createDnsResolver({ server, clock })
  const asked = async (name: string) => {
    const before = questions.length
    await Promise.all([dns.a(name), dns.a(name.toUpperCase())])
    return questions.length - before
  }
  t.same([await asked('kept.test'), await asked('kept.test')], [1, 0])
  t.same([await asked('fresh.test'), await asked('fresh.test')], [1, 1], 'a TTL of 0')
  t.same([await asked('absent.test'), await asked('absent.test')], [1, 0], 'an absence with an SOA')
  t.same([await asked('unsaid.test'), await asked('unsaid.test')], [1, 1], 'an absence without one')
  clock.advance(60_000)
  t.equal(await asked('absent.test'), 1)
  t.equal(await asked('kept.test'), 0)
  clock.advance(41_000)
  t.equal(await asked('kept.test'), 1)
})

t.test('aliases are followed, and the shortest TTL on the way counts', async (t) => {
  const { server, questions } = await startDnsServer(t, {
    'alias.test': { cname: 'target.test', ttl: 10 },
    'target.test': { a: ['192.0.2.7'], ttl: 1_000 },
    'dangling.test': { cname: 'nowhere.test' },
  })
  const clock = new ManualClock()
  const dns = createDnsResolver({ server, clock })
  t.same(await dns.a('alias.test'), { status: 'found', records: ['192.0.2.7'] })
  t.match(await dns.a('dangling.test'), { status: 'nodata' })
  clock.advance(11_000)
  await dns.a('alias.test')
  t.equal(questions.filter((question) => question === 'alias.test a').length, 2)
})

t.test('an answer that is truncated over UDP is fetched over TCP', async (t) => {
  const long = Array.from({ length: 40 }, (_, i) => [`${i} ${'x'.repeat(200)}`])
  const { server, questions } = await startDnsServer(t, { 'long.test': { txt: long, truncated: true } })
  const answer = await createDnsResolver({ server }).txt('long.test')
  t.equal(answer.status === 'found' && answer.records.length, 40)
  t.equal(questions.length, 2)
})

t.test('reverse names, and addresses in their short form', async (t) => {
  const { server } = await startDnsServer(t, {
    '1.2.0.192.in-addr.arpa': { ptr: ['mx.out.test'] },
    '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa': { ptr: ['six.out.test'] },
    'forms.test': { aaaa: ['2001:db8::1', '::1', 'fe80::', '2001:db8:0:1:0:0:0:1', '1:0:2:3:4:5:6:7', '::'] },
  })
  const dns = createDnsResolver({ server })
  t.same(await dns.ptr('192.0.2.1'), { status: 'found', records: ['mx.out.test'] })
  t.same(await dns.ptr('2001:db8::1'), { status: 'found', records: ['six.out.test'] })
  t.same(await dns.ptr('1.2.0.192.in-addr.arpa'), { status: 'found', records: ['mx.out.test'] })
  const forms = await dns.aaaa('forms.test')
  t.same(forms.status === 'found' && forms.records, [
    '2001:db8::1',
    '::1',
    'fe80::',
    '2001:db8:0:1::1',
    '1:0:2:3:4:5:6:7',
    '::',
  ])
})

t.test('an answer to another question, or with another id, is ignored', async (t) => {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const answer = (id: number, name: string, last: number) => {
      const bytes = Buffer.concat([query, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, last])])
      bytes.writeUInt16BE(id, 0)
      bytes.writeUInt16BE(0x8180, 2)
      bytes.writeUInt16BE(1, 6)
      bytes.writeUInt16BE(0, 10)
      bytes.write(name, 13, 'latin1')
      return Buffer.concat([bytes.subarray(0, query.length - 11), bytes.subarray(query.length)])
    }
    const id = query.readUInt16BE(0)
    socket.send(answer((id + 1) & 0xffff, 'out', 66), from.port, from.address)
    socket.send(answer(id, 'oth', 66), from.port, from.address)
    socket.send(Buffer.from('garbage'), from.port, from.address)
    socket.send(answer(id, 'out', 1), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  const dns = createDnsResolver({ server: `127.0.0.1:${socket.address().port}` })
  t.same(await dns.a('out.test'), { status: 'found', records: ['192.0.2.1'] })
})

t.test('an answer too large for the cache is queried each time', async (t) => {
  const long = Array.from({ length: 40 }, (_, i) => [`${i} ${'x'.repeat(200)}`])
  const { server, questions } = await startDnsServer(t, { 'long.test': { txt: long, truncated: true } })
  const dns = createDnsResolver({ server })
  for (let i = 0; i < 2; i++) t.match(await dns.txt('long.test'), { status: 'found' })
  t.equal(questions.length, 4, 'over UDP and TCP')
})
