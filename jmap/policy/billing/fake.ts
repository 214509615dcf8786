/**
 * The fake provider: what an organization has there, and how time moves it. Months, failed payments and retries are those of Stripe. Pure: the
 * core keeps the account in the row of the organization's billing.
 */
import { FAKE_RETRY_DAYS, type PaidPlan } from '../../../server/base/billing-limits.ts'
import type { CustomerState } from '../../type/billing-port.ts'
import { addMonths } from '../billing-period.ts'
import { payingFault } from './fake-cards.ts'

export interface FakeAccount {
  /** Number of the saved card; null: none. */
  readonly card: string | null
  readonly subscription: FakeSubscription | null
}

export interface FakeSubscription {
  readonly id: string
  readonly plan: PaidPlan
  /** Epoch ms, as all times: where paid months begin. */
  readonly anchor: number
  readonly trialEndsAt: number | null
  readonly periodStart: number
  readonly periodEnd: number
  /** First failed attempt at what is open; null: all is paid. */
  readonly failedAt: number | null
  /** Attempts after the first. */
  readonly retries: number
  readonly isCancelled: boolean
  readonly endedAt: number | null
}

export const NO_FAKE_ACCOUNT: FakeAccount = { card: null, subscription: null }

const DAY_MS = 86_400_000

/** A subscription that begins now. Without a trial its first month must be paid before. */
export function begin(id: string, plan: PaidPlan, trialDays: number, now: number): FakeSubscription {
  const anchor = now + trialDays * DAY_MS
  return {
    id,
    plan,
    anchor,
    trialEndsAt: trialDays > 0 ? anchor : null,
    periodStart: now,
    periodEnd: trialDays > 0 ? anchor : addMonths(anchor, 1),
    failedAt: null,
    retries: 0,
    isCancelled: false,
    endedAt: null,
  }
}

/** The account with another card, which pays at once what is open. */
export function withCard({ subscription }: FakeAccount, card: string | null): FakeAccount {
  const pays = payingFault(card) === null
  return {
    card,
    subscription: subscription && pays ? { ...subscription, failedAt: null, retries: 0 } : subscription,
  }
}

/** When time moves the subscription next; null: never. */
export function nextMove({ subscription }: FakeAccount): number | null {
  if (!subscription || subscription.endedAt !== null) return null
  const { periodEnd, failedAt, retries } = subscription
  const days = FAKE_RETRY_DAYS[retries]
  return failedAt === null || days === undefined ? periodEnd : Math.min(periodEnd, failedAt + days * DAY_MS)
}

/** The account as it is now. */
export function advance(account: FakeAccount, now: number): FakeAccount {
  let present = account
  for (;;) {
    const at = nextMove(present)
    if (at === null || at > now) return present
    present = { ...present, subscription: move(present.subscription!, present.card, at) }
  }
}

function move(subscription: FakeSubscription, card: string | null, at: number): FakeSubscription {
  const { anchor, periodEnd, failedAt, retries } = subscription
  const pays = payingFault(card) === null
  if (at < periodEnd)
    return pays ? { ...subscription, failedAt: null, retries: 0 } : { ...subscription, retries: retries + 1 }
  if (subscription.isCancelled) return { ...subscription, endedAt: periodEnd }
  let months = 1
  while (addMonths(anchor, months) <= periodEnd) months++
  return {
    ...subscription,
    periodStart: periodEnd,
    periodEnd: addMonths(anchor, months),
    failedAt: pays ? null : (failedAt ?? periodEnd),
    retries: failedAt === null ? 0 : retries,
  }
}

/** As a provider answers. */
export function stateOf({ card, subscription }: FakeAccount, now: number): CustomerState {
  if (!subscription) return { paymentMethod: card, subscription: null }
  const { id, plan, anchor, trialEndsAt, periodStart, periodEnd, failedAt, isCancelled, endedAt } = subscription
  const isTrial = trialEndsAt !== null && trialEndsAt > now
  const running = failedAt !== null ? 'past_due' : isTrial ? 'trialing' : 'active'
  return {
    paymentMethod: card,
    subscription: {
      id,
      plan,
      status: endedAt !== null ? 'ended' : running,
      trialEndsAt,
      periodStart,
      periodEnd,
      anchor,
      cancelAt: isCancelled ? periodEnd : null,
      unpaidSince: failedAt ?? endedAt,
    },
  }
}

export function readFake(text: string | null): FakeAccount {
  return text === null ? NO_FAKE_ACCOUNT : (JSON.parse(text) as FakeAccount)
}
