/**
 * The queue of pushes. Changes make subscriptions due; a worker claims them, posts, and reports (server/workers/push). The claim
 * computes what to push from the state that the client was last sent and the present state. So many changes make one push, and a lost
 * notification only costs time.
 */

import { randomUUID } from 'node:crypto'
import {
  PUSH_ALERTS_MAX,
  PUSH_INTERVAL_MS,
  PUSH_RECHECK_MS,
  PUSH_RETRY_MS,
  PUSH_SLOW_MAX_MS,
  PUSH_SLOW_MIN_MS,
} from '../../../server/base/push-limits.ts'
import { accountPositions } from '../../../storage/repos/push-positions.ts'
import {
  claimDuePushes,
  erasePushSubscription,
  findLeased,
  isAnyonesPushWaiting,
  isPushWaiting,
  makePushesDue,
  nextPushAt,
  type PushTargets,
  settlePush,
} from '../../../storage/repos/push-subscriptions.ts'
import type { PushSubscriptionTable } from '../../../storage/schema/push-subscription.ts'
import type { CalendarAlert } from '../../calendars/reminders/calendar-alert.ts'
import { renewPrincipal } from '../../directory/authentication.ts'
import type { Services } from '../../type/context.ts'
import type { Registry } from '../../type/registry.ts'
import { PUSH_MESSAGE_MAX_BYTES, type PushKeys } from '../encryption.ts'
import { type PushPosition, writePushState } from '../push-state.ts'
import { type ChangedStates, stateSnapshot } from '../state-snapshot.ts'
import { verificationEnd } from './push-subscription.handlers.ts'
import { PushSubscription } from './push-subscription.type.ts'
import { openPushKeys } from './sealed-keys.ts'

/** Account numbers of the accounts that changed. */
export interface ChangedAccounts {
  readonly accounts: readonly number[]
  /** Organizations whose credentials may have changed. */
  readonly credentialsOf: readonly number[]
}

/** One push to make, leased to a worker. */
export interface QueuedPush {
  readonly account: number
  readonly id: number
  readonly lease: string
  readonly url: string
  readonly keys: PushKeys | null
  /** JSON: a PushVerification, or CalendarAlerts and a StateChange. Each is a message of its own. */
  readonly bodies: readonly string[]
  /** The client's push state after this push; null for a verification. */
  readonly told: string | null
  /** The push does not hold all changes. */
  readonly hasMore: boolean
}

export interface PushReport extends Pick<QueuedPush, 'account' | 'id' | 'lease' | 'told' | 'hasMore'> {
  /** `gone`: the service no longer knows the subscription. */
  readonly outcome: 'taken' | 'gone' | 'tooMany' | 'failed'
  /** Milliseconds that the service asks to wait. */
  readonly retryAfter: number | null
}

type PushServices = Services & { readonly registry: Registry }

/** Makes the subscriptions due that a change concerns. @param changed null: anything may have changed, so all subscriptions become due */
export async function markPushesDue({ store, clock }: Services, changed: ChangedAccounts | null): Promise<void> {
  const now = clock.now()
  const due = await store.read(async (reader) => {
    if (!(await isAnyonesPushWaiting(reader, now))) return null
    const of = changed && (await concernedBy(reader, changed))
    return of === null || (await isPushWaiting(reader, of, now)) ? { of } : null
  })
  if (due) await store.write([], (unit) => makePushesDue(unit.sql, due.of, unit.now))
}

/** A change in a mailbox account concerns its own credentials and the API keys of its organization. */
async function concernedBy(
  reader: Parameters<typeof accountPositions>[0],
  { accounts, credentialsOf }: ChangedAccounts,
): Promise<PushTargets> {
  const rows = await accountPositions(reader, { accounts })
  return { accounts: [...accounts, ...rows.map(({ organization }) => organization)], organizations: credentialsOf }
}

/** Epoch ms when the next subscription is due, or null. */
export function nextPushTime({ store, clock }: Pick<Services, 'store' | 'clock'>): Promise<number | null> {
  return store.read((reader) => nextPushAt(reader, clock.now()))
}

