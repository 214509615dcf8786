import t from 'tap'
import { SmtpClient } from '../../support/smtp-client.ts'
import { type StartedListener, startInbound } from '../../support/smtp-listeners.ts'

const text = ({ core }: StartedListener) => Buffer.from(core.messages.at(-1)!.bytes).toString()

t.test('Return-Path and Received are written in front, in the form of RFC 5321', async (t) => {
  const started = await startInbound(t)
  const client = await SmtpClient.connect(started.port)
  await client.command('EHLO client.test')
  const reply = await client.send('x@out.test', ['alice@posthouse.test'], 'Subject: x\r\n\r\nbody')
  const id = /^250 2\.6\.0 Stored as (\S+)$/.exec(reply)?.[1]
  t.equal(
    text(started),
    'Return-Path: <x@out.test>\r\n' +
      'Received: from client.test ([127.0.0.1]) by mx.posthouse.test (Posthouse)\r\n' +
      ` with ESMTP id ${id} for <alice@posthouse.test>;\r\n` +
      ' Thu, 01 Jan 2026 00:00:00 +0000\r\n' +
      'Subject: x\r\n\r\nbody\r\n',
  )
  client.end()
})

t.test('Received names no recipient if there are several', async (t) => {
  const started = await startInbound(t)
  const client = await SmtpClient.connect(started.port)
  await client.command('HELO client.test')
  await client.send('x@out.test', ['alice@posthouse.test', 'bob@posthouse.test'], 'Subject: x\r\n\r\nbody')
  t.notMatch(text(started), 'for <')
  t.match(text(started), ' with SMTP id ')
  client.end()
})

t.test('a Return-Path of the sender is replaced; one in the body stays', async (t) => {
  const started = await startInbound(t)
  const client = await SmtpClient.connect(started.port)
  await client.command('EHLO client.test')
  const message = 'Return-Path: <forged@x.test>\r\nSubject: x\r\nreturn-path: <y@x.test>\r\n\r\nReturn-Path: <body>'
  await client.send('x@out.test', ['alice@posthouse.test'], message)
  t.same(text(started).match(/^return-path:.*$/gim), ['Return-Path: <x@out.test>', 'Return-Path: <body>'])
  client.end()
})

t.test("a client's HELO name cannot add header lines", async (t) => {
  const started = await startInbound(t)
  const client = await SmtpClient.connect(started.port)
  await client.command('EHLO a(b)<c>;"d"')
  await client.send('x@out.test', ['alice@posthouse.test'], 'Subject: x\r\n\r\nbody')
  t.match(text(started), 'from a?b??c???d? ([127.0.0.1])')
  client.end()
})

t.test('over TLS the Received field says so', async (t) => {
  const started = await startInbound(t, { tls: true })
  const client = await SmtpClient.connect(started.port)
  await client.command('EHLO client.test')
  await client.startTls()
  await client.command('EHLO client.test')
  await client.send('x@out.test', ['alice@posthouse.test'], 'Subject: x\r\n\r\nbody')
  t.match(text(started), 'with ESMTPS id')
  client.end()
})

t.test('51 Received fields are a loop, 50 are not', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  const message = (hops: number) => `${'Received: by x.test; Thu, 1 Jan 2026 00:00:00 +0000\r\n'.repeat(hops)}\r\nbody`
  t.match(await client.send('x@out.test', ['alice@posthouse.test'], message(51)), '554 5.4.6')
  t.equal(core.messages.length, 0)
  t.match(await client.send('x@out.test', ['alice@posthouse.test'], message(50)), '250')
  client.end()
})

t.test('octets beyond ASCII arrive unchanged', async (t) => {
  const started = await startInbound(t)
  const client = await SmtpClient.connect(started.port)
  await client.command('EHLO client.test')
  const octets = Buffer.from(Array.from({ length: 256 }, (_, i) => i).filter((i) => i !== 10 && i !== 13))
  const message = Buffer.concat([Buffer.from('Subject: x\r\n\r\n'), octets])
  await client.send('x@out.test', ['alice@posthouse.test'], message)
  t.ok(Buffer.from(started.core.messages[0]!.bytes).includes(octets))
  client.end()
})
