// Promises D3, D4: a message that is not stored is never acknowledged.
import t from 'tap'
import { Failure } from '../../../server/base/errors.ts'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound } from '../../support/smtp-listeners.ts'

const MESSAGE = 'Subject: x\r\n\r\nbody'
const BOTH = ['alice@posthouse.test', 'bob@posthouse.test']

for (const [name, error, reply] of [
  ['a full disk', new Failure('storageFull', 'secret'), '452 4.3.1'],
  ['an engine that does not answer', new Failure('storageUnavailable', 'secret'), '451 4.3.0'],
  ['a corrupt store', new Failure('corrupt', 'secret'), '451 4.3.0'],
  ['a bug', new TypeError('secret'), '451 4.3.0'],
  ['a core that stops', new Failure('shuttingDown', 'secret'), '421 4.3.2'],
] as const) {
  t.test(`${name} is ${reply}, and the retry is accepted`, async (t) => {
    const { core, port } = await startInbound(t)
    core.fail('ingest', error)
    let client = await SmtpClient.connect(port)
    await client.command('EHLO client.test')
    const answer = await client.send('x@out.test', BOTH, MESSAGE)
    t.match(answer, reply)
    t.notMatch(answer, 'secret')
    t.equal(core.messages.length, 0)
    if (reply.startsWith('421')) {
      await client.closed()
      client = await SmtpClient.connect(port)
      await client.command('EHLO client.test')
    }
    t.match(await client.send('x@out.test', BOTH, MESSAGE), '250')
    t.equal(core.messages.length, 1)
    client.end()
  })
}

t.test('250 is sent only after the core has stored the message', async (t) => {
  const { core, port } = await startInbound(t)
  const release = core.hold('ingest')
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  let answered = false
  const answer = client.send('x@out.test', BOTH, MESSAGE).finally(() => {
    answered = true
  })
  const other = await SmtpClient.connect(port)
  await other.commands(['EHLO client.test', '250'], ['NOOP', '250'])
  t.notOk(answered)
  release()
  t.match(await answer, '250')
  client.end()
  other.end()
})

t.test('messages that end together go to the core in one call, and each gets its reply', async (t) => {
  const { core, port } = await startInbound(t)
  const clients = await Promise.all([1, 2, 3].map(() => SmtpClient.connect(port)))
  for (const client of clients) {
    await client.commands(['EHLO client.test', '250'], ['MAIL FROM:<>', '250'])
    await client.commands(['RCPT TO:<alice@posthouse.test>', '250'], ['DATA', '354'])
  }
  const replies = clients.map((client) => client.command(`${MESSAGE}\r\n.`))
  for (const reply of await Promise.all(replies)) t.match(reply, '250')
  t.equal(core.messages.length, 3)
  for (const client of clients) client.end()
})

t.test('messages that reach the core together each get their own reply, and none is stored twice', async (t) => {
  for (const [code, reply] of [
    ['storageFull', '452 4.3.1'],
    [null, '451 4.3.0'],
  ] as const) {
    const { core, port } = await startInbound(t)
    core.refusing.set(11, { status: 'failed', code, message: 'secret' })
    const release = core.hold('ingest')
    const boxes = ['alice', 'bob', 'alice', 'bob'].map((name) => `${name}@posthouse.test`)
    const clients = await Promise.all(boxes.map(() => SmtpClient.connect(port)))
    for (const client of clients) await client.command('EHLO client.test')
    const replies = clients.map((client, i) => client.send('x@out.test', [boxes[i]!], MESSAGE))
    release()
    const codes = (await Promise.all(replies)).map((text) => text.slice(0, reply.length))
    t.same(codes, ['250 2.6.0', reply, '250 2.6.0', reply])
    t.notMatch(await Promise.all(replies), 'secret')
    t.equal(core.messages.length, 4, 'each was given to the core once')
    for (const client of clients) client.end()
  }
})

t.test('a full mailbox is a temporary failure, a deleted one a permanent failure', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  core.refusing.set(10, 'overQuota')
  t.match(await client.send('x@out.test', ['alice@posthouse.test'], MESSAGE), '452 4.2.2')
  core.refusing.set(10, 'unknownAccount')
  t.match(await client.send('x@out.test', ['alice@posthouse.test'], MESSAGE), '550 5.1.1')
  core.refusing.clear()
  t.match(await client.send('x@out.test', ['alice@posthouse.test'], MESSAGE), '250')
  client.end()
})

