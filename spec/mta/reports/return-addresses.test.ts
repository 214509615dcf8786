/** Promise Q5 over SMTP: mail to a return address is recognised, and others cannot make one. */
import { createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { verpAddress } from '../../../mta/reports/verp.ts'
import { arf, dsn } from '../../jmap/mail/reports/returned-mails.ts'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

const KEY = createSecretKey(Buffer.alloc(32, 3))
const DOMAIN = 'bounces.posthouse.test'
const TOKEN = { account: 10, submission: 7, position: 2 }
const BOUNCE = dsn({ recipient: 'ann@example.org', status: '5.1.1', said: '550 5.1.1 No such user' })

async function start(t: Parameters<typeof startInbound>[0]) {
  const { core, clock, port } = await startInbound(t, { returnKeys: [KEY] })
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  t.teardown(() => client.end())
  const send = (to: readonly string[], text: string) => client.send('', to, text.replaceAll('\n', '\r\n'))
  const address = verpAddress(TOKEN, DOMAIN, KEY, clock.now())
  return { core, clock, port, send, address, returned: () => core.messages.map((message) => message.returned) }
}

t.test('a message to a return address goes to the account that sent, with the identified recipient', async (t) => {
  const { core, send, address, returned } = await start(t)
  t.match(await send([address], BOUNCE), '250')
  t.same(core.messages[0]?.recipients, [{ account: 10, address: address }])
  t.same(returned(), [[{ ...TOKEN, isAddressee: true }]])
})

t.test('a full mailbox does not store the report, and the peer need not send it again', async (t) => {
  const { core, send, address } = await start(t)
  core.refusing.set(10, 'overQuota')
  t.match(await send([address], BOUNCE), '250')
  t.match(await send(['alice@posthouse.test'], BOUNCE), '452', 'as other mail has to')
})

t.test('a complaint is recognised by the reverse-path in it, wherever it arrives', async (t) => {
  const { send, address, returned } = await start(t)
  await send(['postmaster@posthouse.test'], arf({ recipient: 'ann@example.org', returnPath: address }))
  t.same(returned(), [[{ ...TOKEN, isAddressee: false }]])
})

t.test('other mail that mentions a return address is ordinary mail', async (t) => {
  const { send, address, returned } = await start(t)
  await send(['alice@posthouse.test'], `Subject: x\n\nOriginal-Mail-From: <${address}>\n`)
  await send(['alice@posthouse.test'], arf({ recipient: 'ann@example.org', returnPath: 'other@posthouse.test' }))
  t.same(returned(), [undefined, undefined])
})

t.test('forged, changed and expired return addresses are refused, and identify nothing in a complaint', async (t) => {
  const { port, clock, send, address, returned } = await start(t)
  // A client with many errors is disconnected.
  const rcpt = async (to: string) => {
    const client = await SmtpClient.connect(port)
    await client.commands(['EHLO client.test', '250'], ['MAIL FROM:<>', '250'])
    const reply = await client.command(`RCPT TO:<${to}>`)
    client.end()
    return reply.slice(0, 3)
  }
  t.equal(await rcpt(address), '250', 'the true one')
  const places = fc.tuple(fc.integer({ min: 7, max: address.indexOf('@') - 1 }), fc.constantFrom(...'abcdefghij234567'))
  const changed = fc
    .sample(places, { numRuns: 60, seed: 5 })
    .map(([at, c]) => address.slice(0, at) + c + address.slice(at + 1))
  const forged = [
    ...changed.filter((one) => one !== address),
    ...Array.from({ length: 20 }, () => verpAddress(TOKEN, DOMAIN, createSecretKey(randomBytes(32)), clock.now())),
    address.replace(DOMAIN, 'bounces.other.test'),
    verpAddress(TOKEN, DOMAIN, KEY, clock.now() - 40 * 86_400_000),
  ]
  let taken = 0
  for (const one of forged) if ((await rcpt(one)) === '250') taken++
  t.equal(taken, 0)
  for (const one of forged.slice(-3))
    await send(['postmaster@posthouse.test'], arf({ recipient: 'x@y.test', returnPath: one }))
  t.same(returned(), [undefined, undefined, undefined])
})
