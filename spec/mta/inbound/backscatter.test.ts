// Promise S9: messages are refused in the SMTP session, so no bounce goes to a forged sender.
import t, { type Test } from 'tap'
import { createDnsResolver } from '../../../mta/dns/resolver.ts'
import { createChecks } from '../../../mta/inbound/checks/index.ts'
import { createInboundListener } from '../../../mta/inbound/listener.ts'
import { createLocalDelivery } from '../../../mta/inbound/local-delivery.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { startCore } from '../../support/core.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { SmtpClient } from '../../support/smtp-client.ts'

const SPAM = 'From: victim@forged.test\r\nSubject: buy\r\n\r\nbuy now'

async function setUp(t: Test) {
  const { server: dns } = await startDnsServer(t, { '_dmarc.forged.test': { txt: [['v=DMARC1; p=reject']] } })
  const world = await startCore(t, 'sqlite', { mailboxStorageBytes: 5_000 })
  const hello = await world.mailbox('hello')
  const full = await world.mailbox('full')
  await full.receive(`Subject: large\n\n${'x'.repeat(4_982)}`)
  const clock = new ManualClock()
  const checks = createChecks({
    hostname: 'mx.example.test',
    dns: createDnsResolver({ server: dns }),
    senderChecks: { dmarc: { overrides: new Map(), trustedSealers: new Set() }, dnsLists: [] },
    clock,
    log: silentLogger,
  })
  const server = createInboundListener({
    hostname: 'mx.example.test',
    postmaster: hello.address,
    delivery: createLocalDelivery(world.core, 'mx.example.test'),
    checks,
    tls: null,
    clock,
    logger: silentLogger,
  })
  const { port } = await server.start({ host: '127.0.0.1', port: 0 })
  t.teardown(() => server.stop())
  t.teardown(() => Promise.all(checks.map((check) => check.close?.())))
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  t.teardown(() => client.end())
  const queued = () => world.core.claimSubmissions('looking', 100, 60_000)
  return { hello, full, client, queued }
}

t.test(
  'spam to unknown users, to a full mailbox and against a policy is refused at once, and no bounce is sent',
  async (t) => {
    const { hello, full, client, queued } = await setUp(t)
    await client.commands(['MAIL FROM:<victim@forged.test>', '250'])
    t.match(await client.command('RCPT TO:<nobody@example.test>'), '550 5.1.1')
    t.match(await client.command(`RCPT TO:<${full.address}>`), '452 4.2.2')
    t.match(await client.command('DATA'), '554')
    await client.command('RSET')
    t.match(await client.send('victim@forged.test', [hello.address], SPAM), '550 5.7.26')
    t.same(await queued(), [], 'no report is on its way')
    t.match(await client.send('a@out.test', [hello.address], 'From: a@out.test\r\nSubject: hi\r\n\r\nhi'), '250')
    t.equal(((await hello.call('Email/query', {})).ids as string[]).length, 1, 'control: other mail comes in')
    t.same(await queued(), [], 'and it is not answered either')
  },
)
