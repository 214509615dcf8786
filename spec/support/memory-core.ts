/** The part of the core that mail transport calls, in memory: it records its calls, answers from tables that tests fill, and fails on demand. */

import type { DeliveryResult } from '../../jmap/delivery/delivery-result.ts'
import type { InboundMessage } from '../../jmap/delivery/inbound-message.ts'
import type { RecipientVerdict } from '../../jmap/delivery/ingest.ts'
import type { Credential } from '../../jmap/directory/authentication.ts'
import { FairScheduler, type QueueRoom } from '../../jmap/mail/submission/fair-scheduler.ts'
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import type { HeldSubmission } from '../../jmap/mail/submission/queue-leases.ts'
import type { AttemptReport } from '../../jmap/mail/submission/queue-report.ts'
import type { SubmitResult, SubmittedMessage } from '../../jmap/mail/submission/submit.ts'
import type { KeptPolicy } from '../../jmap/mail/submission/transport-policies.ts'
import type { StateChange } from '../../jmap/push/state-changes.ts'
import type { createMta } from '../../mta/mta.ts'
import type { Principal } from '../../server/base/principal.ts'

export const ALICE: Principal = {
  kind: 'mailbox',
  organization: 1,
  mailboxes: [10],
  ownsOrganization: false,
  scopes: null,
  username: 'alice@posthouse.test',
  credential: 'password-of-alice',
}

type MtaCore = Parameters<typeof createMta>[0]['core']

type Method =
  | 'recipients'
  | 'ingest'
  | 'submit'
  | 'authenticate'
  | 'claimSubmissions'
  | 'reportAttempts'
  | 'renewSubmissions'

export class MemoryCore implements MtaCore {
  /** Verdicts by address in lower case. Other addresses are `unknownUser` in `localDomains`, and else `notLocal`. */
  readonly verdicts = new Map<string, RecipientVerdict>([
    ['alice@posthouse.test', { status: 'accepted', account: 10 }],
    ['bob@posthouse.test', { status: 'accepted', account: 11 }],
    ['postmaster@posthouse.test', { status: 'accepted', account: 12 }],
    ['full@posthouse.test', { status: 'overQuota' }],
    ['suspended@posthouse.test', { status: 'suspended' }],
  ])
  readonly localDomains = new Set(['posthouse.test'])
  readonly passwords = new Map<string, Principal>([['alice@posthouse.test secret', ALICE]])
  /** Accounts that refuse messages at ingest. */
  readonly refusing = new Map<
    number,
    'overQuota' | 'unknownAccount' | 'discarded' | 'rejected' | Extract<DeliveryResult, { status: 'failed' }>
  >()
  submitResult: SubmitResult = { status: 'queued', emailId: 'msg_1', submissionId: 'sbm_1' }

  /** The arguments of each call of `ingest`. */
  readonly ingested: InboundMessage[][] = []
  readonly asked: string[][] = []
  readonly credentials: Credential[] = []
  readonly submitted: { principal: Principal; message: SubmittedMessage }[] = []
  readonly queue: { due: number; leased: boolean; submission: QueuedSubmission }[] = []
  readonly reports: AttemptReport[] = []
  readonly claims: { owner: string; limit: number; leaseMs: number }[] = []

  readonly #failures = new Map<Method, { error: unknown; times: number }>()
  readonly #listeners = new Set<(change: StateChange) => void>()
  readonly #now: () => number
  /** Promises that calls of a method wait for: see `hold`. */
  readonly #held = new Map<Method, Promise<void>>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Messages in order of arrival. */
  get messages(): InboundMessage[] {
    return this.ingested.flat()
  }

  /** Makes the next `times` calls of a method reject. */
  fail(method: Method, error: unknown, times = 1): void {
    this.#failures.set(method, { error, times })
  }

