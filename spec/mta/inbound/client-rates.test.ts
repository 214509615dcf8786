// A client, or a sender, that is too fast gets a temporary refusal; others are served.
import t from 'tap'
import { ClientRateLimiter } from '../../../mta/smtp/client-rate-limiter.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

async function greeted(port: number): Promise<SmtpClient> {
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  return client
}

t.test('connections of a client', async (t) => {
  const { port, clock } = await startInbound(t, { clientRates: { connections: 2 } })
  const first = await greeted(port)
  const second = await greeted(port)
  const third = await SmtpClient.open(port)
  t.match(await third.reply(), '421 4.7.0')
  await third.closed()
  t.match(await first.command('NOOP'), '250')
  clock.advance(30_000)
  const fourth = await SmtpClient.open(port)
  t.match(await fourth.reply(), '220')
  for (const client of [first, second, fourth]) client.end()
})

t.test('messages of a client', async (t) => {
  const { core, port, clock } = await startInbound(t, { clientRates: { messages: 2 } })
  const client = await greeted(port)
  for (const name of ['a', 'b']) await client.send(`${name}@out.test`, ['alice@posthouse.test'], 'a: b\r\n\r\nc')
  t.match(await client.command('MAIL FROM:<c@out.test>'), '450 4.7.1')
  t.equal(core.messages.length, 2)
  clock.advance(60_000)
  t.match(await client.command('MAIL FROM:<c@out.test>'), '250')
  client.end()
})

t.test('messages of a sender; the null sender has no limit of its own', async (t) => {
  const { port } = await startInbound(t, { clientRates: { senderMessages: 1 } })
  const client = await greeted(port)
  await client.commands(['MAIL FROM:<a@out.test>', '250'], ['RSET', '250'])
  t.match(await client.command('MAIL FROM:<A@Out.test>'), '450 4.7.1')
  await client.commands(['MAIL FROM:<b@out.test>', '250'], ['RSET', '250'])
  await client.commands(['MAIL FROM:<>', '250'], ['RSET', '250'], ['MAIL FROM:<>', '250'])
  client.end()
})

t.test('recipients of a client', async (t) => {
  const { port } = await startInbound(t, { clientRates: { recipients: 1 } })
  const client = await greeted(port)
  await client.commands(['MAIL FROM:<>', '250'], ['RCPT TO:<alice@posthouse.test>', '250'])
  t.match(await client.command('RCPT TO:<bob@posthouse.test>'), '450 4.7.1')
  await client.commands(['DATA', '354'], ['a: b\r\n\r\nc\r\n.', '250'])
  client.end()
})

t.test('a client with repeated refusals may not connect for a while', async (t) => {
  const { port, clock } = await startInbound(t, { clientRates: { errors: 3 } })
  const guesser = await greeted(port)
  await guesser.command('MAIL FROM:<>')
  for (const name of ['x', 'y', 'z'])
    t.match(await guesser.command(`RCPT TO:<${name}@posthouse.test>`), '550 5.1.1', 'told as long as it is connected')
  guesser.end()
  const again = await SmtpClient.open(port)
  t.match(await again.reply(), '421 4.7.0')
  await again.closed()
  clock.advance(30_000)
  const later = await SmtpClient.open(port)
  t.match(await later.reply(), '220')
  later.end()
})

t.test('a /64 is one client, others are not affected, and some are exempt', async (t) => {
  const limits = { connections: 1, messages: 0, recipients: 0, errors: 0, senderMessages: 0 }
  const limiter = new ClientRateLimiter(limits, new ManualClock(), (address) => address === '192.0.2.9')
  t.ok(limiter.connection('2001:db8::1'))
  t.notOk(limiter.connection('2001:db8::2'))
  t.ok(limiter.connection('2001:db8:0:1::1'))
  t.ok(limiter.connection('192.0.2.1'))
  t.notOk(limiter.connection('192.0.2.1'))
  t.same([limiter.connection('192.0.2.9'), limiter.connection('192.0.2.9')], [true, true])
})
