// Promise S7: every limit has its reply, and a client within the limits is served.
import t from 'tap'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

const MESSAGE = 'Subject: x\r\n\r\nbody'

async function greeted(port: number): Promise<SmtpClient> {
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  return client
}

t.test('recipients: 452 4.5.3, and the earlier ones get the message', async (t) => {
  const { core, port } = await startInbound(t, { limits: { maxRecipients: 1 } })
  const client = await greeted(port)
  await client.commands(['MAIL FROM:<>', '250'], ['RCPT TO:<alice@posthouse.test>', '250'])
  t.match(await client.command('RCPT TO:<bob@posthouse.test>'), '452 4.5.3')
  t.match(await client.command('RCPT TO:<Alice@posthouse.test>'), '250', 'one that was named before is no more')
  await client.commands(['DATA', '354'], [`${MESSAGE}\r\n.`, '250'])
  t.equal(core.messages.length, 1)
  client.end()
})

t.test('size: refused at MAIL if declared, at the end if not', async (t) => {
  const { core, port } = await startInbound(t, { limits: { maxMessageBytes: 1_000 } })
  const client = await greeted(port)
  t.match(await client.command('MAIL FROM:<> SIZE=1001'), '552 5.3.4')
  t.match(await client.send('', ['alice@posthouse.test'], 'x'.repeat(1_001)), '552 5.3.4')
  t.equal(core.messages.length, 0)
  t.match(await client.send('', ['alice@posthouse.test'], `a: b\r\n\r\n${'x'.repeat(990)}`), '250')
  client.end()
})

t.test('a client that sends far beyond the size is disconnected', async (t) => {
  const { port } = await startInbound(t, { limits: { maxMessageBytes: 1_000 } })
  const client = await greeted(port)
  await client.commands(['MAIL FROM:<>', '250'], ['RCPT TO:<alice@posthouse.test>', '250'], ['DATA', '354'])
  client.write('x'.repeat(10_000))
  t.match(await client.reply(), '552 5.3.4')
  await client.closed()
})

t.test('memory: beyond the limit of the listener the reply is 452 4.3.1, and memory is released', async (t) => {
  const { port } = await startInbound(t, { limits: { maxReceivingBytes: 10_000 } })
  const [first, second] = [await greeted(port), await greeted(port)]
  await first.commands(['MAIL FROM:<>', '250'], ['RCPT TO:<alice@posthouse.test>', '250'], ['DATA', '354'])
  first.write('x'.repeat(6_000))
  await second.command('NOOP')
  const big = 'y'.repeat(6_000)
  t.match(await second.send('', ['alice@posthouse.test'], big), '452 4.3.1')
  t.match(await first.command('\r\n.'), '250')
  t.match(await second.send('', ['alice@posthouse.test'], big), '250')
  first.end()
  second.end()
})

t.test('connections in all, from one address and from one network', async (t) => {
  for (const [limits, reply] of [
    [{ maxConnections: 1 }, '421 4.3.2'],
    [{ maxConnectionsPerAddress: 1 }, '421 4.7.0'],
    [{ maxConnectionsPerNetwork: 1 }, '421 4.7.0'],
  ] as const) {
    const { port } = await startInbound(t, { limits })
    const first = await greeted(port)
    const second = await SmtpClient.open(port)
    t.match(await second.reply(), reply)
    await second.closed()
    t.match(await first.command('QUIT'), '221')
    await first.closed()
    const third = await SmtpClient.open(port)
    t.match(await third.reply(), '220', 'a place that is left is free')
    third.end()
  }
})

t.test('messages on one connection: 421 4.7.0', async (t) => {
  const { port } = await startInbound(t, { limits: { maxMessagesPerConnection: 2 } })
  const client = await greeted(port)
  for (let i = 0; i < 2; i++) t.match(await client.send('', ['alice@posthouse.test'], MESSAGE), '250')
  t.match(await client.command('MAIL FROM:<>'), '421 4.7.0')
  await client.closed()
})

