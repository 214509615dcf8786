import t, { type Test } from 'tap'
import { startQueue } from '../../support/outbound-queue.ts'
import { type PeerOptions, startPeer } from '../../support/smtp-peer.ts'

const DNS = {
  'out.test': {
    mx: [
      [10, 'mx1.out.test'],
      [20, 'mx2.out.test'],
    ] as [number, string][],
  },
  'also.test': {
    mx: [
      [10, 'mx1.out.test'],
      [20, 'mx2.out.test'],
    ] as [number, string][],
  },
  'other.test': { mx: [[10, 'mx2.out.test']] as [number, string][] },
  'mx1.out.test': { a: ['127.0.0.1'] },
  'mx2.out.test': { a: ['127.0.0.2'] },
  'bare.test': { a: ['127.0.0.1'] },
  'null.test': { mx: [[0, '']] as [number, string][] },
  'broken.test': { rcode: 'servfail' as const },
  'xn--bcher-kva.test': { mx: [[10, 'mx1.out.test']] as [number, string][] },
}

async function withPeers(t: Test, first: PeerOptions = {}, second: PeerOptions = {}) {
  const one = await startPeer(t, first)
  const two = await startPeer(t, { host: '127.0.0.2', port: one.port, ...second })
  const started = await startQueue(t, { routing: { mode: 'mx', port: one.port }, dns: DNS })
  return { one, two, ...started }
}

t.test('a message goes to the best mail host, as stored', async (t) => {
  const { core, one, two, send } = await withPeers(t)
  const { bytes } = await send(['x@out.test'])
  t.equal(one.messages.length, 1)
  t.equal(two.messages.length, 0)
  t.equal(one.messages[0]?.mail.startsWith('MAIL FROM:<alice@posthouse.test>'), true)
  t.ok(one.messages[0]?.data.equals(Buffer.from(bytes)))
  t.match(one.lines[0], 'EHLO mx.posthouse.test')
  t.match(core.reports[0], {
    retryAt: null,
    outcomes: [{ address: 'x@out.test', status: 'sent', smtpReply: '250 2.0.0 ok', host: 'mx1.out.test' }],
  })
})

t.test('domains with the same mail hosts share a transaction, others do not', async (t) => {
  const { core, one, two, send } = await withPeers(t)
  await send(['x@out.test', 'y@also.test', 'z@other.test'])
  t.equal(one.messages[0]?.rcpt.length, 2)
  t.equal(two.messages[0]?.rcpt.length, 1)
  t.equal(core.reports[0]?.outcomes.filter(({ status }) => status === 'sent').length, 3)
})

t.test('without MX records mail goes to the address of the domain', async (t) => {
  const { one, send } = await withPeers(t)
  await send(['x@bare.test'])
  t.equal(one.messages.length, 1)
})

for (const [name, first] of [
  ['greets with 421', { greeting: '421 4.3.2 busy' }],
  ['greets with 554', { greeting: '554 5.7.1 not you' }],
  ['closes at once', { greeting: 'close' }],
  ['defers the sender', { reply: (line: string) => (line.startsWith('MAIL') ? '451 4.3.0 later' : null) }],
] as const) {
  t.test(`if the best host ${name} the next one is tried`, async (t) => {
    const { core, two, send } = await withPeers(t, first)
    await send(['x@out.test'])
    t.equal(two.messages.length, 1)
    t.match(core.reports[0]?.outcomes, [{ status: 'sent', host: 'mx2.out.test' }])
  })
}

t.test('if no host accepts the connection the message is retried', async (t) => {
  const { core, send } = await withPeers(t, { greeting: '421 4.3.2 busy' }, { greeting: 'close' })
  await send(['x@out.test'])
  t.match(core.reports[0], { retryAt: Date.UTC(2026, 0, 1) + 60_000, outcomes: [{ status: 'deferred' }] })
})

t.test('hosts that never accept mail are a permanent failure (RFC 7504)', async (t) => {
  const { core, send } = await withPeers(t, { greeting: '521 no mail here' }, { greeting: '521 5.3.2 nor here' })
  await send(['x@out.test'])
  t.match(core.reports[0], { retryAt: null, outcomes: [{ status: 'refused', smtpReply: '521 5.3.2 nor here' }] })
})

t.test('each recipient has a separate outcome', async (t) => {
  const { core, one, send } = await withPeers(t, {
    reply: (line) => {
      if (line.includes('<gone@')) return '550-5.1.1 no such\n550 5.1.1 person'
      if (line.includes('<full@')) return '452 4.2.2 full'
      if (line.includes('<odd@')) return '550 no enhanced code'
      return null
    },
  })
  await send(['gone@out.test', 'full@out.test', 'x@out.test', 'odd@out.test'])
  t.equal(one.messages[0]?.rcpt.length, 1)
  const byAddress = Object.fromEntries(
    core.reports[0]!.outcomes.map((one) => [one.address, `${one.status} ${one.smtpReply}`]),
  )
  t.same(byAddress, {
    'gone@out.test': 'refused 550 5.1.1 no such person',
    'full@out.test': 'deferred 452 4.2.2 full',
    'x@out.test': 'sent 250 2.0.0 ok',
    'odd@out.test': 'refused 550 5.0.0 no enhanced code',
  })
  t.equal(core.reports[0]?.retryAt, Date.UTC(2026, 0, 1) + 60_000)
})

