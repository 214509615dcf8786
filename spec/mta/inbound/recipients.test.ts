import t from 'tap'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

const MESSAGE = 'Subject: x\r\n\r\nbody'

async function inTransaction(port: number, from = 'x@out.test'): Promise<SmtpClient> {
  const client = await SmtpClient.connect(port)
  await client.commands(['EHLO client.test', '250'], [`MAIL FROM:<${from}>`, '250'])
  return client
}

for (const [address, reply] of [
  ['alice@posthouse.test', '250 2.1.5'],
  ['ALICE@Posthouse.Test', '250 2.1.5'],
  ['postmaster', '250 2.1.5'],
  ['nobody@posthouse.test', '550 5.1.1'],
  ['someone@elsewhere.test', '550 5.7.1'],
  ['someone%elsewhere.test@other.test', '550 5.7.1'],
  ['full@posthouse.test', '452 4.2.2'],
  ['suspended@posthouse.test', '450 4.2.1'],
  ['a@b@posthouse.test', '501 5.1.3'],
  ['', '501 5.1.3'],
] as const) {
  t.test(`RCPT TO:<${address}> gets ${reply}`, async (t) => {
    const { port } = await startInbound(t)
    const client = await inTransaction(port)
    t.match(await client.command(`RCPT TO:<${address}>`), reply)
    client.end()
  })
}

t.test('a bare postmaster is the postmaster of this host', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await inTransaction(port)
  await client.commands(['RCPT TO:<postmaster>', '250'], ['DATA', '354'])
  await client.command(`${MESSAGE}\r\n.`)
  t.same(core.messages[0]?.recipients, [{ account: 12, address: 'postmaster' }])
  client.end()
})

t.test('the null sender is accepted', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  t.match(await client.send('', ['alice@posthouse.test'], MESSAGE), '250')
  t.equal(core.messages[0]?.mailFrom, '')
  client.end()
})

t.test('one message for several mailboxes is one call with one copy', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  await client.send('x@out.test', ['alice@posthouse.test', 'bob@posthouse.test'], MESSAGE)
  t.equal(core.ingested.length, 1)
  t.same(core.messages[0]?.recipients, [
    { account: 10, address: 'alice@posthouse.test' },
    { account: 11, address: 'bob@posthouse.test' },
  ])
  client.end()
})

t.test('a mailbox named by two addresses gets the message once', async (t) => {
  const { core, port } = await startInbound(t)
  core.verdicts.set('alias@posthouse.test', { status: 'accepted', account: 10 })
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  await client.send('x@out.test', ['alice@posthouse.test', 'alias@posthouse.test'], MESSAGE)
  t.same(core.messages[0]?.recipients, [{ account: 10, address: 'alice@posthouse.test' }])
  client.end()
})

t.test('refused recipients get nothing, and accepted ones do', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await inTransaction(port)
  t.match(await client.command('RCPT TO:<nobody@posthouse.test>'), '550')
  t.match(await client.command('RCPT TO:<alice@posthouse.test>'), '250')
  await client.commands(['DATA', '354'], [`${MESSAGE}\r\n.`, '250'])
  t.equal(core.messages[0]?.recipients.length, 1)
  client.end()
})

t.test('without an accepted recipient there is no DATA', async (t) => {
  const { port } = await startInbound(t)
  const client = await inTransaction(port)
  await client.command('RCPT TO:<nobody@posthouse.test>')
  t.match(await client.command('DATA'), '554 5.5.1')
  client.end()
})

t.test('a failing core makes RCPT a temporary failure, and the next one works', async (t) => {
  const { core, port } = await startInbound(t)
  core.fail('recipients', new Error('secret words'))
  const client = await inTransaction(port)
  const reply = await client.command('RCPT TO:<alice@posthouse.test>')
  t.match(reply, '451 4.3.0')
  t.notMatch(reply, 'secret')
  t.match(await client.command('RCPT TO:<alice@posthouse.test>'), '250')
  client.end()
})

t.test('recipients that arrive together are judged in one call', async (t) => {
  const { core, port } = await startInbound(t)
  const clients = await Promise.all([1, 2, 3].map(() => inTransaction(port)))
  const release = core.hold('recipients')
  const replies = clients.map((client) => client.command('RCPT TO:<alice@posthouse.test>'))
  release()
  for (const reply of await Promise.all(replies)) t.match(reply, '250')
  t.ok(core.asked.length <= 3)
  t.equal(core.asked.flat().length, 3)
  for (const client of clients) client.end()
})

t.test('addresses beyond ASCII need SMTPUTF8', async (t) => {
  const { core, port } = await startInbound(t)
  core.verdicts.set('jörg@posthouse.test', { status: 'accepted', account: 10 })
  const client = await inTransaction(port)
  t.match(await client.command('RCPT TO:<jörg@posthouse.test>'), '553 5.6.7')
  await client.commands(['RSET', '250'], ['MAIL FROM:<æ@out.test> SMTPUTF8', '250'])
  await client.commands(['RCPT TO:<jörg@posthouse.test>', '250'], ['DATA', '354'], [`${MESSAGE}\r\n.`, '250'])
  t.equal(core.messages[0]?.mailFrom, 'æ@out.test')
  t.match(Buffer.from(core.messages[0]!.bytes).toString(), 'with UTF8SMTP id')
  client.end()
})
