/** Stores what follows from a reading of the provider, in one unit of work: plan and limits, letter, suspension, and the events done by it. */
import { BILLING_EVENTS_KEPT_MS } from '../../server/base/billing-limits.ts'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { type BillingRow, findBilling, updateBilling } from '../../storage/repos/billing.ts'
import { applyBillingEvents, forgetBillingEvents } from '../../storage/repos/billing-events.ts'
import { findSuppression } from '../../storage/repos/suppressions.ts'
import { queueFromServer } from '../delivery/outgoing.ts'
import type { PreparedBlob } from '../mail/blob/blobs.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { Billing } from '../policy/billing/billing.type.ts'
import { advance, nextMove, readFake } from '../policy/billing/fake.ts'
import { type Transition, transition } from '../policy/billing/transition.ts'
import { Organization } from '../policy/organization.type.ts'
import type { Subscription } from '../policy/plan.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { CustomerState } from '../type/billing-port.ts'
import { SINGLETON } from '../type/define-type.ts'
import { findStored, listStored, updateStored } from '../type/object-store.ts'
import type { BillingTask } from './queue.ts'
import { releaseMailboxes, suspendMailboxes } from './suspension.ts'

export interface Prepared {
  /** The locked mailboxes: all, if their suspension begins or ends; else none. */
  readonly mailboxes: readonly number[]
  /** null: none is due, or there is no mailbox to send it from. */
  readonly letter: { readonly box: number; readonly to: string; readonly blob: PreparedBlob } | null
}

export interface Reading {
  readonly task: BillingTask
  readonly seen: CustomerState
  /** The newest request when the reading began. */
  readonly request: number
  readonly prepared: Prepared
  /** Epoch ms of the transition that was prepared. */
  readonly now: number
}

/** false: other accounts must be locked; nothing is changed. */
export async function applyBilling(work: Unit, { task, seen, request, prepared, now }: Reading): Promise<boolean> {
  const unit = work.account(task.organization)
  const row = await findBilling(unit, unit.account)
  if (row?.lease !== task.lease || !(await findAccount(unit, unit.account))) return true
  const next = transition(row, seen, now)
  const isToggled = row.suspended_at !== next.state.suspended_at
  if (isToggled && !(await isLocked(unit, prepared.mailboxes))) return false
  await updateBilling(unit, { ...next.state, ...movedFake(row, next, now), attempts: 0, lease: null, lease_until: 0 })
  // Something arrived during the reading: it is read again.
  if (row.requested !== request) await updateBilling(unit, { due_at: unit.now })
  await applyBillingEvents(unit, request)
  await forgetBillingEvents(unit, unit.now - BILLING_EVENTS_KEPT_MS)
  if (next.subscription) await subscribe(unit, next.subscription)
  if (isToggled && next.state.suspended_at !== null) await suspendMailboxes(work, unit, next.state.suspended_at)
  if (isToggled && row.suspended_at !== null) await releaseMailboxes(work, unit, row.suspended_at)
  if (prepared.letter) await sendLetter(work, unit, prepared.letter)
  if (isVisible(row, next.state)) unit.change(Billing.name, SINGLETON, 'u')
  return true
}

async function isLocked(unit: AccountUnit, mailboxes: readonly number[]): Promise<boolean> {
  const own = await listStored(unit, unit.account, MailAccount)
  return own.every(({ id }) => mailboxes.includes(id))
}

/** The fake has no events: time moves it. */
function movedFake({ fake }: BillingRow, { state }: Transition, now: number): Pick<BillingRow, 'fake' | 'due_at'> {
  if (fake === null) return { fake, due_at: state.due_at }
  const moved = advance(readFake(fake), now)
  const due = [state.due_at, nextMove(moved)].filter((time) => time !== null)
  return { fake: JSON.stringify(moved), due_at: due.length === 0 ? null : Math.min(...due) }
}

/** Plan, trial and months of the organization follow the subscription (decision D27). */
async function subscribe(unit: AccountUnit, subscription: Subscription): Promise<void> {
  const found = await findStored(unit, unit.account, Organization, unit.account)
  if (!found) return
  const { id, data } = found
  const changed = (['plan', 'trialEndsAt', 'subscribedAt'] as const).filter((name) => data[name] !== subscription[name])
  if (changed.length === 0) return
  const next = { ...data, ...subscription, updatedAt: formatUTCDate(unit.now) }
  await updateStored(unit, Organization, { id, data: next }, [...changed, 'updatedAt'])
}

async function sendLetter(work: Unit, unit: AccountUnit, letter: NonNullable<Prepared['letter']>): Promise<void> {
  const { box: account, to, blob } = letter
  const box = work.account(account)
  // Decision D25: no mail is sent to a suppressed address.
  if (box.isDeleted || (await findSuppression(unit, unit.account, to))) return
  await queueFromServer(work, box, { blob, to }, box.nextObject())
}

const VISIBLE = [
  'status',
  'plan',
  'trial_ends_at',
  'period_start',
  'period_end',
  'cancel_at',
  'has_payment_method',
  'unpaid_since',
  'suspended_at',
] as const

function isVisible(before: BillingRow, after: Transition['state']): boolean {
  return VISIBLE.some((name) => before[name] !== after[name])
}