  /** Makes calls of a method wait until the returned function is called. */
  hold(method: Method): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held.set(method, promise)
    return () => {
      this.#held.delete(method)
      resolve()
    }
  }

  enqueue(submission: QueuedSubmission, due = this.#now()): void {
    this.queue.push({ due, leased: false, submission })
  }

  /** Notifies of a commit. */
  notify(...types: string[]): void {
    const changed = Object.fromEntries(types.map((type) => [type, '1']))
    const change = { account: 10, accountId: 'mbx_10', changed, invalidatesCredentials: false }
    for (const listener of this.#listeners) listener(change)
  }

  async recipients(addresses: readonly string[]): Promise<RecipientVerdict[]> {
    await this.#enter('recipients')
    this.asked.push([...addresses])
    return addresses.map((address) => this.#verdict(address.toLowerCase()))
  }

  async ingest(messages: readonly InboundMessage[]): Promise<DeliveryResult[][]> {
    await this.#enter('ingest')
    this.ingested.push([...messages])
    return messages.map(({ recipients }) =>
      recipients.map(({ account }): DeliveryResult => {
        const refusal = this.refusing.get(account)
        if (refusal === 'rejected') return { status: refusal, reason: 'Not here, please:\r\n250 é' }
        if (typeof refusal === 'object') return refusal
        return refusal ? { status: refusal } : { status: 'stored', emailId: `msg_${account}`, threadId: 'thr_1' }
      }),
    )
  }

  async submit(principal: Principal, message: SubmittedMessage): Promise<SubmitResult> {
    await this.#enter('submit')
    this.submitted.push({ principal, message })
    return this.submitResult
  }

  async authenticate(credential: Credential): Promise<Principal | null> {
    await this.#enter('authenticate')
    this.credentials.push(credential)
    if (credential.kind !== 'password') return null
    return this.passwords.get(`${credential.address} ${credential.password}`) ?? null
  }

  async claimSubmissions(
    owner: string,
    limit: number,
    leaseMs: number,
    room: QueueRoom | null = null,
  ): Promise<QueuedSubmission[]> {
    await this.#enter('claimSubmissions')
    this.claims.push({ owner, limit, leaseMs })
    const due = this.queue.filter((entry) => !entry.leased && entry.due <= this.#now())
    const rows = due.map((entry) => ({ ...entry.submission, due_at: entry.due, entry }))
    const chosen = new Set<object>(new FairScheduler(room, new Map()).from(rows, limit))
    const claimed = rows.filter((row) => chosen.has(row)).map(({ entry }) => entry)
    for (const entry of claimed) entry.leased = true
    return claimed.map((entry) => entry.submission)
  }

  async renewSubmissions(held: readonly HeldSubmission[], leaseMs: number): Promise<HeldSubmission[]> {
    await this.#enter('renewSubmissions')
    this.renewals.push({ held: [...held], leaseMs })
    return held.filter(({ lease }) => !this.lostLeases.has(lease))
  }

  /** Updates the queue like the real core: closed recipients leave it, deferred ones are due again at retryAt. */
  async reportAttempts(reports: readonly AttemptReport[]): Promise<void> {
    await this.#enter('reportAttempts')
    this.reports.push(...reports)
    for (const report of reports) {
      const at = this.queue.findIndex(({ submission }) => submission.submission === report.submission)
      const entry = this.queue[at]
      if (!entry || entry.submission.lease !== report.lease) continue
      const open = report.outcomes.filter(({ status }) => status === 'deferred').map(({ address }) => address)
      if (report.retryAt === null) this.queue.splice(at, 1)
      else {
        const recipients = entry.submission.recipients.filter(({ address }) => open.includes(address))
        const attempts = entry.submission.attempts + 1
        this.queue[at] = {
          due: report.retryAt,
          leased: false,
          submission: { ...entry.submission, recipients, attempts },
        }
      }
    }
  }

  async nextSubmissionAt(): Promise<number | null> {
    const times = this.queue.filter(({ leased }) => !leased).map(({ due }) => due)
    return times.length === 0 ? null : Math.min(...times)
  }

  onStateChange(listener: (change: StateChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly renewals: { readonly held: readonly HeldSubmission[]; readonly leaseMs: number }[] = []
  /** Leases that other workers have taken over. */
  readonly lostLeases = new Set<string>()

  /** MTA-STS policies by domain. */
  readonly policies = new Map<string, KeptPolicy>()
  transportPolicies: MtaCore['transportPolicies'] = {
    find: async (domain) => this.policies.get(domain) ?? null,
    keep: async (domain, policy) => void this.policies.set(domain, policy),
  }

  async #enter(method: Method): Promise<void> {
    await this.#held.get(method)
    const failure = this.#failures.get(method)
    if (!failure) return
    if (--failure.times <= 0) this.#failures.delete(method)
    throw failure.error
  }

  #verdict(address: string): RecipientVerdict {
    const known = this.verdicts.get(address)
    if (known) return known
    const domain = address.slice(address.lastIndexOf('@') + 1)
    return { status: this.localDomains.has(domain) ? 'unknownUser' : 'notLocal' }
  }
}
