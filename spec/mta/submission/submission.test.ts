import { createTransport } from 'nodemailer'
import t from 'tap'
import { Failure } from '../../../server/base/errors.ts'
import { ALICE } from '../../support/memory-core.ts'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startSubmission } from '../../support/smtp-listeners.ts'

const plain = (user: string, password: string) => Buffer.from(`\0${user}\0${password}`).toString('base64')
const LOGIN = `AUTH PLAIN ${plain('alice@posthouse.test', 'secret')}`

async function loggedIn(port: number): Promise<SmtpClient> {
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  await client.startTls()
  await client.commands(['EHLO client.test', '250'], [LOGIN, '235'])
  return client
}

t.test('before TLS only STARTTLS is accepted, and AUTH is not offered', async (t) => {
  const { core, port } = await startSubmission(t)
  const client = await SmtpClient.connect(port)
  t.notMatch(await client.command('EHLO client.test'), 'AUTH')
  t.match(await client.command(LOGIN), '538 5.7.11')
  t.match(await client.command('MAIL FROM:<alice@posthouse.test>'), '530 5.7.0 Must issue a STARTTLS')
  t.equal(core.credentials.length, 0)
  await client.startTls()
  t.match(await client.command('EHLO client.test'), 'AUTH PLAIN LOGIN')
  t.match(await client.command('MAIL FROM:<alice@posthouse.test>'), '530 5.7.0 Authentication required')
  t.match(await client.command(LOGIN), '235')
  t.match(await client.command('MAIL FROM:<alice@posthouse.test>'), '250')
  client.end()
})

t.test('AUTH before STARTTLS does not count after it', async (t) => {
  const { port } = await startSubmission(t)
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  await client.startTls(`${LOGIN}\r\nMAIL FROM:<alice@posthouse.test>\r\n`)
  await client.command('EHLO client.test')
  t.match(await client.command('MAIL FROM:<alice@posthouse.test>'), '530')
  client.end()
})

t.test('wrong passwords are 535 and end the connection at the third', async (t) => {
  const { core, port } = await startSubmission(t, { implicitTls: true })
  const client = await SmtpClient.connect(port, { tls: true })
  await client.command('EHLO client.test')
  for (let i = 0; i < 3; i++) {
    t.match(await client.command(`AUTH PLAIN ${plain('alice@posthouse.test', 'wrong')}`), '535 5.7.8')
  }
  t.match(await client.reply(), '421 4.7.0')
  await client.closed()
  const given = { kind: 'password', address: 'alice@posthouse.test', password: 'wrong', ip: '127.0.0.1' }
  t.same(core.credentials[0], { ...given, device: 'client.test' })
})

t.test('AUTH LOGIN also works, and a second AUTH does not', async (t) => {
  const { port } = await startSubmission(t, { implicitTls: true })
  const client = await SmtpClient.connect(port, { tls: true })
  await client.commands(['EHLO client.test', '250'], ['AUTH LOGIN', '334'])
  await client.commands([Buffer.from('alice@posthouse.test').toString('base64'), '334'])
  t.match(await client.command(Buffer.from('secret').toString('base64')), '235')
  t.match(await client.command(LOGIN), '503')
  client.end()
})

t.test('a core that cannot check is 454, not 535', async (t) => {
  const { core, port } = await startSubmission(t, { implicitTls: true })
  core.fail('authenticate', new Failure('storageUnavailable', 'secret'))
  const client = await SmtpClient.connect(port, { tls: true })
  await client.command('EHLO client.test')
  t.match(await client.command(LOGIN), '454 4.7.0')
  t.match(await client.command(LOGIN), '235')
  client.end()
})

t.test('a connection without authentication within a minute is closed, an authenticated one is not', async (t) => {
  const { clock, port } = await startSubmission(t)
  const good = await loggedIn(port)
  const client = await SmtpClient.connect(port)
  for (let i = 0; i < 4; i++) {
    await client.commands(['NOOP', '250'])
    clock.advance(14_000)
  }
  clock.advance(10_000)
  t.match(await client.reply(), '421 4.4.2')
  t.match(await good.command('NOOP'), '250')
  good.end()
})

