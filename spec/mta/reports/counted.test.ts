/** Promise Q5 in whole: over SMTP to a real core. True reports count once; forged and replayed ones, and other tenants', do not count. */
import { createSecretKey, randomBytes } from 'node:crypto'
import t from 'tap'
import type { RecipientOutcome } from '../../../jmap/mail/submission/queue-report.ts'
import { createInboundListener } from '../../../mta/inbound/listener.ts'
import { createLocalDelivery } from '../../../mta/inbound/local-delivery.ts'
import { withReturnAddresses } from '../../../mta/inbound/with-return-addresses.ts'
import { verpAddress } from '../../../mta/reports/verp.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { talliesSince } from '../../../storage/repos/sending-tally.ts'
import { arf, dsn } from '../../jmap/mail/reports/returned-mails.ts'
import { startCore } from '../../support/core.ts'
import { SmtpClient } from '../../support/smtp-client.ts'

const KEY = createSecretKey(Buffer.alloc(32, 9))
const HOUR = 3_600_000
const HOSTNAME = 'mx.example.test'

t.test('each recipient bounces and complains once, and only by an authenticated return address', async (t) => {
  const { core, store, clock, organization, mailbox, organizationWith } = await startCore(t)
  const hello = await mailbox('hello')
  const other = await organizationWith('other.test')
  const stranger = await other.mailbox('hello')
  const delivery = withReturnAddresses(createLocalDelivery(core, HOSTNAME), [KEY], clock)
  const options = { hostname: HOSTNAME, postmaster: 'postmaster@example.test', delivery, checks: [], tls: null }
  const server = createInboundListener({ ...options, returnKeys: [KEY], clock, logger: silentLogger })
  const { port } = await server.start({ host: '127.0.0.1', port: 0 })
  t.teardown(() => server.stop())
  const send = async (to: string, text: string) => {
    const client = await SmtpClient.connect(port)
    await client.command('EHLO client.test')
    const reply = await client.send('', [to], text.replaceAll('\n', '\r\n')).catch(String)
    client.end()
    return reply
  }

  const identityId = (await hello.call('Identity/get', { ids: null })).list[0].id as string
  const email = { mailboxIds: { [hello.roles['sent']!]: true }, from: [{ email: hello.address }] }
  const emailId = (await hello.call('Email/set', { create: { e: email } })).created.e.id as string
  const names = ['a@example.org', 'b@example.org', 'c@example.org']
  const envelope = { mailFrom: { email: hello.address }, rcptTo: names.map((one) => ({ email: one })) }
  await hello.call('EmailSubmission/set', { create: { s: { identityId, emailId, envelope } } })
  const [claimed] = await core.claimSubmissions('w', 1, HOUR)
  const { account, submission, lease } = claimed!
  const outcomes = names.map(
    (address): RecipientOutcome => ({ address, status: 'sent', smtpReply: '250 2.0.0 ok', host: 'mx.example.org' }),
  )
  await core.reportAttempts([{ account, submission, lease, outcomes, retryAt: null }])
  const address = (position: number, key = KEY) =>
    verpAddress({ account, submission, position }, 'bounces.example.test', key, clock.now())
  const elsewhere = (position: number) => address(position).replace('example.test', 'other.test')
  const bounce = dsn({ recipient: 'a@example.org', status: '5.1.1', said: '550 5.1.1 No such user' })
  const tally = async () =>
    (await store.read((reader) => talliesSince(reader, 0, organization.account))).get(organization.account)

  const bits = Buffer.from(address(0))
  for (let i = 0; i < 40; i++) {
    const flipped = Buffer.from(bits)
    flipped[7 + (i % 30)]! ^= 1 << (i % 3)
    t.match(await send(flipped.toString('latin1'), bounce), /5\d\d /)
    t.match(await send(address(0, createSecretKey(randomBytes(32))), bounce), '5')
  }
  t.match(await send(elsewhere(0), bounce), '5', 'under the domain of another organization')
  await send(stranger.address, arf({ recipient: 'b@example.org', returnPath: address(1) }))
  await send(hello.address, arf({ recipient: 'b@example.org', returnPath: elsewhere(1) }))
  t.same(await tally(), { recipients: 3, bounces: 0, complaints: 0 }, 'none of it counts')

  for (let i = 0; i < 100; i++) {
    t.match(await send(address(0), bounce), '250')
    t.match(await send(hello.address, arf({ recipient: 'b@example.org', returnPath: address(1) })), '250')
  }
  t.same(await tally(), { recipients: 3, bounces: 1, complaints: 1 }, 'the true ones count once each')
})
