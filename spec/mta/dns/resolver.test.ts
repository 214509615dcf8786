import t from 'tap'
import { createDnsResolver } from '../../../mta/dns/resolver.ts'
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

t.test('what is not there and what is not known are told apart', async (t) => {
  const { server } = await startDnsServer(t, {
    'empty.test': {},
    'broken.test': { rcode: 'servfail' },
    'refused.test': { rcode: 'refused' },
    'silent.test': { rcode: 'silent' },
  })
  const dns = createDnsResolver({ server, timeoutMs: 50, tries: 1 })
  t.same(await dns.mx('nowhere.test'), { status: 'nxdomain' })
  t.same(await dns.mx('empty.test'), { status: 'nodata' })
  t.same(await dns.mx('broken.test'), { status: 'failed', reason: 'servfail' })
  t.match(await dns.mx('refused.test'), { status: 'failed' })
  t.same(await dns.mx('silent.test'), { status: 'failed', reason: 'timeout' })
})

t.test('names beyond ASCII are asked as A-labels, service names as they are', async (t) => {
  const { server, questions } = await startDnsServer(t, {
    'xn--bcher-kva.test': { a: ['192.0.2.1'] },
    '_dmarc.out.test': { txt: [['v=DMARC1']] },
  })
  const dns = createDnsResolver({ server })
  t.match(await dns.a('bücher.test'), { status: 'found' })
  t.match(await dns.txt('_dmarc.out.test'), { status: 'found' })
  t.same(questions, ['xn--bcher-kva.test a', '_dmarc.out.test txt'])
})

t.test('what is no name asks nobody', async (t) => {
  const { server, questions } = await startDnsServer(t, {})
  const dns = createDnsResolver({ server })
  for (const name of ['', '.', 'a..b', `${'x'.repeat(64)}.test`, 'a b.test', `${'abc.'.repeat(70)}test`]) {
    t.same(await dns.a(name), { status: 'nxdomain' }, name.slice(0, 20))
  }
  t.same(questions, [])
})
