import t from 'tap'
import { Failure } from '../../../server/base/errors.ts'
import { MESSAGE, startQueue } from '../../support/outbound-queue.ts'
import { startPeer } from '../../support/smtp-peer.ts'

const RELAY = (port: number) => ({ routing: { mode: 'relay', url: `smtp://127.0.0.1:${port}` } }) as const

t.test('local recipients get the message by the inbound path, the others by SMTP', async (t) => {
  const { port, messages } = await startPeer(t)
  const { core, send } = await startQueue(t, RELAY(port))
  const { submissionId } = await send(['bob@posthouse.test', 'x@out.test'], { submissionId: 'sbm_1' })
  t.equal(messages.length, 1)
  t.same(messages[0]?.rcpt, ['RCPT TO:<x@out.test>'])
  t.same(core.messages[0]?.recipients, [{ account: 11, address: 'bob@posthouse.test' }])
  t.equal(core.messages[0]?.mailFrom, 'alice@posthouse.test')
  t.equal(
    Buffer.from(core.messages[0]!.bytes).toString(),
    'Return-Path: <alice@posthouse.test>\r\n' +
      `Received: by mx.posthouse.test (Posthouse) id ${submissionId} for <bob@posthouse.test>;\r\n` +
      ` Thu, 01 Jan 2026 00:00:00 +0000\r\n${MESSAGE}`,
  )
  t.match(core.reports[0]?.outcomes, [
    { address: 'bob@posthouse.test', status: 'sent', smtpReply: '250 2.1.5 Delivered to the mailbox', host: null },
    { address: 'x@out.test', status: 'sent' },
  ])
})

t.test('several local mailboxes share one copy', async (t) => {
  const { port } = await startPeer(t)
  const { core, send } = await startQueue(t, RELAY(port))
  await send(['alice@posthouse.test', 'bob@posthouse.test'])
  t.equal(core.messages.length, 1)
  t.equal(core.messages[0]?.recipients.length, 2)
})

for (const [address, status, reply] of [
  ['nobody@posthouse.test', 'refused', '550 5.1.1'],
  ['full@posthouse.test', 'deferred', '452 4.2.2'],
  ['suspended@posthouse.test', 'deferred', '450 4.2.1'],
] as const) {
  t.test(`${address}: ${status} ${reply}`, async (t) => {
    const { port } = await startPeer(t)
    const { core, send } = await startQueue(t, RELAY(port))
    await send([address], { mailFrom: '' })
    t.match(core.reports[0]?.outcomes, [{ status, smtpReply: reply }])
    t.equal(core.messages.length, 0)
  })
}

for (const [name, prepare, status, reply] of [
  ['a mailbox that has filled up meanwhile', (core) => core.refusing.set(11, 'overQuota'), 'deferred', '452 4.2.2'],
  ['a mailbox that has gone meanwhile', (core) => core.refusing.set(11, 'unknownAccount'), 'refused', '550 5.1.1'],
  ['a script that throws it away', (core) => core.refusing.set(11, 'discarded'), 'sent', '250 2.1.5'],
  ['a script that refuses it', (core) => core.refusing.set(11, 'rejected'), 'refused', '550 5.7.1 Not here, please:'],
  ['a full disk', (core) => core.fail('ingest', new Failure('storageFull', 'x')), 'deferred', '452 4.3.1'],
  [
    'an engine that does not answer',
    (core) => core.fail('ingest', new Failure('storageUnavailable', 'x')),
    'deferred',
    '451 4.3.0',
  ],
] as [string, (core: Awaited<ReturnType<typeof startQueue>>['core']) => void, string, string][]) {
  t.test(`${name}: ${status} ${reply}`, async (t) => {
    const { port } = await startPeer(t)
    const { core, send } = await startQueue(t, RELAY(port))
    prepare(core)
    await send(['bob@posthouse.test'], { mailFrom: '' })
    t.match(core.reports[0]?.outcomes, [{ status, smtpReply: reply }])
  })
}