t.test(
  'a message that a script discards is accepted; one that it rejects is refused with its reason in one line (RFC 5429)',
  async (t) => {
    const { core, port } = await startInbound(t)
    const client = await SmtpClient.connect(port)
    await client.command('EHLO client.test')
    core.refusing.set(10, 'discarded')
    t.match(await client.send('x@out.test', ['alice@posthouse.test'], MESSAGE), '250')
    core.refusing.set(11, 'rejected')
    t.equal(
      (await client.send('x@out.test', ['bob@posthouse.test'], MESSAGE)).trim(),
      '550 5.7.1 Not here, please: 250',
    )
    core.refusing.clear()
    t.match(await client.send('x@out.test', BOTH, MESSAGE), '250')
    client.end()
  },
)

t.test('after a partial delivery the retry stores only missing copies', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  core.refusing.set(11, 'overQuota')
  t.match(await client.send('x@out.test', BOTH, MESSAGE), '452 4.2.2')
  core.refusing.clear()
  t.match(await client.send('x@out.test', BOTH, MESSAGE), '250')
  t.same(core.messages[1]?.recipients, [{ account: 11, address: 'bob@posthouse.test' }])
  t.match(await client.send('x@out.test', BOTH, MESSAGE), '250')
  t.equal(core.messages[2]?.recipients.length, 2, 'a message that was delivered and is sent again is another one')
  client.end()
})

t.test('a client that disconnects in the middle leaves nothing', async (t) => {
  const { core, port, server } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.commands(['EHLO client.test', '250'], ['MAIL FROM:<x@out.test>', '250'])
  await client.commands(['RCPT TO:<alice@posthouse.test>', '250'], ['DATA', '354'])
  client.write(`Subject: x\r\n\r\n${'y'.repeat(100_000)}`)
  client.reset()
  const other = await SmtpClient.connect(port)
  await other.command('EHLO client.test')
  t.match(await other.send('x@out.test', BOTH, MESSAGE), '250', 'and the server goes on')
  t.equal(core.messages.length, 1)
  t.equal(server.budget.used, 0)
  other.end()
})

t.test('stop waits for the reply to a message, and refuses later ones', async (t) => {
  const { core, port, server } = await startInbound(t)
  const busy = await SmtpClient.connect(port)
  const idle = await SmtpClient.connect(port)
  await busy.commands(['EHLO client.test', '250'], ['MAIL FROM:<x@out.test>', '250'])
  await busy.commands(['RCPT TO:<alice@posthouse.test>', '250'], ['DATA', '354'])
  const stopped = server.stop()
  t.match(await idle.reply(), '421 4.3.2')
  t.match(await busy.command(`${MESSAGE}\r\n.`), '250')
  t.match(await busy.reply(), '421 4.3.2')
  await stopped
  t.equal(core.messages.length, 1)
  await t.rejects(SmtpClient.open(port), { code: 'ECONNREFUSED' })
})

t.test('stop does not wait for ever for a client that stopped sending', async (t) => {
  const { clock, port, server } = await startInbound(t)
  const client = await SmtpClient.connect(port)
  await client.commands(['EHLO client.test', '250'], ['MAIL FROM:<x@out.test>', '250'])
  await client.commands(['RCPT TO:<alice@posthouse.test>', '250'], ['DATA', '354'])
  const stopped = server.stop()
  clock.advance(10_000)
  await t.resolves(stopped)
  await t.resolves(client.closed())
})

t.test('a port in use is reported by its number', async (t) => {
  const { port } = await startInbound(t)
  const second = await startInbound(t)
  await second.server.stop()
  const { createInboundListener } = await import('../../../mta/inbound/listener.ts')
  const { createLocalDelivery } = await import('../../../mta/inbound/local-delivery.ts')
  const { silentLogger } = await import('../../../server/base/logger.ts')
  const options = { hostname: 'x.test', postmaster: 'p@x.test', tls: null, clock: second.clock, logger: silentLogger }
  const third = createInboundListener({ ...options, delivery: createLocalDelivery(second.core), checks: [] })
  await t.rejects(third.start({ host: '127.0.0.1', port }), {
    code: 'configuration',
    message: `smtp: port ${port} on 127.0.0.1 is in use by another process`,
  })
})
