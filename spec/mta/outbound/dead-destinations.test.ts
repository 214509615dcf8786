// Promise Q4: hosts that accept connections and never greet do not delay other mail of the organization.
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { QueuedSubmission } from '../../../jmap/mail/submission/queue-description.ts'
import type { Attempted } from '../../../mta/outbound/attempt.ts'
import { QueueWorker, type QueueWorkerOptions } from '../../../mta/outbound/worker.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import {
  QUEUE_BUSY_MS,
  QUEUE_PROBES_PER_ORGANIZATION,
  QUEUE_PROBES_PER_ORGANIZATION_FOR_NEW,
} from '../../../server/base/outbound-limits.ts'
import { startCore } from '../../support/core.ts'
import { MemoryCore } from '../../support/memory-core.ts'
import { startQueue, submission } from '../../support/outbound-queue.ts'
import { sender } from '../../support/sending.ts'
import { startPeer } from '../../support/smtp-peer.ts'

const SECOND = 1_000
const RECIPIENTS = 100

/** An attempt at a dead destination takes `waitMs`, others are sent at once. */
function attempts(clock: ManualClock, waitMs: number) {
  const tried: string[] = []
  const attempt = async (queued: QueuedSubmission, signal: AbortSignal): Promise<Attempted> => {
    const { account, submission: number, lease, recipients, destination } = queued
    tried.push(destination)
    const isDead = destination.startsWith('dead')
    if (isDead)
      await new Promise<void>((resolve) => {
        clock.after(waitMs, resolve)
        signal.addEventListener('abort', () => resolve())
      })
    const outcome = isDead
      ? ({ status: 'deferred', smtpReply: '451 4.4.1 silence', host: null } as const)
      : ({ status: 'sent', smtpReply: '250 2.0.0 ok', host: 'mx' } as const)
    const outcomes = recipients.map(({ address }) => ({ address, ...outcome }))
    const retryAt = isDead ? clock.now() + 60 * SECOND : null
    const report = { account, submission: number, lease, outcomes, retryAt }
    return { report, contact: isDead ? 'silent' : 'answered' }
  }
  const healthy = () => tried.filter((name) => name === 'healthy.test').length
  return { attempt, tried, healthy }
}

function startWorker(t: Test, options: Pick<QueueWorkerOptions, 'core' | 'attempt'>, clock: ManualClock): void {
  const worker = new QueueWorker({ ...options, clock, log: silentLogger })
  worker.start()
  t.teardown(async () => {
    const stopped = worker.stop()
    for (let i = 0; i < 10; i++) await turn()
    clock.advance(10 * SECOND)
    await stopped
  })
}

t.test('three dead destinations with much mail use six slots, and other mail is sent at once', async (t) => {
  const clock = new ManualClock()
  const core = new MemoryCore(() => clock.now())
  const { attempt, tried, healthy } = attempts(clock, 300 * SECOND)
  for (let i = 0; i < 600; i++) core.enqueue(submission([`x@dead${i % 3}.test`]))
  startWorker(t, { core, attempt }, clock)
  for (let i = 0; i < 50; i++) await turn()
  t.equal(tried.length, 6)
  for (let i = 0; i < 20; i++) core.enqueue(submission(['x@healthy.test']))
  for (let passed = 0; passed < SECOND; passed += QUEUE_BUSY_MS) {
    clock.advance(QUEUE_BUSY_MS)
    for (let i = 0; i < 50; i++) await turn()
  }
  t.equal(healthy(), 20)
  t.equal(tried.length, 26)
})

t.test(
  'new mail is sent within a second while more dead destinations are queued than can be tried at a time',
  async (t) => {
    const { core, clock, mailbox } = await startCore(t)
    const send = await sender(core, await mailbox('hello'))
    const { attempt, tried, healthy } = attempts(clock, 10 * SECOND)
    // These messages are older than QUEUE_NEW_MS.
    for (let i = 0; i < 9; i++)
      await send.bySmtp(Array.from({ length: RECIPIENTS }, (_, at) => `x@dead${i * RECIPIENTS + at}.test`))
    clock.advance(11 * SECOND)
    startWorker(t, { core, attempt }, clock)
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += QUEUE_BUSY_MS) {
        clock.advance(QUEUE_BUSY_MS)
        for (let i = 0; i < 5; i++) await core.nextSubmissionAt()
        await turn()
      }
    }
    const others = QUEUE_PROBES_PER_ORGANIZATION - QUEUE_PROBES_PER_ORGANIZATION_FOR_NEW
    while (tried.length < others) await turn()
    await pass(3 * SECOND)
    t.equal(tried.length, others, 'control: all slots but those for new mail are in use')
    for (let i = 0; i < 3; i++) await send.bySmtp(['x@healthy.test'])
    await pass(SECOND)
    t.equal(healthy(), 3)
  },
)

/** A host that accepts connections and sends nothing. */
const SILENT = { greeting: '', reply: () => '' }

t.test('a host that has not greeted before gets 10 seconds, and longer at each further attempt', async (t) => {
  const peer = await startPeer(t, SILENT)
  const { core, clock, reported } = await startQueue(t, {
    routing: { mode: 'relay', url: `smtp://127.0.0.1:${peer.port}` },
  })
  const waits: number[] = []
  for (const attempts of [0, 1, 4, 9]) {
    const before = peer.connections
    core.enqueue(submission([`x@out${attempts}.test`], { attempts }))
    core.notify('EmailSubmission')
    while (peer.connections === before) await turn()
    const start = clock.now()
    while (core.reports.length === waits.length) {
      clock.advance(SECOND)
      for (let i = 0; i < 5; i++) await turn()
    }
    await reported(waits.length + 1)
    waits.push((clock.now() - start) / SECOND)
    // The message is not tried again.
    core.queue.splice(0)
  }
  t.same(waits, [10, 20, 160, 300])
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred', smtpReply: /^451 4\.4\.1 No connection: not ready/ }])
})

t.test('a host that greeted the last time gets the five minutes of RFC 5321 4.5.3.2.1', async (t) => {
  let isSilent = false
  const peer = await startPeer(t, { reply: (line) => (isSilent && line.startsWith('EHLO') ? '' : null) })
  const { core, clock, send } = await startQueue(t, {
    routing: { mode: 'relay', url: `smtp://127.0.0.1:${peer.port}` },
  })
  await send(['x@out.test'])
  clock.advance(10 * SECOND)
  isSilent = true
  const before = peer.lines.length
  core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  while (!peer.lines.slice(before).some((line) => line.startsWith('EHLO'))) await turn()
  clock.advance(299 * SECOND)
  for (let i = 0; i < 20; i++) await turn()
  t.equal(core.reports.length, 1)
  clock.advance(SECOND)
  while (core.reports.length < 2) await turn()
  t.match(core.reports[1]?.outcomes, [{ status: 'deferred', smtpReply: /not ready for mail in 300 s/ }])
})

t.test('attempts that wait for a connection to a silent host fail together', async (t) => {
  const peer = await startPeer(t, SILENT)
  const { core, clock } = await startQueue(t, { routing: { mode: 'relay', url: `smtp://127.0.0.1:${peer.port}` } })
  for (let i = 0; i < 60; i++) core.enqueue(submission([`x@out${i}.test`]))
  core.notify('EmailSubmission')
  while (peer.connections < 20) await turn()
  for (let i = 0; i < 20; i++) await turn()
  clock.advance(10 * SECOND)
  while (core.reports.length < 60) await turn()
  t.equal(peer.connections, 20)
})