for (const extensions of [['PIPELINING'], []]) {
  const how = extensions.length > 0 ? 'pipelined' : 'one by one'
  t.test(`the reply to RCPT counts, unless the message is refused as a whole, ${how} (RFC 8621 7)`, async (t) => {
    const reply = (line: string) => {
      if (line.startsWith('RCPT')) return `250-2.1.5 ${/<(\w+)/.exec(line)![1]}\n250 2.1.5 is known`
      return line === '.' && taken === false ? '554 5.7.1 spam' : null
    }
    let taken = true
    const { core, send } = await withPeers(t, { extensions, reply }, { extensions, reply })
    await send(['x@out.test', 'y@out.test'])
    taken = false
    await send(['x@out.test'])
    t.match(core.reports, [
      { outcomes: [{ smtpReply: '250 2.1.5 x is known' }, { smtpReply: '250 2.1.5 y is known' }] },
      { outcomes: [{ status: 'refused', smtpReply: '554 5.7.1 spam' }] },
    ])
  })
}

for (const [name, verb, reply, status] of [
  ['MAIL refused', 'MAIL', '550 5.7.1 no', 'refused'],
  ['every recipient refused', 'RCPT', '550 5.1.1 no', 'refused'],
  ['every recipient deferred', 'RCPT', '450 4.2.0 greylisted', 'deferred'],
  ['DATA refused', 'DATA', '554 5.7.1 no', 'refused'],
  ['DATA deferred', 'DATA', '451 4.3.0 later', 'deferred'],
  ['the message refused', '.', '554 5.7.1 spam', 'refused'],
  ['the message deferred', '.', '451 4.3.0 later', 'deferred'],
  ['421 after the message', '.', '421 4.3.2 going', 'deferred'],
  ['503', 'DATA', '503 5.5.1 what?', 'deferred'],
  ['a connection lost after DATA', '.', 'close', 'deferred'],
  ['nonsense', '.', '999 what', 'deferred'],
] as const) {
  for (const extensions of [['PIPELINING'], []]) {
    t.test(`${name}${extensions.length > 0 ? ', pipelined' : ''}: ${status}`, async (t) => {
      const answer = { extensions, reply: (line: string) => (line.startsWith(verb) ? reply : null) }
      const { core, send } = await withPeers(t, answer, answer)
      await send(['x@out.test', 'y@out.test'])
      const report = core.reports[0]!
      t.same(
        report.outcomes.map((one) => one.status),
        [status, status],
      )
      t.equal(report.retryAt === null, status === 'refused')
      if (/^[45]/.test(reply)) t.match(report.outcomes[0]?.smtpReply, reply)
    })
  }
}

t.test('552 for one of several recipients means too many, and is retried', async (t) => {
  const { core, send } = await withPeers(t, { reply: (line) => (line.includes('<y@') ? '552 too many' : null) })
  await send(['x@out.test', 'y@out.test'])
  t.match(core.reports[0]?.outcomes, [{ status: 'sent' }, { status: 'deferred' }])
})

for (const [domain, status, reply] of [
  ['nowhere.test', 'refused', '550 5.1.2'],
  ['null.test', 'refused', '556 5.1.10'],
  ['broken.test', 'deferred', '451 4.4.3'],
] as const) {
  t.test(`${domain}: ${status} ${reply}`, async (t) => {
    const { core, send } = await withPeers(t)
    await send([`x@${domain}`])
    t.match(core.reports[0]?.outcomes, [{ status, smtpReply: reply, host: null }])
  })
}

t.test('an address that SMTP cannot carry is refused and the others are sent', async (t) => {
  const { core, one, send } = await withPeers(t)
  await send(['x\r\nRCPT TO:<evil@out.test>@out.test', 'good@out.test', '"<>"@out.test'])
  t.equal(one.messages.length, 1)
  t.same(one.messages[0]?.rcpt, ['RCPT TO:<good@out.test>'])
  t.equal(core.reports[0]?.outcomes.filter(({ status }) => status === 'refused').length, 2)
})

t.test('more than a hundred recipients go in several transactions over one connection', async (t) => {
  const { one, send } = await withPeers(t)
  await send(Array.from({ length: 250 }, (_, i) => `r${i}@out.test`))
  t.same(
    one.messages.map(({ rcpt }) => rcpt.length),
    [100, 100, 50],
  )
  t.equal(one.connections, 1)
})

t.test('the next message uses the open connection; one that the peer has closed is replaced', async (t) => {
  const { core, one, two, send } = await withPeers(t, {
    reply: (line, n) => (line.includes('<second@') && n === 1 ? 'close' : null),
  })
  await send(['first@out.test'])
  await send(['again@out.test'])
  t.equal(one.connections, 1)
  await send(['second@out.test'])
  t.equal(one.connections, 2)
  t.equal(one.messages.length, 3)
  t.equal(two.connections, 0)
  t.equal(core.reports.length, 3)
})

