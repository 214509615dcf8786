/** An organization that can send newsletters, with a worker and a queue whose attempts the test decides. */
import type { Test } from 'tap'
import { Newsletter } from '../../../jmap/newsletters/newsletter/newsletter.type.ts'
import type { Limits } from '../../../jmap/type/limits.ts'
import { toWireMessage } from '../../../mta/outbound/wire-message.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { newsletterWorker } from '../../../server/workers/newsletters.ts'
import { eventsOf } from '../../../storage/repos/events.ts'
import { type Result, startCore } from '../../support/core.ts'
import type { EngineName } from '../../support/engines.ts'
import { hearEvents } from '../../support/hear-events.ts'
import { audiencesOf } from './world.ts'

/** An attempt that the test has seen. */
export interface SentCopy {
  readonly to: string
  readonly text: string
  readonly account: number
  readonly submission: number
  /** Its octets as the next server gets them. */
  wire(): Promise<string>
}

export interface Deliveries {
  /** Attempts made. */
  readonly most?: number
  /** All are deferred, until after ten minutes. */
  readonly defer?: boolean
  /** Addresses that are refused as unknown. */
  readonly refuse?: readonly string[]
  /** What the server says of those that it defers or refuses. */
  readonly reply?: string
}

const LEASE_MS = 60_000

export async function startSending(t: Test, engine: EngineName, limits: Partial<Limits> = {}) {
  const started = await startCore(t, engine, { maxObjectsInSet: 1_000, ...limits })
  const { core, store, clock, organization, mailbox } = started
  const audiences = audiencesOf(started)
  const { call, add, audience, find } = audiences
  const desk = await mailbox('desk')
  await hearEvents(started)
  const identity = { legalName: 'News Ltd', postalAddress: '1 Way\nTown' }
  await call('Organization/set', { update: { [organization.accountId]: identity } })
  const worker = newsletterWorker({ core, clock, logger: silentLogger })

  return {
    ...started,
    ...audiences,
    desk,
    async audienceOf(addresses: readonly string[]): Promise<string> {
      const id = await audience()
      await add(
        id,
        addresses.map((email) => ({ email, mergeFields: { first_name: email.split('@')[0]! } })),
      )
      return id
    },
    async draft(record: JsonObject): Promise<string> {
      const blocks = [{ type: 'paragraph', body: 'Hello {{first_name|you}}, {{email_address}}' }]
      const n = { blocks, subject: 'Hi {{first_name|there}}', fromName: 'News', ...record }
      return (await call('Newsletter/set', { create: { n } })).created.n.id
    },
    schedule: (newsletterId: string, inMs: number): Promise<Result> =>
      call('Newsletter/schedule', {
        newsletterId,
        scheduledAt: new Date(clock.now() + inMs).toISOString().replace('.000Z', 'Z'),
      }),
    state: async (id: string): Promise<Result> => (await call('Newsletter/get', { ids: [id] })).list[0],
    recipients: async (newsletterId: string, status: string | null = null): Promise<JsonObject[]> =>
      (await call('Newsletter/recipients', { newsletterId, status, limit: 500 })).list,
    async unsubscribe(audienceId: string, email: string): Promise<void> {
      const { id } = await find(audienceId, email)
      await call('Subscriber/unsubscribe', { subscriberId: id })
    },
    /** Lets the worker do all that is due now. */
    async work(): Promise<void> {
      worker.start()
      await worker.settled()
      await worker.stop()
    },
    /** Attempts what is due in the queue. */
    async deliver({ most = 1_000, defer = false, refuse = [], reply }: Deliveries = {}): Promise<SentCopy[]> {
      const sent: SentCopy[] = []
      for (;;) {
        const claimed = await core.claimSubmissions('queue', Math.min(100, most - sent.length), LEASE_MS)
        if (claimed.length === 0) break
        const reports = claimed.map((queued) => {
          const { account, submission, lease, recipients, bytes } = queued
          const wire = async () => (await toWireMessage(queued, clock.now())).pieces.join('')
          const [{ address } = { address: '' }] = recipients
          sent.push({ to: address, text: Buffer.from(bytes).toString(), account, submission, wire })
          const refused = refuse.includes(address)
          const outcome = {
            address,
            status: defer ? ('deferred' as const) : refused ? ('refused' as const) : ('sent' as const),
            smtpReply: defer
              ? (reply ?? '451 4.7.1 Later')
              : refused
                ? (reply ?? '550 5.1.1 No such user')
                : '250 2.0.0 Ok',
            host: 'mx.test',
          }
          return { account, submission, lease, outcomes: [outcome], retryAt: defer ? clock.now() + 600_000 : null }
        })
        await core.reportAttempts(reports)
        if (sent.length >= most) break
      }
      return sent
    },
    /** A server returns a message that it has accepted. */
    bounce: (copy: SentCopy) => comeBack(copy, dsn(copy)),
    complain: (copy: SentCopy) => comeBack(copy, feedback(copy)),
    /** Types of its events, in order. */
    async events(id: string, prefix = 'newsletter.'): Promise<string[]> {
      const found = await store.read((reader) => eventsOf(reader, organization.account))
      return found
        .filter(({ type, data }) => type.startsWith(prefix) && data['newsletter_id'] === id)
        .map(({ type }) => type)
    },
    numberOf: (id: string) => core.ids.decode(Newsletter, id)!.object,
  }

  async function comeBack({ account, submission }: SentCopy, text: string): Promise<void> {
    await core.ingest([
      {
        bytes: Buffer.from(text.replaceAll('\n', '\r\n')),
        recipients: [{ account: desk.account, address: desk.address }],
        receivedAt: clock.now(),
        mailFrom: '',
        returned: [{ account, submission, position: 0, isAddressee: true }],
      },
    ])
  }
}

function report(type: string, parts: string): string {
  return `From: mailer-daemon@mx.test
To: desk@example.test
Subject: Report
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type}; boundary=b

--b
Content-Type: text/plain

A report.
${parts}
--b--
`
}

function dsn({ to }: SentCopy): string {
  return report(
    'delivery-status',
    `--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.test

Final-Recipient: rfc822; ${to}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 No such user
`,
  )
}

function feedback({ to }: SentCopy): string {
  return report(
    'feedback-report',
    `--b
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: Test/1
Version: 1
Original-Rcpt-To: ${to}

--b
Content-Type: text/rfc822-headers

From: newsletter@example.test
Subject: Hi
`,
  )
}
