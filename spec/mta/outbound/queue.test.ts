// Promises Q1 to Q3: claimed messages are attempted, reported once for each recipient, and retried on time.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { Failure } from '../../../server/base/errors.ts'
import { startQueue, submission } from '../../support/outbound-queue.ts'
import { startPeer } from '../../support/smtp-peer.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 0, 1)

const RELAY = (port: number) => ({ routing: { mode: 'relay', url: `smtp://127.0.0.1:${port}` } }) as const

t.test('a notification about EmailSubmission wakes the worker, other notifications do not', async (t) => {
  const { port } = await startPeer(t)
  const { core } = await startQueue(t, RELAY(port))
  while (core.claims.length < 1) await turn()
  for (let i = 0; i < 20; i++) await turn()
  const before = core.claims.length
  core.notify('Email', 'Mailbox')
  for (let i = 0; i < 20; i++) await turn()
  t.equal(core.claims.length, before)
  core.notify('EmailSubmission')
  for (let i = 0; i < 20; i++) await turn()
  t.ok(core.claims.length > before)
})

t.test('a scheduled submission is sent at its time', async (t) => {
  const { port, messages } = await startPeer(t)
  const { core, clock, reported } = await startQueue(t, RELAY(port))
  core.enqueue(submission(['x@out.test']), START + HOUR)
  core.notify('EmailSubmission')
  for (let i = 0; i < 20; i++) await turn()
  for (let minute = 1; minute < 60; minute++) {
    clock.advance(MINUTE)
    for (let i = 0; i < 5; i++) await turn()
  }
  t.equal(messages.length, 0)
  clock.advance(MINUTE)
  await reported(1)
  t.equal(messages.length, 1)
})

t.test('without a notification the sweep finds due submissions', async (t) => {
  const { port, messages } = await startPeer(t)
  const { core, clock, reported } = await startQueue(t, RELAY(port))
  for (let i = 0; i < 20; i++) await turn()
  core.enqueue(submission(['x@out.test']))
  clock.advance(30_000)
  await reported(1)
  t.equal(messages.length, 1)
})

t.test('claims carry a lease, one owner, and no more than there is room for', async (t) => {
  const { port } = await startPeer(t)
  const { core, reported } = await startQueue(t, RELAY(port))
  for (let i = 0; i < 120; i++) core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  await reported(120)
  t.equal(new Set(core.claims.map(({ owner }) => owner)).size, 1)
  t.ok(core.claims.every(({ limit, leaseMs }) => limit >= 1 && limit <= 100 && leaseMs === 20_000))
  t.equal(new Set(core.reports.map((report) => report.submission)).size, 120)
})

t.test('deferred recipients are retried on schedule for five days; finished ones are not', async (t) => {
  const { port, messages } = await startPeer(t, {
    reply: (line) => (line.includes('<later@') ? '451 4.2.0 greylisted' : null),
  })
  const { core, clock, send, reported } = await startQueue(t, RELAY(port))
  await send(['later@out.test', 'good@out.test'])
  const times = [0]
  while (core.queue.length > 0) {
    clock.advance(core.queue[0]!.due - clock.now())
    times.push(clock.now() - START)
    await reported(times.length)
  }
  t.same(
    times.slice(0, 9),
    [0, 1, 6, 21, 51, 111, 231, 471, 711].map((minutes) => minutes * MINUTE),
  )
  t.equal(times.at(-1), 5 * DAY)
  t.equal(messages.length, 1, 'the other was sent once')
  t.match(core.reports.at(-1), {
    retryAt: null,
    outcomes: [{ address: 'later@out.test', status: 'refused', smtpReply: /^451 4\.4\.7 .*greylisted$/ }],
  })
})

t.test('the operator can set another schedule', async (t) => {
  const { port } = await startPeer(t, { reply: (line) => (line.startsWith('RCPT') ? '451 4.2.0 later' : null) })
  const schedule = { waits: [2 * MINUTE, 10 * MINUTE], expiry: HOUR }
  const { core, clock, send, reported } = await startQueue(t, { ...RELAY(port), schedule })
  await send(['x@out.test'])
  const times = [0]
  while (core.queue.length > 0) {
    clock.advance(core.queue[0]!.due - clock.now())
    times.push((clock.now() - START) / MINUTE)
    await reported(times.length)
  }
  t.same(times, [0, 2, 12, 22, 32, 42, 52, 60])
})

