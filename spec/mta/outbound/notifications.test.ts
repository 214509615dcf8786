// RFC 3461 5, RFC 3464; promises Q3, S9: who gets which notification, and who gets none.
import { simpleParser } from 'mailparser'
import t from 'tap'
import { Failure } from '../../../server/base/errors.ts'
import { MESSAGE, startQueue } from '../../support/outbound-queue.ts'
import { startPeer } from '../../support/smtp-peer.ts'

const RELAY = (port: number) => ({ routing: { mode: 'relay', url: `smtp://127.0.0.1:${port}` } }) as const
const REFUSING = { reply: (line: string) => (line.includes('<gone') ? '550 5.1.1 no such person' : null) }
const DEFERRING = { reply: (line: string) => (line.startsWith('RCPT') ? '451 4.2.0 later' : null) }

/** The parts of a report, with LF line ends. */
function parts(text: string): string[] {
  const boundary = /boundary="([^"]+)"/.exec(text)![1]!
  return text
    .replace(/\r/g, '')
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.trim())
}

t.test('the sender gets a report of a failure with the header of the message', async (t) => {
  const { port } = await startPeer(t, REFUSING)
  const { core, send } = await startQueue(t, RELAY(port))
  const { submissionId } = await send([], {
    parameters: { ENVID: 'my id' },
    recipients: [
      { address: 'gone@out.test', parameters: { ORCPT: 'rfc822;first@out.test' } },
      { address: 'gone2@out.test', parameters: {} },
      { address: 'good@out.test', parameters: {} },
    ],
  })
  t.equal(core.messages.length, 1)
  const [dsn] = core.messages
  t.equal(dsn?.mailFrom, '')
  t.same(dsn?.recipients, [{ account: 10, address: 'alice@posthouse.test' }])
  const text = Buffer.from(dsn!.bytes).toString()
  t.match(text, /^Return-Path: <>\r\nReceived: by mx\.posthouse\.test/)
  t.match(text, `Message-ID: <${submissionId}.0.failed@mx.posthouse.test>`)
  const parsed = await simpleParser(Buffer.from(dsn!.bytes))
  t.equal(parsed.from?.text, '"Mail Delivery System" <postmaster@posthouse.test>')
  t.equal(parsed.headers.get('auto-submitted'), 'auto-replied')
  t.equal(parsed.inReplyTo, '<1@posthouse.test>')
  t.match(parsed.headers.get('content-type'), {
    value: 'multipart/report',
    params: { 'report-type': 'delivery-status' },
  })
  t.match(parsed.text, 'gone@out.test')
  t.match(parsed.text, '550 5.1.1 no such person')
  t.notMatch(text, 'good@out.test')
  const [, status, header] = parts(text)
  t.equal(
    status,
    [
      'Content-Type: message/delivery-status',
      '',
      'Original-Envelope-Id: my id',
      'Reporting-MTA: dns; mx.posthouse.test',
      'Arrival-Date: Thu, 01 Jan 2026 00:00:00 +0000',
      '',
      'Original-Recipient: rfc822;first@out.test',
      'Final-Recipient: rfc822;gone@out.test',
      'Action: failed',
      'Status: 5.1.1',
      'Remote-MTA: dns; 127.0.0.1',
      'Diagnostic-Code: smtp; 550 5.1.1 no such person',
      'Last-Attempt-Date: Thu, 01 Jan 2026 00:00:00 +0000',
      '',
      'Final-Recipient: rfc822;gone2@out.test',
      'Action: failed',
      'Status: 5.1.1',
      'Remote-MTA: dns; 127.0.0.1',
      'Diagnostic-Code: smtp; 550 5.1.1 no such person',
      'Last-Attempt-Date: Thu, 01 Jan 2026 00:00:00 +0000',
    ].join('\n'),
  )
  t.match(header, /^Content-Type: text\/rfc822-headers\n\nFrom: .*\nTo: .*\nSubject: hello\n/)
  t.notMatch(header, 'body')
})

t.test('RET=FULL returns the whole message', async (t) => {
  const { port } = await startPeer(t, REFUSING)
  const { core, send } = await startQueue(t, RELAY(port))
  await send(['gone@out.test'], { parameters: { RET: 'FULL' } })
  t.match(Buffer.from(core.messages[0]!.bytes).toString(), `Content-Type: message/rfc822\r\n\r\n${MESSAGE}`)
})

t.test('a message from the null sender, or with NEVER, causes no notification', async (t) => {
  const { port } = await startPeer(t, REFUSING)
  const { core, send } = await startQueue(t, RELAY(port))
  await send(['gone@out.test'], { mailFrom: '' })
  await send([], { recipients: [{ address: 'gone@out.test', parameters: { NOTIFY: 'NEVER' } }] })
  await send([], { recipients: [{ address: 'gone@out.test', parameters: { NOTIFY: 'SUCCESS,DELAY' } }] })
  t.equal(core.messages.length + core.submitted.length, 0)
  await send(['gone@out.test'])
  t.equal(core.messages.length, 1, 'control: otherwise the sender is')
})

t.test('a notification goes to the account that sent the message, and names the message', async (t) => {
  const { port } = await startPeer(t, REFUSING)
  const { core, send } = await startQueue(t, RELAY(port))
  const { submission, submissionId } = await send(['gone@out.test'], { mailFrom: 'former-alias@posthouse.test' })
  t.match(core.messages, [
    {
      mailFrom: '',
      recipients: [{ account: 10, address: 'former-alias@posthouse.test' }],
      reports: { submission, evenOverQuota: false },
    },
  ])
  t.match(Buffer.from(core.messages[0]!.bytes).toString(), `Message-ID: <${submissionId}.0.failed@`)
  t.equal(core.submitted.length, 0)
})

