// Senders are authenticated at the end of DATA: the results are written in front of the message and passed to the core.
import { createHash, createSign, generateKeyPairSync } from 'node:crypto'
import { sealMessage } from 'mailauth'
import t, { type Test } from 'tap'
import { dkimSignatures } from '../../../../mta/outbound/dkim.ts'
import { startDnsServer, type Zone } from '../../../support/dns-server.ts'
import { matchWhole } from '../../../support/match-whole.ts'
import { SmtpClient } from '../../../support/smtp-client.ts'
import { type InboundOptions, startInbound } from '../../../support/smtp-listeners.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
const P = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const KEY = `v=DKIM1; k=rsa; p=${P}`
/** Records of the names below `out.test`, which every test may change. */
const ZONES: { [name: string]: Zone } = {
  'out.test': { txt: [['v=spf1 ip4:127.0.0.1 -all']] },
  'closed.test': { txt: [['v=spf1 -all']] },
  'shut.test': { txt: [['v=spf1 -all']] },
  '_dmarc.shut.test': { txt: [['v=DMARC1; p=reject']] },
  'elsewhere.test': { txt: [['v=spf1 ip4:127.0.0.1 -all']] },
  '_dmarc.out.test': { txt: [['v=DMARC1; p=reject']] },
  '_dmarc.careful.test': { txt: [['v=DMARC1; p=quarantine']] },
  '_dmarc.watching.test': { txt: [['v=DMARC1; p=none']] },
  '_dmarc.slow.test': { txt: [['v=DMARC1; p=reject']] },
  'slow.test': { rcode: 'silent' },
  's1._domainkey.out.test': { txt: [[KEY.slice(0, 200), KEY.slice(200)]] },
  's1._domainkey.slow.test': { rcode: 'silent' },
  '1.0.0.127.in-addr.arpa': { ptr: ['mx.out.test'] },
  'mx.out.test': { a: ['127.0.0.1'] },
}

async function setUp(t: Test, options: InboundOptions & { zones?: { [name: string]: Zone } } = {}) {
  const { server } = await startDnsServer(t, { ...ZONES, ...options.zones })
  const started = await startInbound(t, { senderChecks: {}, dns: server, ...options })
  const client = await SmtpClient.connect(started.port)
  await client.command('EHLO mx.out.test')
  t.teardown(() => client.end())
  const send = (from: string, message: string) => client.send(from, ['alice@posthouse.test'], message)
  const last = () => started.core.messages.at(-1)!
  return { ...started, client, send, last, results: () => last().verdict?.authentication }
}

function letter(from: string, body = 'body'): string {
  return `From: ${from}\r\nTo: alice@posthouse.test\r\nSubject: x\r\n\r\n${body}`
}

async function signed(domain: string, now: number, message = letter(`a@${domain}`)): Promise<string> {
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const key = { domain, selector: 's1', algorithm: 'rsa', privateKey: pem } as const
  return (await dkimSignatures(Buffer.from(message), [key], now)) + message
}

t.test('SPF, iprev and DMARC results are written to the header and passed to the core', async (t) => {
  const { send, last, results } = await setUp(t)
  t.match(await send('a@out.test', letter('Ann <a@out.test>')), '250')
  matchWhole(t, results(), {
    spf: { result: 'pass', identity: 'mailfrom', domain: 'out.test' },
    dkim: [],
    dmarc: { result: 'pass', domain: 'out.test', policy: 'reject', disposition: 'none' },
    arc: { result: 'none' },
    iprev: { result: 'pass', name: 'mx.out.test' },
  })
  t.same(last().verdict?.client, { address: '127.0.0.1', helo: 'mx.out.test' })
  const text = Buffer.from(last().bytes).toString()
  t.match(
    text,
    /^Return-Path: <a@out\.test>\r\nAuthentication-Results: mx\.posthouse\.test;\r\n iprev=pass policy\.iprev=127\.0\.0\.1 \(mx\.out\.test\);\r\n spf=pass smtp\.mailfrom=out\.test;\r\n dkim=none;\r\n arc=none;\r\n dmarc=pass policy\.dmarc=reject header\.from=out\.test\r\nReceived: /,
  )
})

t.test('a valid signature passes DMARC where SPF does not', async (t) => {
  const { send, results, clock } = await setUp(t)
  t.match(await send('bounce@closed.test', await signed('out.test', clock.now())), '250')
  t.match(results(), {
    spf: { result: 'fail' },
    dkim: [{ result: 'pass', domain: 'out.test', selector: 's1', algorithm: 'rsa-sha256', aligned: true }],
    dmarc: { result: 'pass' },
  })
})

