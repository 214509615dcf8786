// Promise Q3: a host that defers for five days, from the submission to the notices in the sender's mailbox, on the server's own clock.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import type { AttemptReport } from '../../../jmap/mail/submission/queue-report.ts'
import { createDnsResolver } from '../../../mta/dns/resolver.ts'
import { createLocalDelivery } from '../../../mta/inbound/local-delivery.ts'
import { createOutboundQueue } from '../../../mta/outbound/queue.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { RETRY_SCHEDULE_MS } from '../../../server/base/outbound-limits.ts'
import { startCore } from '../../support/core.ts'
import { startPeer } from '../../support/smtp-peer.ts'

const HOUR = 3_600_000
const HOSTNAME = 'mx.example.test'
/** With and without a request for delay notices, and one with NEVER. */
const RECIPIENTS = [
  { address: 'asked@out.test', parameters: { NOTIFY: 'DELAY,FAILURE' } },
  { address: 'plain@out.test' },
  { address: 'never@out.test', parameters: { NOTIFY: 'NEVER' } },
]

t.test(
  'mail is retried on schedule for five days; the sender gets one notice of the delay and one of the failure',
  async (t) => {
    const { core, clock, mailbox } = await startCore(t)
    const hello = await mailbox('hello')
    const peer = await startPeer(t, { reply: (line) => (line.startsWith('RCPT') ? '451 4.2.0 come again' : null) })
    const reports: AttemptReport[] = []
    const queue = createOutboundQueue({
      core: {
        ...core,
        async reportAttempts(given) {
          await core.reportAttempts(given)
          reports.push(...given)
        },
      },
      delivery: createLocalDelivery(core, HOSTNAME),
      dns: createDnsResolver({ server: '127.0.0.1:9', clock }),
      routing: { mode: 'relay', url: `smtp://127.0.0.1:${peer.port}` },
      hostname: HOSTNAME,
      postmaster: `postmaster@${HOSTNAME}`,
      clock,
      logger: silentLogger,
      random: pseudoRandom(),
    })
    queue.start()
    t.teardown(() => queue.stop())
    const text = `From: ${hello.address}\r\nDate: Thu, 1 Jan 2026 00:00:00 +0000\r\nMessage-ID: <1@example.test>\r\n\r\nx\r\n`
    const start = clock.now()
    const sent = { bytes: Buffer.from(text), mailFrom: hello.address, recipients: RECIPIENTS }
    t.equal((await core.submit(hello.principal, sent)).status, 'queued')

    const tried: number[] = []
    const notices: { at: number; text: string }[] = []
    for (;;) {
      while (reports.length <= tried.length) await turn()
      tried.push(clock.now() - start)
      for (const text of (await noticesOf()).slice(notices.length)) notices.push({ at: clock.now() - start, text })
      const next = await core.nextSubmissionAt()
      if (next === null) break
      clock.advance(next - clock.now())
    }
    async function noticesOf(): Promise<string[]> {
      const { ids } = await hello.call('Email/query', { filter: { inMailbox: hello.roles['inbox']! } })
      const { list } = await hello.call('Email/get', { ids, properties: ['preview', 'subject', 'receivedAt'] })
      return list.map(({ subject, preview }: { subject: string; preview: string }) => `${subject} ${preview}`)
    }

    const waits = tried.slice(1).map((at, i) => at - tried[i]!)
    // The last wait ends with the five days.
    for (const [i, wait] of waits.slice(0, -1).entries()) {
      const planned = RETRY_SCHEDULE_MS[Math.min(i, RETRY_SCHEDULE_MS.length - 1)]!
      t.ok(Math.abs(wait / planned - 1) <= 0.1, `wait ${i + 1}: ${wait} ms, planned ${planned}`)
    }
    t.ok(
      new Set(waits.map((wait, i) => wait / RETRY_SCHEDULE_MS[Math.min(i, 6)]!)).size > 10,
      'control: it is moved at random',
    )
    t.equal(tried.at(-1), 120 * HOUR)
    t.equal(peer.messages.length, 0)
    t.equal(notices.length, 2, JSON.stringify(notices))
    t.ok(Math.abs(notices[0]!.at / (4 * HOUR) - 1) <= 0.1, `the delay is told after ${notices[0]!.at / HOUR} h`)
    t.equal(notices[1]!.at, 120 * HOUR)
    const last = reports.at(-1)!.outcomes
    t.same(
      last.map(({ address, status }) => [address, status]),
      RECIPIENTS.map(({ address }) => [address, 'refused']),
    )
  },
)

/** The same in every run (Park and Miller). */
function pseudoRandom(): () => number {
  let state = 20_261_121
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}
