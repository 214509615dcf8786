/**
 * How the billing of an organization moves when the provider has been read (decision D33). Pure: what was read is the whole truth, so events
 * that arrive late, twice or in another order change nothing.
 */
import { BILLING_READ_MS, GRACE_LAST_MS, GRACE_LETTERS_MS, GRACE_MS } from '../../../server/base/billing-limits.ts'
import type { BillingRow } from '../../../storage/repos/billing.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { CustomerState, SubscriptionState } from '../../type/billing-port.ts'
import type { Subscription } from '../plan.ts'

/** Columns that follow from what was read. */
export type BillingState = Omit<BillingRow, 'customer' | 'fake' | 'requested' | 'attempts' | 'lease' | 'lease_until'>

export interface Transition {
  readonly state: BillingState
  /** The letter that the owner gets now: its number from 0; null: none. */
  readonly letter: number | null
  /** What the organization is subscribed to; null: billing does not say, so an administrator's word stays. */
  readonly subscription: Subscription | null
}

/** @param now epoch ms */
export function transition(before: BillingRow, seen: CustomerState, now: number): Transition {
  const read = columnsOf(before, seen, now)
  const since = unpaidOf(before, read.status, seen.subscription, now)
  const grace = graceOf(before, since, now)
  const columns = { ...read, ...grace, unpaid_since: since }
  const state: BillingState = { ...columns, due_at: dueOf(columns, before.customer !== null, now) }
  return {
    state,
    letter: grace.letters > keptLetters(before, since) ? grace.letters - 1 : null,
    subscription: subscriptionOf(state, seen.subscription, now),
  }
}

type ReadColumns = Pick<
  BillingRow,
  | 'subscription'
  | 'status'
  | 'plan'
  | 'trial_ends_at'
  | 'period_start'
  | 'period_end'
  | 'cancel_at'
  | 'has_payment_method'
  | 'had_trial'
>

function columnsOf(before: BillingRow, { paymentMethod, subscription }: CustomerState, now: number): ReadColumns {
  const method = { has_payment_method: Number(paymentMethod !== null) }
  if (!subscription) {
    const { status, plan, trial_ends_at, period_start, period_end, cancel_at, had_trial } = before
    const kept = { subscription: before.subscription, plan, period_start, had_trial, ...method }
    if (before.subscription === null) return { ...kept, status, trial_ends_at, period_end, cancel_at }
    // One that was there is lost at the provider: it has ended.
    return {
      ...kept,
      status: 'ended',
      trial_ends_at: null,
      period_end: Math.min(period_end ?? now, now),
      cancel_at: null,
    }
  }
  const { id, plan, status, trialEndsAt, periodStart, periodEnd, cancelAt } = subscription
  return {
    subscription: id,
    status,
    // A price that is none of ours changes no plan.
    plan: plan ?? before.plan,
    trial_ends_at: status === 'trialing' ? trialEndsAt : null,
    period_start: periodStart,
    period_end: periodEnd,
    cancel_at: status === 'ended' ? null : cancelAt,
    had_trial: Math.max(before.had_trial, Number(trialEndsAt !== null)),
    ...method,
  }
}

/** The time of grace counts from the first failure, whatever follows, until something is paid. */
function unpaidOf(
  before: BillingRow,
  status: BillingRow['status'],
  subscription: SubscriptionState | null,
  now: number,
): number | null {
  if (status !== 'past_due' && status !== 'ended') return null
  const since = Math.min(subscription?.unpaidSince ?? now, now)
  return before.unpaid_since === null ? since : Math.min(before.unpaid_since, since)
}

/** Letters that were written in the present time of grace. */
function keptLetters(before: BillingRow, since: number | null): number {
  return before.unpaid_since === null || since === null ? 0 : before.letters
}

type Grace = Pick<BillingRow, 'unpaid_since' | 'letters' | 'letter_at' | 'suspended_at'>

function graceOf(before: BillingRow, since: number | null, now: number): Omit<Grace, 'unpaid_since'> {
  if (since === null) return { letters: 0, letter_at: null, suspended_at: null }
  const kept = keptLetters(before, since)
  if (before.suspended_at !== null)
    return { letters: kept, letter_at: before.letter_at, suspended_at: before.suspended_at }
  // After a long stop only the latest is written.
  const reached = GRACE_LETTERS_MS.filter((wait) => since + wait <= now).length
  const letters = Math.max(kept, reached)
  const letterAt = letters > kept ? now : before.letter_at
  const isOver = letters === GRACE_LETTERS_MS.length && now >= suspensionAt(since, letterAt ?? now)
  return { letters, letter_at: letterAt, suspended_at: isOver ? now : null }
}

/** Nobody is suspended who has not had the last letter a day before. */
function suspensionAt(since: number, lastLetterAt: number): number {
  return Math.max(since + GRACE_MS, lastLetterAt + GRACE_LAST_MS)
}

/** When the mailboxes are suspended unless something is paid; null: nothing is owed. */
export function graceEnd({ unpaid_since: since, letters, letter_at: at, suspended_at }: Grace): number | null {
  if (since === null || suspended_at !== null) return null
  return letters === GRACE_LETTERS_MS.length ? suspensionAt(since, at!) : since + GRACE_MS
}

function dueOf(state: Grace & Pick<BillingRow, 'status'>, isCustomer: boolean, now: number): number | null {
  const { status, unpaid_since: since, suspended_at: suspended, letters } = state
  // What has ended for good is read again when the customer does something.
  const isOver = suspended !== null && status === 'ended'
  const times: number[] = isCustomer && !isOver ? [now + BILLING_READ_MS] : []
  if (since !== null && suspended === null) {
    const wait = GRACE_LETTERS_MS[letters]
    times.push(wait === undefined ? graceEnd(state)! : since + wait)
  }
  return times.length === 0 ? null : Math.max(now, Math.min(...times))
}

/** Months are counted from the day on which the trial or a paid month begins. */
function subscriptionOf(state: BillingState, seen: SubscriptionState | null, now: number): Subscription | null {
  if (state.subscription === null) return null
  const { status, plan, suspended_at: suspended } = state
  const grants = suspended === null && (status === 'trialing' || status === 'active' || status === 'past_due')
  if (!grants || plan === null || seen === null) return { plan: null, trialEndsAt: null, subscribedAt: null }
  const isTrial = status === 'trialing' && seen.trialEndsAt !== null
  const start = isTrial || seen.anchor > now ? seen.periodStart : seen.anchor
  return {
    plan,
    trialEndsAt: isTrial ? formatUTCDate(seen.trialEndsAt!) : null,
    subscribedAt: formatUTCDate(start),
  }
}