t.test('a changed body breaks the signature, and the policy refuses the message', async (t) => {
  const { core, send, clock } = await setUp(t)
  const message = await signed('out.test', clock.now())
  t.match(await send('bounce@closed.test', `${message} and more`), '550 5.7.26')
  t.equal(core.messages.length, 0)
  t.match(await send('bounce@closed.test', message), '250', 'unchanged it is taken')
})

t.test('the policy is applied: reject, quarantine, none', async (t) => {
  const { core, send, last, results } = await setUp(t)
  t.match(await send('x@closed.test', letter('a@out.test')), '550 5.7.26')
  t.match(await send('x@closed.test', letter('a@deep.below.out.test')), '550 5.7.26', 'a subdomain has its policy')
  t.equal(core.messages.length, 0)
  t.match(await send('x@closed.test', letter('a@careful.test')), '250')
  t.match(results()?.dmarc, { result: 'fail', policy: 'quarantine', disposition: 'quarantine' })
  t.match(last().verdict?.quarantine, /careful\.test/)
  t.match(await send('x@closed.test', letter('a@watching.test')), '250')
  t.match(results()?.dmarc, { result: 'fail', policy: 'none', disposition: 'none' })
  t.equal(last().verdict?.quarantine, undefined)
  t.match(await send('x@closed.test', letter('a@unknown.test')), '250')
  t.match(results()?.dmarc, { result: 'none', policy: null })
})

t.test("the operator can override a domain's policy", async (t) => {
  const overrides = new Map([
    ['out.test', 'none'],
    ['below.out.test', 'quarantine'],
    ['watching.test', 'reject'],
  ] as const)
  const { send, results } = await setUp(t, { senderChecks: { dmarc: { overrides, trustedSealers: new Set() } } })
  t.match(await send('x@closed.test', letter('a@out.test')), '250')
  t.match(results()?.dmarc, { result: 'fail', policy: 'reject', disposition: 'none' })
  t.match(await send('x@closed.test', letter('a@deep.below.out.test')), '250')
  t.match(results()?.dmarc, { result: 'fail', disposition: 'quarantine' })
  t.match(await send('x@closed.test', letter('a@watching.test')), '550 5.7.26')
})

t.test('a DNS timeout is temperror, never a pass, and defers the message if it decides the result', async (t) => {
  const { core, send, results, clock } = await setUp(t)
  t.match(await send('x@slow.test', letter('a@unknown.test')), '250')
  t.match(results(), { spf: { result: 'temperror' }, dmarc: { result: 'none' } })
  const before = core.messages.length
  t.match(await send('x@slow.test', letter('a@out.test')), '451 4.7.24')
  t.match(await send('x@closed.test', await signed('slow.test', clock.now())), '451 4.7.24')
  t.equal(core.messages.length, before)
})

t.test('a message with several authors is quarantined; without an author no policy is looked up', async (t) => {
  const { send, results } = await setUp(t)
  t.match(await send('a@out.test', `From: b@victim.test\r\n${letter('a@out.test')}`), '250')
  t.match(results()?.dmarc, { result: 'permerror', domain: null, disposition: 'quarantine' })
  t.match(await send('a@out.test', letter('a@out.test, b@victim.test')), '250')
  t.match(results()?.dmarc, { result: 'permerror', disposition: 'quarantine' })
  const crowd = `${'b@victim.test,\r\n '.repeat(6_000)}a@out.test`
  t.match(await send('a@out.test', letter(crowd)), '250')
  t.match(results()?.dmarc, { result: 'permerror', domain: null, disposition: 'quarantine' })
  t.match(await send('a@out.test', 'Subject: x\r\n\r\nbody'), '250')
  t.match(results()?.dmarc, { result: 'permerror', domain: null, disposition: 'none' })
})

t.test("a client's HELO name cannot add header fields", async (t) => {
  const { core, send, client, last } = await setUp(t)
  t.match(await client.command('EHLO a;dkim=pass(b'), '250')
  t.match(await send('', letter('a@unknown.test')), '250')
  t.match(Buffer.from(last().bytes).toString(), ' smtp.helo="a;dkim=pass(b";\r\n')
  t.equal(core.messages.length, 1)
})

/** A signature that is valid over the line `body` and the From of `letter`; it does not cover later lines. */
function signatureOverOneLine(): string {
  const bodyHash = createHash('sha256').update('body\r\n').digest('base64')
  const field = `DKIM-Signature: v=1; a=rsa-sha256; c=simple/simple; d=out.test; s=s1; h=from; l=6; bh=${bodyHash}; b=`
  return `${field}${createSign('sha256').update(`From: a@out.test\r\n${field}`).sign(privateKey, 'base64')}\r\n`
}

