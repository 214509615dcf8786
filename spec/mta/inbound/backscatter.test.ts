// Promise S9: messages are refused in the SMTP session, so no bounce goes to a forged sender.
import t, { type Test } from 'tap'
import { startDnsServer } from '../../support/dns-server.ts'
import { startOverCore } from './over-core.ts'

const SPAM = 'From: victim@forged.test\r\nSubject: buy\r\n\r\nbuy now'

async function setUp(t: Test) {
  const { server: dns } = await startDnsServer(t, { '_dmarc.forged.test': { txt: [['v=DMARC1; p=reject']] } })
  const started = await startOverCore(t, { dns, mailboxStorageBytes: 5_000 })
  const full = await started.mailbox('full')
  await full.receive(`Subject: large\n\n${'x'.repeat(4_982)}`)
  return { ...started, full }
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
