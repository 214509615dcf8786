/** What people do on the pages of the fake provider, and what the command line does in their place (decisions D31 and D33). */
import type { PaidPlan } from '../../server/base/billing-limits.ts'
import { randomId } from '../../server/base/ids.ts'
import { findBilling, requireBilling, updateBilling } from '../../storage/repos/billing.ts'
import {
  advance,
  begin,
  type FakeAccount,
  type FakeSubscription,
  NO_FAKE_ACCOUNT,
  readFake,
  withCard,
} from '../policy/billing/fake.ts'
import { payingFault, savingFault } from '../policy/billing/fake-cards.ts'
import { Organization } from '../policy/organization.type.ts'
import type { Services } from '../type/context.ts'
import { findStored } from '../type/object-store.ts'
import { type FakeLink, openFakeLink } from './fake-link.ts'
import { settleNow } from './settle.ts'

type Needs = Pick<Services, 'store' | 'billing' | 'clock' | 'logger' | 'keyring'>

export interface FakePage {
  readonly link: FakeLink
  readonly organization: string
  readonly account: FakeAccount
}

export type FakeAction =
  /** Subscribes, or changes the plan, as the link says. */
  | { readonly kind: 'subscribe'; readonly card: string }
  | { readonly kind: 'card'; readonly card: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'resume' }

/** `reason` is a sentence. */
export type FakeResult =
  | { readonly kind: 'done'; readonly returnUrl: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'gone' }

/** null: the link is not valid any more. */
export async function fakePage({ store, billing, keyring, clock }: Needs, token: string): Promise<FakePage | null> {
  const link = billing.kind === 'fake' ? openFakeLink(keyring, token, clock.now()) : null
  if (!link) return null
  return store.read(async (reader) => {
    const own = await findStored(reader, link.organization, Organization, link.organization)
    if (!own) return null
    const row = await findBilling(reader, link.organization)
    return { link, organization: own.data.name, account: advance(readFake(row?.fake ?? null), clock.now()) }
  })
}

export async function actOnFake(services: Needs, token: string, action: FakeAction): Promise<FakeResult> {
  const page = await fakePage(services, token)
  if (!page) return { kind: 'gone' }
  const { organization, returnUrl } = page.link
  const now = services.clock.now()
  const reason = await changeFake(services, organization, (account) => acted(account, page.link, action, now))
  return reason === null ? { kind: 'done', returnUrl } : { kind: 'refused', reason }
}

/** The account after the action, or why it is refused. */
function acted(account: FakeAccount, link: FakeLink, action: FakeAction, now: number): FakeAccount | string {
  const { subscription } = account
  const isRunning = subscription !== null && subscription.endedAt === null
  if (action.kind === 'cancel' || action.kind === 'resume') {
    if (!isRunning) return 'There is no subscription.'
    return { ...account, subscription: { ...subscription, isCancelled: action.kind === 'cancel' } }
  }
  const fault = savingFault(action.card)
  if (fault !== null) return fault
  const paid = withCard(account, action.card)
  if (action.kind === 'card') return paid
  if (link.use !== 'checkout') return 'This page changes a subscription, and begins none.'
  const { plan, trialDays } = link
  if (isRunning) return { ...paid, subscription: { ...paid.subscription!, plan, isCancelled: false } }
  // The first month is paid before it begins.
  const first = trialDays > 0 ? null : payingFault(action.card)
  return first ?? { ...paid, subscription: begin(randomId('sub'), plan, trialDays, now) }
}

export interface FakeSetting {
  readonly plan: PaidPlan
  /** Number of a test card; null: no payment method. */
  readonly card: string | null
  readonly trialDays: number
}

/** Gives an organization a subscription and a card. Resolves with why not, or null. */
export function setFake(
  services: Needs,
  organization: number,
  { plan, card, trialDays }: FakeSetting,
): Promise<string | null> {
  const now = services.clock.now()
  const fault = card === null ? null : savingFault(card)
  if (fault !== null) return Promise.resolve(fault)
  const subscription: FakeSubscription = begin(randomId('sub'), plan, trialDays, now)
  return changeFake(services, organization, () => ({ card, subscription }))
}

async function changeFake(
  services: Needs,
  organization: number,
  change: (account: FakeAccount) => FakeAccount | string,
): Promise<string | null> {
  const { store, clock } = services
  const refused = await store.write([organization], async (work) => {
    const unit = work.account(organization)
    const row = await requireBilling(unit)
    if (row.customer !== null && row.fake === null) return 'The organization has a customer at Stripe.'
    const account = row.fake === null ? NO_FAKE_ACCOUNT : advance(readFake(row.fake), clock.now())
    const next = change(account)
    if (typeof next === 'string') return next
    await updateBilling(unit, { fake: JSON.stringify(next), customer: `fake_${organization}`, due_at: unit.now })
    return null
  })
  if (refused === null) await settleNow(services, organization)
  return refused
}