t.test('SPF counts for DMARC if it passes, and for the domain of From only', async (t) => {
  const { core, send, results } = await setUp(t)
  t.match(
    await send('a@shut.test', letter('a@shut.test')),
    '550 5.7.26',
    'its own domain, which does not send from here',
  )
  t.match(await send('a@elsewhere.test', letter('a@out.test')), '550 5.7.26', 'another domain, which does')
  t.equal(core.messages.length, 0)
  t.match(await send('a@elsewhere.test', letter('a@elsewhere.test')), '250', 'control')
  t.match(results()?.spf, { result: 'pass', domain: 'elsewhere.test' })
})

t.test('a signature over a part of the body does not count', async (t) => {
  const { send, results } = await setUp(t)
  const message = signatureOverOneLine() + letter('a@out.test')
  t.match(await send('x@closed.test', message), '250', 'control: over the whole body it does')
  t.match(results()?.dkim, [{ result: 'pass', domain: 'out.test', aligned: true }])
  t.match(await send('x@closed.test', `${message}\r\nAdded.`), '550 5.7.26')
  t.match(await send('a@out.test', `${message}\r\nAdded.`), '250', 'SPF passes')
  t.match(results()?.dkim, [{ result: 'policy', domain: 'out.test', aligned: false }])
})

t.test('a header of a large size is checked, and the policy still applies', async (t) => {
  const { send, results, clock } = await setUp(t)
  const message = await signed('out.test', clock.now())
  const long = `X-Long: ${'x '.repeat(125_000)}\r\n${message}`
  t.match(await send('x@closed.test', long), '250')
  t.match(results()?.dkim, [{ result: 'pass', aligned: true }])
  t.match(await send('x@closed.test', `${long}\r\nAdded.`), '550 5.7.26')
})

t.test('an address on a DNS list adds to the score, or is refused', async (t) => {
  const zones = {
    '1.0.0.127.soft.test': { a: ['127.0.0.2'] },
    '1.0.0.127.hard.test': { a: ['127.0.0.4'] },
    '1.0.0.127.closed-list.test': { a: ['127.255.255.254'] },
    '1.0.0.127.wildcard.test': { a: ['192.0.2.1'] },
  }
  const soft = (...names: string[]) => names.map((zone) => ({ zone, refuses: false }))
  const lists = soft('soft.test', 'closed-list.test', 'wildcard.test', 'unlisted.test')
  const { send, last } = await setUp(t, { zones, senderChecks: { dnsLists: lists } })
  t.match(await send('a@out.test', letter('a@out.test')), '250')
  t.same(last().verdict?.dnsLists, [{ zone: 'soft.test', subject: '127.0.0.1' }])
  const strict = await setUp(t, { zones, senderChecks: { dnsLists: [{ zone: 'hard.test', refuses: true }] } })
  t.match(await strict.send('a@out.test', letter('a@out.test')), '550 5.7.1 127.0.0.1 is listed in hard.test')
  t.equal(strict.core.messages.length, 0)
})

t.test('without the checks nothing is looked up and nothing is written', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  t.match(await client.send('x@closed.test', ['alice@posthouse.test'], letter('a@out.test')), '250')
  t.notMatch(Buffer.from(core.messages[0]!.bytes).toString(), 'Authentication-Results')
  t.equal(core.messages[0]?.verdict?.authentication, undefined)
  client.end()
})

t.test('a chain of seals is reported, and trusted only from sealers that the operator names', async (t) => {
  const zones = { 's1._domainkey.lists.test': { txt: [[KEY.slice(0, 200), KEY.slice(200)]] } }
  const original = letter('a@out.test')
  const sealed = async (dmarc: string) => {
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const seal = { signingDomain: 'lists.test', selector: 's1', privateKey: pem, cv: 'none' as const }
    const authResults = `lists.test; dmarc=${dmarc} header.from=out.test`
    return (await sealMessage(Buffer.from(original), { ...seal, authResults })).toString() + original
  }
  const rules = (...sealers: string[]) => ({ dmarc: { overrides: new Map(), trustedSealers: new Set(sealers) } })
  const strangers = await setUp(t, { zones, senderChecks: rules('other.test') })
  t.match(await strangers.send('list@closed.test', await sealed('pass')), '550 5.7.26')
  const friends = await setUp(t, { zones, senderChecks: rules('lists.test') })
  t.match(await friends.send('list@closed.test', await sealed('fail')), '550 5.7.26', 'it failed before them too')
  const broken = (await sealed('fail')).replace('dmarc=fail', 'dmarc=pass')
  t.match(await friends.send('list@closed.test', broken), '550 5.7.26', 'a chain that was changed')
  t.match(await friends.send('list@closed.test', await sealed('pass')), '250')
  t.match(friends.results(), {
    arc: { result: 'pass', domain: 'lists.test' },
    dmarc: { result: 'fail', policy: 'reject', disposition: 'none' },
  })
})
