/** Events outside of requests: mail arrives, workers claim and report, time passes. */
import type { AttemptReport, RecipientOutcome } from '../../../jmap/mail/submission/queue-report.ts'
import type { Command } from './commands.ts'
import { putNew } from './judge-emails.ts'
import { claimOp, reportOp } from './judge-submissions.ts'
import { describeMessage, messageOctets } from './messages.ts'
import type { Op } from './op.ts'
import { dateOf } from './plans.ts'
import type { Session } from './session.ts'

/** Milliseconds of a worker's lease. */
const LEASE_MS = 20_000
const CLAIM_LIMIT = 3

export const OUTSIDE_RUNS: {
  readonly [kind: string]: ((session: Session, command: Command) => Promise<Op[]>) | undefined
} = {
  async ingest(session, { account, n, yes, message }) {
    const taken = yes[0] ? session.accounts : [session.accounts[account]!]
    const serial = session.serial++
    const bytes = messageOctets(message, 'Eve <eve@example.org>', serial)
    const recipients = taken.map(({ number, address }) => ({ account: number, address: address }))
    const receivedAt = Date.parse(dateOf(n[0]!))
    const [results] = await session.core.core.ingest([{ bytes, recipients, receivedAt, mailFrom: 'eve@example.org' }])
    const told = { ...describeMessage(message, 'eve@example.org'), content: String(serial) }
    const op: Op = {
      label: `ingest ${JSON.stringify(told)} -> ${JSON.stringify(results)}`,
      apply(world) {
        for (const [i, result] of results!.entries()) {
          if (result.status !== 'stored') return result.status
          const model = world.accounts[session.accounts.indexOf(taken[i]!)]!
          const place = { mailboxIds: [model.mailboxWith('inbox')!], keywords: [], receivedAt }
          const fault = model.change(() => putNew(model, result.emailId, result.threadId, told, world, place))
          if (fault) return fault
        }
        return null
      },
    }
    return [op]
  },

  claim,

  async report(session, { n, yes }) {
    // Few claims find something: without an own claim hardly any report would be made.
    const before = session.held.length === 0 ? await claim(session) : []
    const held = session.held.splice(n[0]! % Math.max(1, session.held.length), 1)[0]
    if (!held) return before
    const outcomes = held.recipients.map(({ address }, i): RecipientOutcome => {
      const status = (['sent', 'refused', 'deferred'] as const)[(n[1]! + i * n[2]!) % 3]!
      return {
        address,
        status,
        smtpReply: `${status === 'sent' ? 250 : 550} reply ${session.serial++}`,
        host: 'mx.example.org',
      }
    })
    const isOpen = outcomes.some(({ status }) => status === 'deferred')
    const retryAt = isOpen ? session.core.clock.now() + (yes[0] ? 0 : 30_000) : null
    const { account, submission, lease, submissionId } = held
    const report: AttemptReport = { account, submission, lease, outcomes, retryAt }
    await session.core.core.reportAttempts([report])
    session.tally.reported++
    return [...before, reportOp(submissionId, report)]
  },

  /** Time passes, in a separate step only. */
  async wait(session, { n }) {
    session.core.clock.advance(1_000 * n[0]!)
    session.world = { ...session.world, now: session.core.clock.now() }
    return []
  },

  /** Longer than the log is kept, followed by the sweep and the maintenance. */
  async trim(session) {
    session.core.clock.advance(LONG_MS)
    session.world = { ...session.world, now: session.core.clock.now() }
    await session.core.core.sweep()
    await session.core.core.maintenance.run()
    return []
  },
}

async function claim(session: Session): Promise<Op[]> {
  const claimed = await session.core.core.claimSubmissions('worker', CLAIM_LIMIT, LEASE_MS)
  session.held.push(...claimed)
  return [claimOp(claimed, CLAIM_LIMIT, LEASE_MS)]
}

const LONG_MS = 61 * 24 * 3_600_000
