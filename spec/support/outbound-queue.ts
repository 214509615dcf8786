/** An outbound queue over a MemoryCore, with a ManualClock and its own DNS. */
import { createSecretKey } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Test } from 'tap'
import type { QueuedRecipient, QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import { createDnsResolver } from '../../mta/dns/resolver.ts'
import { createLocalDelivery } from '../../mta/inbound/local-delivery.ts'
import { createOutboundQueue, type OutboundQueue, type Routing } from '../../mta/outbound/queue.ts'
import type { RetrySchedule } from '../../mta/outbound/retry-schedule.ts'
import { domainOf } from '../../mta/smtp/path.ts'
import { ManualClock } from '../../server/base/clock.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { startDnsServer, type Zone } from './dns-server.ts'
import { MemoryCore } from './memory-core.ts'

export interface StartedQueue {
  readonly core: MemoryCore
  readonly clock: ManualClock
  readonly queue: OutboundQueue
  /** Queues a message from alice to `to`, notifies the worker, and waits until its attempt is reported. */
  send(to: readonly string[], changes?: SubmissionChanges): Promise<QueuedSubmission>
  /** Waits until this many attempts have been reported. */
  reported(count: number): Promise<void>
}

export const MESSAGE =
  'From: alice@posthouse.test\r\nTo: x@out.test\r\nSubject: hello\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\n' +
  'Message-ID: <1@posthouse.test>\r\n\r\nbody\r\n'

/** Key of return addresses. */
export const RETURN_KEY = createSecretKey(Buffer.alloc(32, 1))

/** As a test writes it: recipients in the order of the envelope. */
export type SubmissionChanges = Partial<Omit<QueuedSubmission, 'recipients'>> & {
  readonly recipients?: readonly Omit<QueuedRecipient, 'position'>[]
}

let made = 0

export function submission(to: readonly string[], changes: SubmissionChanges = {}): QueuedSubmission {
  made++
  const recipients = changes.recipients ?? to.map((address) => ({ address, parameters: {} }))
  return {
    account: 10,
    organization: 1,
    submission: made,
    submissionId: `sbm_${made}`,
    destination: domainOf(recipients[0]?.address ?? ''),
    mailFrom: 'alice@posthouse.test',
    returnDomain: null,
    relay: null,
    parameters: {},
    queuedAt: Date.UTC(2026, 0, 1),
    attempts: 0,
    bytes: Buffer.from(MESSAGE),
    dkim: [],
    isBulk: false,
    startBy: null,
    lease: `lease_${made}`,
    ...changes,
    recipients: recipients.map((recipient, position) => ({ ...recipient, position })),
  }
}

/** @param routing `mx` routes get the zones of `dns`, and may use loopback. */
export async function startQueue(
  t: Test,
  {
    routing,
    dns = {},
    fetchPolicy,
    isPublic,
    schedule,
    kept,
  }: {
    routing: Routing
    dns?: { [name: string]: Zone }
    fetchPolicy?: (domain: string) => Promise<string | null>
    isPublic?: (address: string) => boolean
    schedule?: RetrySchedule
    /** MTA-STS policies of an earlier process. */
    kept?: MemoryCore['policies']
  },
): Promise<StartedQueue> {
  const clock = new ManualClock()
  const core = new MemoryCore(() => clock.now())
  for (const [domain, policy] of kept ?? []) core.policies.set(domain, policy)
  const { server } = await startDnsServer(t, dns)
  const queue = createOutboundQueue({
    core,
    delivery: createLocalDelivery(core),
    dns: createDnsResolver({ server, timeoutMs: 100, tries: 1 }),
    routing: routing.mode === 'mx' ? { allowLoopback: true, ...routing } : routing,
    hostname: 'mx.posthouse.test',
    postmaster: 'postmaster@posthouse.test',
    clock,
    logger: silentLogger,
    random: () => 0.5,
    returnKeys: [RETURN_KEY],
    ...(isPublic && { isPublic }),
    ...(schedule && { schedule }),
    ...(fetchPolicy && { fetchPolicy }),
  })
  queue.start()
  t.teardown(async () => {
    const stopped = queue.stop()
    clock.advance(60_000)
    await stopped
  })
  const reported = async (count: number) => {
    while (core.reports.length < count) await turn()
  }
  return {
    core,
    clock,
    queue,
    reported,
    async send(to, changes) {
      const queued = submission(to, changes)
      const before = core.reports.length
      core.enqueue(queued)
      core.notify('EmailSubmission')
      await reported(before + 1)
      return queued
    },
  }
}