t.test('errors: the connection ends after a limit', async (t) => {
  const { port } = await startInbound(t, { limits: { maxErrors: 3 } })
  const client = await greeted(port)
  await client.command('MAIL FROM:<>')
  for (let i = 0; i < 3; i++) t.match(await client.command('RCPT TO:<nobody@posthouse.test>'), '550')
  t.match(await client.reply(), '421 4.7.0')
  await client.closed()
})

t.test('a command line of 2,048 octets is read, a longer one is 500 and closes the connection', async (t) => {
  const { port } = await startInbound(t)
  const client = await greeted(port)
  t.match(await client.command(`NOOP ${'x'.repeat(2_043)}`), '250')
  t.match(await client.command(`NOOP ${'x'.repeat(2_044)}`), '500 5.5.2')
  await client.closed()
})

t.test('a line without an end closes the connection', async (t) => {
  const { port } = await startInbound(t)
  const client = await greeted(port)
  client.write('x'.repeat(1_000_000))
  t.match(await client.reply(), '500 5.5.2')
  await client.closed()
})

t.test('a client that is silent for five minutes, or trickles octets, is disconnected', async (t) => {
  const { clock, port } = await startInbound(t)
  const [silent, trickling, alive] = [await greeted(port), await greeted(port), await greeted(port)]
  for (let minute = 0; minute < 5; minute++) {
    clock.advance(59_000)
    trickling.write('N')
    await alive.commands(['NOOP', '250'])
  }
  clock.advance(10_000)
  t.match(await silent.reply(), '421 4.4.2')
  t.match(await trickling.reply(), '421 4.4.2')
  await silent.closed()
  t.match(await alive.command('NOOP'), '250')
  alive.end()
})

t.test('a message that takes longer than half an hour is aborted', async (t) => {
  const { clock, port, server } = await startInbound(t)
  const client = await greeted(port)
  await client.commands(['MAIL FROM:<>', '250'], ['RCPT TO:<alice@posthouse.test>', '250'], ['DATA', '354'])
  for (let minute = 0; minute < 29; minute++) {
    client.write('x\r\n')
    clock.advance(60_000)
  }
  clock.advance(120_000)
  t.match(await client.reply(), '421 4.4.2')
  await client.closed()
  t.equal(server.budget.used, 0)
})

for (const [line, reply] of [
  ['XCLIENT ADDR=1.2.3.4', '500'],
  ['WIZ', '500'],
  ['AUTH PLAIN AGEAYg==', '500'],
  ['STARTTLS', '500'],
  ['BDAT 10 LAST', '500'],
  ['VRFY alice', '252 2.1.5'],
  ['NOOP', '250 2.0.0'],
  ['HELP', '214 2.0.0'],
  ['RSET', '250 2.0.0'],
  ['DATA', '503 5.5.1'],
  ['RCPT TO:<alice@posthouse.test>', '503 5.5.1'],
  ['MAIL FROM:a@b.test', '501 5.1.7'],
  ['MAIL FROM:<a@b.test> XYZ=1', '555 5.5.4'],
  ['GET / HTTP/1.1', '421'],
] as const) {
  t.test(`${line} gets ${reply}`, async (t) => {
    const { port } = await startInbound(t)
    const client = await greeted(port)
    t.match(await client.command(line), reply)
    client.end()
  })
}

t.test('MAIL twice is 503, and RSET starts again', async (t) => {
  const { port } = await startInbound(t)
  const client = await greeted(port)
  t.match(await client.command('MAIL FROM:<>'), '250')
  t.match(await client.command('MAIL FROM:<>'), '503')
  t.match(await client.command('RSET'), '250')
  t.match(await client.command('MAIL FROM:<>'), '250')
  client.end()
})

t.test('MAIL before EHLO is 503', async (t) => {
  const { port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  t.match(await client.command('MAIL FROM:<>'), '503')
  client.end()
})