t.test('an idle connection is closed after a while', async (t) => {
  const { clock, one, send } = await withPeers(t)
  await send(['first@out.test'])
  clock.advance(5_000)
  await send(['again@out.test'])
  t.equal(one.connections, 2)
  t.ok(one.lines.includes('QUIT'))
})

t.test('STARTTLS is used if it works', async (t) => {
  const { one, send } = await withPeers(t, { tls: true })
  await send(['x@out.test'])
  t.equal(one.messages[0]?.secure, true)
})

t.test('if the handshake fails, mail is sent in clear to the same host', async (t) => {
  const { one, two, send } = await withPeers(t, { tls: 'broken' })
  await send(['x@out.test'])
  t.equal(one.messages[0]?.secure, false)
  t.equal(two.messages.length, 0)
})

t.test('if STARTTLS is refused, mail is sent in clear', async (t) => {
  const { one, send } = await withPeers(t, {
    tls: true,
    reply: (line) => (line === 'STARTTLS' ? '454 4.7.0 not now' : null),
  })
  await send(['x@out.test'])
  t.equal(one.messages[0]?.secure, false)
})

t.test('DSN parameters are sent to a peer that supports DSN, each with its recipient', async (t) => {
  const { one, send } = await withPeers(t)
  await send([], {
    parameters: { RET: 'HDRS', ENVID: 'a+b c' },
    recipients: [
      { address: 'x@out.test', parameters: { NOTIFY: 'SUCCESS,FAILURE', ORCPT: 'rfc822;y+z@out.test' } },
      { address: 'y@out.test', parameters: { NOTIFY: 'NEVER' } },
      { address: 'z@out.test', parameters: {} },
    ],
  })
  t.match(one.messages[0]?.mail, / RET=HDRS ENVID=a\+2Bb\+20c$/)
  t.same(one.messages[0]?.rcpt, [
    'RCPT TO:<x@out.test> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;y+2Bz@out.test',
    'RCPT TO:<y@out.test> NOTIFY=NEVER',
    'RCPT TO:<z@out.test>',
  ])
})

t.test('DSN parameters are not sent to a peer without DSN', async (t) => {
  const { one, send } = await withPeers(t, { extensions: [] })
  await send([], {
    parameters: { RET: 'HDRS' },
    recipients: [{ address: 'x@out.test', parameters: { NOTIFY: 'NEVER' } }],
  })
  t.same([one.messages[0]?.mail, one.messages[0]?.rcpt], ['MAIL FROM:<alice@posthouse.test>', ['RCPT TO:<x@out.test>']])
})

t.test('a domain beyond ASCII needs no SMTPUTF8', async (t) => {
  const { one, send } = await withPeers(t, { extensions: [] })
  await send(['x@bücher.test'])
  t.same(one.messages[0]?.rcpt, ['RCPT TO:<x@xn--bcher-kva.test>'])
})

t.test('a local part beyond ASCII is sent to a peer with SMTPUTF8, and is 5.6.7 without', async (t) => {
  const good = await withPeers(t)
  await good.send(['jörg@out.test'])
  t.match(good.one.messages[0]?.mail, ' SMTPUTF8')
  t.same(good.one.messages[0]?.rcpt, ['RCPT TO:<jörg@out.test>'])
  const bad = await withPeers(t, { extensions: ['8BITMIME'] })
  await bad.send(['jörg@out.test', 'x@out.test'])
  t.match(bad.core.reports[0]?.outcomes, [
    { address: 'jörg@out.test', status: 'refused', smtpReply: '553 5.6.7' },
    { address: 'x@out.test', status: 'sent' },
  ])
})

t.test('a header beyond ASCII sets SMTPUTF8, a body beyond it BODY=8BITMIME', async (t) => {
  const { one, send } = await withPeers(t)
  await send(['x@out.test'], { bytes: Buffer.from('Subject: hellå\r\n\r\nbody\r\n') })
  t.match(one.messages[0]?.mail, / BODY=8BITMIME.* SMTPUTF8$/)
  await send(['x@out.test'], { bytes: Buffer.from('Subject: hello\r\n\r\nbådy\r\n') })
  t.match(one.messages[1]?.mail, 'BODY=8BITMIME')
  t.notMatch(one.messages[1]?.mail, 'SMTPUTF8')
})

t.test('a peer without 8BITMIME, or with too small a SIZE, does not get what it cannot accept', async (t) => {
  const eight = await withPeers(t, { extensions: [] })
  await eight.send(['x@out.test'], { bytes: Buffer.from('Subject: hello\r\n\r\nbådy\r\n') })
  t.match(eight.core.reports[0]?.outcomes, [{ status: 'refused', smtpReply: '554 5.6.3' }])
  const size = await withPeers(t, { extensions: ['SIZE 10'] })
  await size.send(['x@out.test'])
  t.match(size.core.reports[0]?.outcomes, [{ status: 'refused', smtpReply: '552 5.3.4' }])
  t.equal(eight.one.messages.length + size.one.messages.length, 0)
})
