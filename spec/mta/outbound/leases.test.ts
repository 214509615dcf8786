// Promises L1, Q2: leases are short, so that others take over soon, and renewed, so that they do not take over too soon.
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { QueuedSubmission } from '../../../jmap/mail/submission/queue-description.ts'
import { QueueWorker } from '../../../mta/outbound/worker.ts'
import { Failure } from '../../../server/base/errors.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { QUEUE_BUSY_MS, QUEUE_LEASE_MS, QUEUE_RENEW_MS, QUEUE_REST_MS } from '../../../server/base/outbound-limits.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startQueue, submission } from '../../support/outbound-queue.ts'
import { sender } from '../../support/sending.ts'
import { startPeer } from '../../support/smtp-peer.ts'

const settle = async () => {
  for (let i = 0; i < 20; i++) await turn()
}

/** A queue with one message that is being sent to a host which does not respond. */
async function startSending(t: Test) {
  const peer = await startPeer(t, { reply: (line) => (line === '.' ? '' : null) })
  const queue = await startQueue(t, { routing: { mode: 'relay', url: `smtp://127.0.0.1:${peer.port}` } })
  const queued = submission(['x@out.test'])
  queue.core.enqueue(queued)
  queue.core.notify('EmailSubmission')
  while (!peer.lines.includes('DATA')) await turn()
  return { ...queue, peer, queued }
}

t.test('the lease of an attempt is renewed while it runs, and not after', async (t) => {
  const { core, clock, queued, reported } = await startSending(t)
  for (let i = 1; i <= 4; i++) {
    clock.advance(QUEUE_RENEW_MS)
    await settle()
  }
  t.ok(core.renewals.length >= 3)
  t.match(core.renewals[0], { held: [{ submission: queued.submission, lease: queued.lease }], leaseMs: QUEUE_LEASE_MS })
  t.equal(core.reports.length, 0, 'it goes on')
  clock.advance(20 * 60_000)
  await reported(1)
  await settle()
  const count = core.renewals.length
  clock.advance(QUEUE_RENEW_MS)
  await settle()
  t.equal(core.renewals.length, count)
})

t.test('an attempt whose lease has passed to another worker is aborted', async (t) => {
  const { core, clock, queued, reported } = await startSending(t)
  core.lostLeases.add(queued.lease)
  clock.advance(QUEUE_RENEW_MS)
  await reported(1)
  t.match(core.reports[0], { lease: queued.lease, outcomes: [{ status: 'deferred' }] })
})

t.test('an attempt continues while renewals fail, until the lease ends', async (t) => {
  const { core, clock, reported } = await startSending(t)
  core.fail('renewSubmissions', new Failure('storageUnavailable', 'x'), 10)
  for (let passed = QUEUE_RENEW_MS; passed < QUEUE_LEASE_MS; passed += QUEUE_RENEW_MS) {
    clock.advance(QUEUE_RENEW_MS)
    await settle()
  }
  t.equal(core.reports.length, 0)
  clock.advance(QUEUE_RENEW_MS)
  await reported(1)
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred' }])
})

t.test('a process that was suspended renews its leases before it claims', async (t) => {
  const { core, clock } = await startSending(t)
  await settle()
  const release = core.hold('renewSubmissions')
  const before = core.claims.length
  clock.advance(3_600_000)
  core.notify('EmailSubmission')
  await settle()
  t.equal(core.claims.length, before)
  release()
  await settle()
  t.ok(core.claims.length > before, 'control: then it claims')
})

t.test('after a failure of the core, results are reported before anything is claimed', async (t) => {
  const { port } = await startPeer(t)
  const routing = { mode: 'relay', url: `smtp://127.0.0.1:${port}` } as const
  const { core, clock, reported } = await startQueue(t, { routing })
  await settle()
  core.fail('reportAttempts', new Failure('storageUnavailable', 'x'))
  core.enqueue(submission(['x@out.test']))
  core.notify('EmailSubmission')
  while (core.claims.length === 0 || core.queue.every(({ leased }) => !leased)) await turn()
  // Until the failed report waits for its retry.
  for (let i = 0; i < 200; i++) await turn()
  const before = core.claims.length
  core.notify('EmailSubmission')
  clock.advance(QUEUE_REST_MS - 1)
  await reported(1)
  core.notify('EmailSubmission')
  await settle()
  t.equal(core.claims.length, before)
  clock.advance(1)
  await settle()
  t.ok(core.claims.length > before, 'control')
})

await forEachEngine(t, async (t, engine) => {
  t.test('messages of a dead node are sent by another within 30 seconds', async (t) => {
    const { core, clock, mailbox } = await startCore(t, engine)
    const send = await sender(core, await mailbox('hello'))
    await send.byJmap(['ann@example.org'])
    t.equal((await core.claimSubmissions('dies', 10, QUEUE_LEASE_MS)).length, 1)
    const tried: QueuedSubmission[] = []
    const attempt = async (queued: QueuedSubmission) => {
      tried.push(queued)
      const { account, submission: number, lease, recipients } = queued
      const outcome = { status: 'sent', smtpReply: '250 2.0.0 ok', host: null } as const
      const outcomes = recipients.map(({ address }) => ({ address, ...outcome }))
      return { report: { account, submission: number, lease, outcomes, retryAt: null }, contact: 'answered' as const }
    }
    const worker = new QueueWorker({ core, attempt, clock, log: silentLogger })
    worker.start()
    t.teardown(() => worker.stop())
    // Claims use the database.
    const looked = async () => {
      for (let i = 0; i < 5; i++) await core.nextSubmissionAt()
    }
    for (let passed = 0; passed < 15; passed += 5) {
      clock.advance(5_000)
      await looked()
    }
    t.same(tried, [], 'not before the lease is over')
    clock.advance(15_000)
    // A claim may have been running, and is repeated a moment later.
    while (tried.length === 0) {
      await looked()
      await turn()
      clock.advance(QUEUE_BUSY_MS)
    }
    t.equal(tried.length, 1)
    while ((await core.nextSubmissionAt()) !== null) await turn()
  })
})