t.test('a clock that jumps back expires nothing', async (t) => {
  const { port } = await startPeer(t, { reply: (line) => (line.startsWith('RCPT') ? '451 4.2.0 later' : null) })
  const { core, send } = await startQueue(t, RELAY(port))
  await send(['x@out.test'], { queuedAt: START + 2 * HOUR })
  t.match(core.reports[0], { retryAt: START + MINUTE, outcomes: [{ status: 'deferred' }] })
})

t.test('a report that the core does not accept is repeated', async (t) => {
  const { port, messages } = await startPeer(t)
  const { core, clock, reported } = await startQueue(t, RELAY(port))
  core.fail('reportAttempts', new Failure('storageUnavailable', 'x'), 2)
  core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  while (core.queue.length > 0) {
    clock.advance(5_000)
    await turn()
  }
  await reported(1)
  t.equal(messages.length, 1)
})

t.test('a core that does not respond is asked again at the sweep', async (t) => {
  const { port } = await startPeer(t)
  const { core, clock, reported } = await startQueue(t, RELAY(port))
  for (let i = 0; i < 20; i++) await turn()
  core.fail('claimSubmissions', new Failure('storageUnavailable', 'x'))
  core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  for (let i = 0; i < 20; i++) await turn()
  t.equal(core.reports.length, 0)
  clock.advance(30_000)
  await reported(1)
  t.match(core.reports[0]?.outcomes, [{ status: 'sent' }])
})

t.test('recipients whose lookup fails are retried', async (t) => {
  const { port, messages } = await startPeer(t)
  const { core, send } = await startQueue(t, RELAY(port))
  core.fail('recipients', new Failure('storageUnavailable', 'x'))
  await send(['x@out.test'])
  t.match(core.reports[0], { retryAt: START + MINUTE, outcomes: [{ status: 'deferred' }] })
  t.equal(messages.length, 0)
})

t.test('stop waits for a message under way, and claims nothing after', async (t) => {
  const { port, messages } = await startPeer(t)
  const { core, queue } = await startQueue(t, RELAY(port))
  const release = core.hold('recipients')
  core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  while (!core.queue[0]?.leased) await turn()
  const stopped = queue.stop()
  release()
  await stopped
  t.equal(messages.length, 1)
  t.equal(core.reports.length, 1)
  core.enqueue(submission(['y@out.test']))
  core.notify('EmailSubmission')
  for (let i = 0; i < 20; i++) await turn()
  t.equal(core.queue[0]?.leased, false)
})

t.test('stop aborts a host that does not respond, and leaves the message in the queue', async (t) => {
  const peer = await startPeer(t, { reply: (line) => (line === '.' ? '' : null) })
  const { core, clock, queue } = await startQueue(t, RELAY(peer.port))
  core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  while (!peer.lines.includes('DATA')) await turn()
  const stopped = queue.stop()
  await turn()
  clock.advance(10_000)
  await stopped
  t.match(core.reports[0], {
    retryAt: clock.now() + MINUTE,
    outcomes: [{ status: 'deferred', smtpReply: '451 4.4.2' }],
  })
})

t.test('an attempt that takes too long is aborted', async (t) => {
  const peer = await startPeer(t, { reply: (line) => (line === '.' ? '' : null) })
  const { core, clock, reported } = await startQueue(t, RELAY(peer.port))
  core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  while (!peer.lines.includes('DATA')) await turn()
  clock.advance(20 * MINUTE)
  await reported(1)
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred' }])
})

t.test('a host has at most twenty connections', async (t) => {
  const peer = await startPeer(t)
  const { core, reported } = await startQueue(t, RELAY(peer.port))
  for (let i = 0; i < 50; i++) core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  await reported(50)
  t.equal(peer.messages.length, 50)
  t.ok(peer.connections <= 20, `${peer.connections} connections`)
})

t.test('a message with fifty hops is not sent on', async (t) => {
  const { port, messages } = await startPeer(t)
  const { core, send } = await startQueue(t, RELAY(port))
  const bytes = (hops: number) => Buffer.from(`${'Received: by x; now\r\n'.repeat(hops)}Subject: x\r\n\r\nx\r\n`)
  await send(['x@out.test'], { bytes: bytes(51), mailFrom: '' })
  t.match(core.reports[0]?.outcomes, [{ status: 'refused', smtpReply: '554 5.4.6' }])
  await send(['x@out.test'], { bytes: bytes(50), mailFrom: '' })
  t.match(core.reports[1]?.outcomes, [{ status: 'sent' }])
  t.equal(messages.length, 1)
})
