// A resolver that does not respond delays mail only briefly, and makes nothing pass.
import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readWholeHeader } from '../../../../jmap/message/header-block.ts'
import type { DnsAnswer, DnsResolver } from '../../../../mta/dns/resolver.ts'
import { authenticate } from '../../../../mta/inbound/checks/authentication/authenticate.ts'
import { SignaturePool } from '../../../../mta/inbound/checks/authentication/signature-pool.ts'
import { dnsListsCheck } from '../../../../mta/inbound/checks/dns-lists.ts'
import type { ReceivedMessage } from '../../../../mta/smtp/session.ts'
import { ManualClock } from '../../../../server/base/clock.ts'
import { DNS_LIST_MS, SENDER_DNS_MS } from '../../../../server/base/inbound-limits.ts'
import { silentLogger } from '../../../../server/base/logger.ts'

const BODY_HASH = createHash('sha256').update('body\r\n').digest('base64')
const SIGNED = `DKIM-Signature: v=1; a=rsa-sha256; d=out.test; s=s1; h=from; bh=${BODY_HASH}; b=AAAA\r\n`
const LETTER = 'From: a@out.test\r\nSubject: x\r\n\r\nbody\r\n'

const NOTHING = { status: 'nxdomain' } as const
const record = (text: string) => ({ status: 'found', records: [text] }) as const

/** A resolver that answers the names in `known`, and no others. */
function blackHole(known: { readonly [name: string]: string } = {}) {
  const asked: string[] = []
  const ask = (name: string): Promise<DnsAnswer<never>> => {
    asked.push(name)
    const record = known[name]
    if (record === undefined) return new Promise(() => {})
    return Promise.resolve({ status: 'found', records: [record as never] })
  }
  const dns: DnsResolver = { mx: ask, a: ask, aaaa: ask, txt: ask, tlsa: ask, ptr: ask }
  return { dns, asked }
}

function start(t: Test, dns: DnsResolver, clock = new ManualClock()) {
  const pool = new SignaturePool({ dns, clock, log: silentLogger, threads: 1 })
  t.teardown(() => pool.close())
  const rules = { overrides: new Map(), trustedSealers: new Set<string>() }
  const check = (text: string) => {
    const bytes = Buffer.from(text)
    const session = { remoteAddress: '192.0.2.1', helo: 'mx.out.test' }
    const mail = { session, mailFrom: 'a@out.test', bytes, receivedAt: clock.now() } as unknown as ReceivedMessage
    return authenticate(
      { dns, clock, pool, hostname: 'mx.here.test', rules },
      { message: mail, header: readWholeHeader(bytes) },
    )
  }
  return { clock, check }
}

t.test('all lookups of a message time out together, and the message counts as undecided', async (t) => {
  const { dns, asked } = blackHole()
  const { clock, check } = start(t, dns)
  const checked = check(SIGNED + LETTER)
  const names = ['out.test', '192.0.2.1', '_dmarc.out.test', 's1._domainkey.out.test']
  while (!names.every((name) => asked.includes(name))) await turn()
  clock.advance(SENDER_DNS_MS)
  const { results, deferred } = await checked
  t.match(results, {
    spf: { result: 'temperror' },
    iprev: { result: 'temperror' },
    dkim: [{ result: 'temperror' }],
    dmarc: { result: 'temperror', disposition: 'none' },
  })
  t.notOk(deferred, 'nobody is known to ask for more')
})

t.test("a sender with slow names does not bypass another domain's policy", async (t) => {
  const { dns, asked } = blackHole({ '_dmarc.out.test': 'v=DMARC1; p=reject; psd=n' })
  const { clock, check } = start(t, dns)
  const checked = check(LETTER)
  while (!asked.includes('out.test')) await turn()
  await turn()
  clock.advance(SENDER_DNS_MS)
  t.equal((await checked).deferred, true)
})

t.test('consecutive answers are waited for', async (t) => {
  const clock = new ManualClock()
  const { dns } = blackHole({ 'out.test': 'v=spf1 include:a.test -all', 'a.test': 'v=spf1 include:b.test -all' })
  const rest: DnsResolver['txt'] = async (name) => (name === 'b.test' ? record('v=spf1 ip4:192.0.2.1 -all') : NOTHING)
  // Each answer takes nearly the whole allowed time.
  const slow: DnsResolver['txt'] = async (name) => {
    const answer = await (['out.test', 'a.test'].includes(name) ? dns.txt(name) : rest(name))
    if (name.endsWith('.test') && !name.startsWith('_')) clock.advance(SENDER_DNS_MS - 1)
    return answer
  }
  const { check } = start(t, { ...dns, txt: slow, ptr: async () => NOTHING }, clock)
  const { results, deferred } = await check(LETTER)
  t.match(results, { spf: { result: 'pass' }, dmarc: { result: 'none' } })
  t.notOk(deferred)
})

t.test('a DNS list that does not respond has no effect, and another one counts', async (t) => {
  const { dns } = blackHole({ '1.2.0.192.up.test': '127.0.0.2' })
  const clock = new ManualClock()
  const lists = ['down.test', 'up.test'].map((zone) => ({ zone, refuses: false }))
  const mail = { session: { remoteAddress: '192.0.2.1' } } as unknown as ReceivedMessage
  const checked = dnsListsCheck(dns, lists, clock).run(
    { message: mail, header: readWholeHeader(Buffer.from(LETTER)) },
    {},
  )
  await turn()
  clock.advance(DNS_LIST_MS)
  t.match(await checked, { verdict: { dnsLists: [{ zone: 'up.test' }] } })
})