t.test(
  'the core gets a complete message: Date and Message-ID added, Bcc removed, no address of the client',
  async (t) => {
    const { core, port } = await startSubmission(t)
    const client = await loggedIn(port)
    const message =
      'From: alice@posthouse.test\r\nBcc: hidden@out.test,\r\n other@out.test\r\nTo: x@out.test\r\n\r\nbody'
    await client.commands(['MAIL FROM:<alice@posthouse.test> RET=HDRS ENVID=a+2Bb BODY=8BITMIME', '250'])
    await client.commands(['RCPT TO:<x@out.test> NOTIFY=SUCCESS,DELAY ORCPT=rfc822;y+2Bz@out.test', '250'])
    await client.commands(['RCPT TO:<bob@posthouse.test>', '250'], ['DATA', '354'])
    t.equal(await client.command(`${message}\r\n.`), '250 2.0.0 Queued as sbm_1')
    const { principal, message: given } = core.submitted[0]!
    t.same(principal, ALICE)
    t.equal(given.mailFrom, 'alice@posthouse.test')
    t.same(given.parameters, { RET: 'HDRS', ENVID: 'a+b', BODY: '8BITMIME' })
    t.same(given.recipients, [
      { address: 'x@out.test', parameters: { NOTIFY: 'SUCCESS,DELAY', ORCPT: 'rfc822;y+z@out.test' } },
      { address: 'bob@posthouse.test', parameters: {} },
    ])
    const text = Buffer.from(given.bytes).toString()
    t.match(text, /^Received: from authenticated by mx\.posthouse\.test \(Posthouse\) with ESMTPSA/)
    t.match(text, 'Date: Thu, 01 Jan 2026 00:00:00 +0000\r\n')
    t.match(text, /^Message-ID: <[a-z0-9]+\.1@mx\.posthouse\.test>\r$/m)
    for (const secret of ['127.0.0.1', 'hidden', 'other@', 'Bcc']) t.notMatch(text, secret)
    t.ok(text.endsWith('To: x@out.test\r\n\r\nbody\r\n'))
    client.end()
  },
)

t.test("the author's Date and Message-ID stay; a Return-Path does not", async (t) => {
  const { core, port } = await startSubmission(t)
  const client = await loggedIn(port)
  const message =
    'Return-Path: <x@y>\r\nDate: Mon, 05 Jan 2026 10:00:00 +0100\r\nmessage-id: <mine@x>\r\nFrom: a@b\r\n\r\nbody'
  await client.send('alice@posthouse.test', ['x@out.test'], message)
  const text = Buffer.from(core.submitted[0]!.message.bytes).toString()
  t.equal(text.match(/^(date|message-id):/gim)?.length, 2)
  t.notMatch(text, 'Return-Path')
  client.end()
})

for (const [name, body, wanted] of [
  ['a body without a header', 'only words', /Message-ID: <[^>]*>\r\n\r\nonly words\r\n$/],
  ['an empty header', '\r\nonly words', /Message-ID: <[^>]*>\r\n\r\nonly words\r\n$/],
] as const) {
  t.test(`${name} does not merge with added lines`, async (t) => {
    const { core, port } = await startSubmission(t)
    const client = await loggedIn(port)
    await client.send('alice@posthouse.test', ['x@out.test'], body)
    t.match(Buffer.from(core.submitted[0]!.message.bytes).toString(), wanted)
    client.end()
  })
}

for (const [reason, reply] of [
  ['forbiddenFrom', '550 5.7.1 why'],
  ['forbiddenToSend', '550 5.7.1 why'],
  ['tooManyRecipients', '554 5.5.3 why'],
  ['overQuota', '452 4.2.2 why'],
  ['rateLimit', '452 4.7.1 why'],
  ['invalidEmail', '554 5.6.0 why'],
  ['tooLarge', '552 5.3.4 why'],
] as const) {
  t.test(`a refusal ${reason} is ${reply}`, async (t) => {
    const { core, port } = await startSubmission(t)
    core.submitResult = { status: 'refused', reason, description: 'why\r\n250 not so' }
    const client = await loggedIn(port)
    const answer = await client.send('alice@posthouse.test', ['x@out.test'], 'a: b\r\n\r\nc')
    t.match(answer, reply)
    t.match(await client.command('NOOP'), '250 2.0.0 OK', 'in one line')
    client.end()
  })
}

t.test('an invalid local address is refused at RCPT; a full or suspended one is left to the queue', async (t) => {
  const { port } = await startSubmission(t)
  const client = await loggedIn(port)
  await client.commands(['MAIL FROM:<alice@posthouse.test>', '250'])
  t.match(await client.command('RCPT TO:<nobody@posthouse.test>'), '550 5.1.1')
  for (const name of ['full', 'suspended'])
    t.match(await client.command(`RCPT TO:<${name}@posthouse.test>`), '250', name)
  client.end()
})

t.test('a failing core is 451, and a full disk 452', async (t) => {
  const { core, port } = await startSubmission(t)
  const client = await loggedIn(port)
  core.fail('submit', new Error('secret'))
  t.match(await client.send('alice@posthouse.test', ['x@out.test'], 'a: b\r\n\r\nc'), '451 4.3.0')
  core.fail('submit', new Failure('storageFull', 'secret'))
  t.match(await client.send('alice@posthouse.test', ['x@out.test'], 'a: b\r\n\r\nc'), '452 4.3.1')
  t.match(await client.send('alice@posthouse.test', ['x@out.test'], 'a: b\r\n\r\nc'), '250')
  client.end()
})

t.test('nodemailer sends over 465 and over 587', async (t) => {
  for (const implicitTls of [true, false]) {
    const { core, port } = await startSubmission(t, { implicitTls })
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      secure: implicitTls,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: 'alice@posthouse.test', pass: 'secret' },
    })
    const text = '.leading dot\n..two\nå'
    const sent = await transport.sendMail({ from: 'alice@posthouse.test', to: 'x@out.test', subject: 'hello', text })
    t.match(sent.response, '250 2.0.0 Queued as sbm_1')
    t.match(Buffer.from(core.submitted[0]!.message.bytes).toString(), 'Subject: hello')
    transport.close()
  }
})