export async function claimPushes(
  services: PushServices,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<QueuedPush[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await services.store.write([], (unit) =>
    claimDuePushes(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  const claimed = await Promise.all(rows.map((row) => prepare(services, { ...row, lease })))
  return claimed.filter((push) => push !== null)
}

type LeasedRow = PushSubscriptionTable & { readonly lease: string }

/** null: there is nothing to push now. */
async function prepare(services: PushServices, row: LeasedRow): Promise<QueuedPush | null> {
  const { store, clock, ids } = services
  const principal = await renewPrincipal(
    services,
    { credential: row.credential, ...(row.stamp !== null && { stamp: row.stamp }) },
    null,
  )
  // RFC 8620 7.2: a subscription ends with its credentials; nothing is sent after it has expired.
  const end = Math.min(
    row.expires_at ?? Number.POSITIVE_INFINITY,
    isVerified(row) ? Number.POSITIVE_INFINITY : verificationEnd(row),
  )
  if (!principal || end <= clock.now()) {
    await store.write([row.account], async (unit) => {
      const current = await findLeased(unit.sql, row)
      // The client has just extended or verified the subscription. It is checked again when the lease ends.
      if (current?.expires_at === row.expires_at && current.stage === row.stage)
        await erasePushSubscription(unit, current)
    })
    return null
  }
  const { account, id, lease, url } = row
  const keys = openPushKeys(services.keyring, row)
  const push = { account, id, lease, url, keys }
  // RFC 8620 7.2.2
  if (row.stage === 'new') {
    const verification = { pushSubscriptionId: ids.encode(PushSubscription, account, id), verificationCode: row.code }
    return {
      ...push,
      bodies: [JSON.stringify({ '@type': 'PushVerification', ...verification })],
      told: null,
      hasMore: false,
    }
  }
  if (!isVerified(row)) return rest(services, row, {})
  const types = row.types === null ? null : PushSubscription.properties.types.fromText(row.types)
  const seen = await stateSnapshot(services, principal, { since: row.delivered, types, only: null })
  const fitting = fit(services, seen.changed, seen.position)
  const alerts = alertBodies(services, seen.alerts, fitting.position)
  if (fitting.isEmpty && alerts.length === 0) return rest(services, row, { delivered: writePushState(seen.position) })
  const bodies = fitting.isEmpty ? alerts : [...alerts, fitting.body]
  return { ...push, bodies, told: writePushState(fitting.position), hasMore: fitting.hasMore }
}

/** Of the accounts that this push is about. */
function alertBodies({ ids }: Services, alerts: readonly CalendarAlert[], position: PushPosition): string[] {
  return alerts
    .filter(({ accountId }) => position.has(ids.accountNumber('mailbox', accountId)!))
    .map((alert) => JSON.stringify(alert))
    .filter((body) => Buffer.byteLength(body) <= PUSH_MESSAGE_MAX_BYTES)
    .slice(-PUSH_ALERTS_MAX)
}

function isVerified({ stage }: PushSubscriptionTable): boolean {
  return stage === 'verified'
}

async function rest({ store }: Services, row: LeasedRow, set: Partial<PushSubscriptionTable>): Promise<null> {
  await store.write([], (unit) =>
    settlePush(unit.sql, row, unit.now + PUSH_RECHECK_MS, { ...set, next_at: row.next_at }),
  )
  return null
}

/** RFC 8620 7.1, for as many accounts as one push holds. The others are reported in the next push. */
function fit(
  { ids }: Services,
  changed: ChangedStates,
  position: PushPosition,
): { body: string; position: PushPosition; hasMore: boolean; isEmpty: boolean } {
  const entries = Object.entries(changed)
  for (let count = entries.length; ; count = Math.max(1, Math.floor(count / 2))) {
    const body = JSON.stringify({ '@type': 'StateChange', changed: Object.fromEntries(entries.slice(0, count)) })
    if (count > 1 && Buffer.byteLength(body) > PUSH_MESSAGE_MAX_BYTES) continue
    const untold = entries
      .slice(count)
      .map(([id]) => ids.accountNumber('mailbox', id) ?? ids.accountNumber('organization', id)!)
    const told = new Map([...position].filter(([account]) => !untold.includes(account)))
    return { body, position: told, hasMore: untold.length > 0, isEmpty: entries.length === 0 }
  }
}

/** Records the results of pushes. A report under a lease that has passed to another worker changes nothing. */
export async function reportPushes({ store }: Services, reports: readonly PushReport[]): Promise<void> {
  if (reports.length === 0) return
  // The lock on the account keeps the client from sending the code between this read and the update.
  const accounts = reports.map(({ account }) => account)
  await store.write(accounts, async (unit) => {
    for (const report of reports) {
      const row = await findLeased(unit.sql, report)
      if (!row) continue
      if (report.outcome === 'gone') await erasePushSubscription(unit, row)
      else if (report.outcome === 'taken') await keepTaken(unit.sql, row, report, unit.now)
      else await keepFailed(unit, row, report, unit.now)
    }
  })
}

type SqlOf = Parameters<typeof settlePush>[0]

async function keepTaken(sql: SqlOf, row: PushSubscriptionTable, report: PushReport, now: number): Promise<void> {
  // The service accepts pushes again: the pause halves with each one, down to the usual interval.
  const pause = row.pause / 2 < PUSH_SLOW_MIN_MS ? 0 : Math.floor(row.pause / 2)
  const next_at = now + Math.max(PUSH_INTERVAL_MS, row.pause)
  await settlePush(sql, report, report.hasMore ? next_at : now + PUSH_RECHECK_MS, {
    next_at,
    pause,
    attempts: 0,
    ...(report.told !== null && { delivered: report.told }),
    // The client may have sent the code before this report.
    ...(row.stage === 'new' && { stage: 'sent' as const }),
  })
}

async function keepFailed(
  unit: { readonly sql: SqlOf },
  row: PushSubscriptionTable,
  report: PushReport,
  now: number,
): Promise<void> {
  const wait = PUSH_RETRY_MS[row.attempts]
  if (wait === undefined) {
    // A URL that never accepted its code is of no use. Otherwise this push is dropped; the next change is pushed again.
    if (row.stage === 'new') return erasePushSubscription(unit, row)
    const set = {
      next_at: now + PUSH_INTERVAL_MS,
      attempts: 0,
      ...(report.told !== null && { delivered: report.told }),
    }
    return settlePush(unit.sql, report, now + PUSH_RECHECK_MS, set)
  }
  // RFC 8620 7.2: after "too many requests" all later pushes become rarer, not only this one.
  const pause =
    report.outcome === 'tooMany' ? Math.min(Math.max(row.pause * 2, PUSH_SLOW_MIN_MS), PUSH_SLOW_MAX_MS) : row.pause
  const next_at = now + Math.min(Math.max(wait, pause, report.retryAfter ?? 0), PUSH_SLOW_MAX_MS)
  await settlePush(unit.sql, report, next_at, { next_at, pause, attempts: row.attempts + 1 })
}