t.test('a full mailbox still gets a failure, without the message, and nothing else', async (t) => {
  const { port } = await startPeer(t, REFUSING)
  const { core, send } = await startQueue(t, RELAY(port))
  core.refusing.set(10, 'overQuota')
  await send(['gone@out.test'], { parameters: { RET: 'FULL' } })
  t.match(
    core.messages.map(({ reports }) => reports?.evenOverQuota),
    [false, true],
  )
  t.match(Buffer.from(core.messages[1]!.bytes).toString(), 'Content-Type: text/rfc822-headers')
  await send([], { recipients: [{ address: 'bob@posthouse.test', parameters: { NOTIFY: 'SUCCESS' } }] })
  t.notOk(core.messages.slice(2).some(({ reports }) => reports?.evenOverQuota))
})

t.test("if the sender's mailbox is deleted, no notification is sent and the submission ends", async (t) => {
  const { port } = await startPeer(t, REFUSING)
  const { core, send } = await startQueue(t, RELAY(port))
  core.refusing.set(10, 'unknownAccount')
  await send(['gone@out.test'])
  t.match(core.reports[0], { retryAt: null, outcomes: [{ status: 'refused' }] })
})

t.test('a failure whose notification cannot be stored stays open, and is reported at the next attempt', async (t) => {
  const { port } = await startPeer(t, REFUSING)
  const { core, clock, send, reported } = await startQueue(t, RELAY(port))
  core.fail('ingest', new Failure('storageFull', 'x'))
  await send(['gone@out.test', 'good@out.test'])
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred', smtpReply: '550 5.1.1' }, { status: 'sent' }])
  clock.advance(60_000)
  await reported(2)
  t.match(core.reports[1], { retryAt: null, outcomes: [{ status: 'refused' }] })
  t.equal(core.messages.length, 1)
})

t.test('a delay is reported once, about four hours later, if the sender asked for it', async (t) => {
  const { port } = await startPeer(t, DEFERRING)
  const { core, clock, send, reported } = await startQueue(t, RELAY(port))
  await send([], {
    recipients: [
      { address: 'asked@out.test', parameters: { NOTIFY: 'DELAY,FAILURE' } },
      { address: 'silent@out.test', parameters: {} },
    ],
  })
  const told: number[] = []
  for (let attempts = 2; core.queue.length > 0; attempts++) {
    clock.advance(core.queue[0]!.due - clock.now())
    await reported(attempts)
    if (core.messages.length > told.length) told.push(clock.now())
  }
  t.same(told, [Date.UTC(2026, 0, 1, 3, 51), Date.UTC(2026, 0, 6)])
  const delay = Buffer.from(core.messages[0]!.bytes).toString()
  t.match(delay, 'Action: delayed\r\nStatus: 4.2.0')
  t.match(delay, 'Will-Retry-Until: Tue, 06 Jan 2026 00:00:00 +0000')
  t.notMatch(delay, 'silent@')
  const failure = Buffer.from(core.messages[1]!.bytes).toString()
  t.equal(failure.match(/^Status: 4\.4\.7\r$/gm)?.length, 2)
})

t.test('this server reports success if the mailbox is local or the next hop does not support DSN', async (t) => {
  const speaking = await startPeer(t)
  const silent = await startPeer(t, { extensions: [] })
  const recipient = (address: string) => ({ recipients: [{ address, parameters: { NOTIFY: 'SUCCESS' } }] })
  const one = await startQueue(t, RELAY(speaking.port))
  await one.send([], recipient('x@out.test'))
  t.equal(one.core.messages.length, 0, 'the next hop speaks DSN')
  await one.send([], recipient('bob@posthouse.test'))
  t.equal(one.core.messages.length, 2)
  t.match(Buffer.from(one.core.messages[1]!.bytes).toString(), 'Action: delivered\r\nStatus: 2.1.5')
  const other = await startQueue(t, RELAY(silent.port))
  await other.send([], recipient('x@out.test'))
  t.match(Buffer.from(other.core.messages[0]!.bytes).toString(), 'Action: relayed\r\nStatus: 2.0.0')
})

t.test('the reply of a server cannot add lines to a report', async (t) => {
  const { port } = await startPeer(t, {
    reply: (line) => (line.startsWith('RCPT') ? '550 5.1.1 no\u0085\u2028Action: delivered' : null),
  })
  const { core, send } = await startQueue(t, RELAY(port))
  await send([], {
    recipients: [{ address: 'jö\u2028x@out.test', parameters: { ORCPT: 'rfc822;a\r\nAction: delivered' } }],
  })
  const text = Buffer.from(core.messages[0]!.bytes).toString()
  t.equal(text.match(/^Action:/gm)?.length, 1)
})

t.test('addresses and headers beyond ASCII are reported in ASCII', async (t) => {
  const { port } = await startPeer(t, { reply: (line) => (line.startsWith('RCPT') ? '550 5.1.1 nö' : null) })
  const { core, send } = await startQueue(t, RELAY(port))
  await send(['jörg@out.test'], { bytes: Buffer.from('Subject: hellå\r\n\r\nbody\r\n') })
  const [, status, header] = parts(Buffer.from(core.messages[0]!.bytes).toString())
  t.match(status, 'Final-Recipient: utf-8;j\\x{F6}rg@out.test')
  t.match(status, 'Diagnostic-Code: smtp; 550 5.1.1 n?')
  t.match(header, /^Content-Type: message\/global-headers\nContent-Transfer-Encoding: base64/)
})
