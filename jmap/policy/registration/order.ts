/** An ordered domain: its record in the queue of work, and how a step of it is recorded. */
import type { Keyring } from '../../../server/base/keyring.ts'
import { WORK_RETRY_MS } from '../../../server/base/registration-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import {
  findWork,
  registrationsOf,
  updateWork,
  type WorkRow,
  type WorkSet,
} from '../../../storage/repos/domain-works.ts'
import type { Services } from '../../type/context.ts'
import type { Registrant } from '../../type/registrar-port.ts'

/**
 * The way of an order: `charge`, `register` (the registrar is asked), `confirm` (the registry has it), `settle` (the registrant's data),
 * `zone`, `records`, `extend` (years beyond the first), `hold` (registered, until the renewal), `renewCharge`, `renew`. `refund` ends in
 * `failed`, `renewRefund` in `renewCharge`. `renewRefund` and `extendRefund` of years that the registrar does not add end in `unmet`.
 */
export type Step =
  | 'charge'
  | 'register'
  | 'confirm'
  | 'settle'
  | 'zone'
  | 'records'
  | 'extend'
  | 'hold'
  | 'renewCharge'
  | 'renew'
  | 'renewRefund'
  | 'extendRefund'
  | 'unmet'
  | 'refund'
  | 'failed'
  | 'lapsed'

export interface Order {
  readonly years: number
  /** For one year, in major units. */
  readonly purchasePrice: string
  readonly renewalPrice: string
  readonly currency: string
  /** Sealed JSON of the Registrant; null: the registrar has it. */
  readonly contact: string | null
  /** Idempotency key of the payment under way, or of the last one (jmap/policy/billing/payment.ts). */
  readonly paymentKey: string
  /** In major units. */
  readonly amount: string
  /**
   * The registrar may have been asked to register or renew, so it is asked what it has before it is asked again. While a renewal is charged: its
   * payment may have been made, so its price stays.
   */
  readonly isAsked: boolean
  /** Epoch ms since which the registrar has accepted the registration. */
  readonly acceptedAt: number | null
  /** Epoch ms; null: not registered yet. */
  readonly expiresAt: number | null
  /** Attempts at the payment of the present renewal. */
  readonly payments: number
  /** Why the registration or the last renewal failed, as the end of a sentence. */
  readonly reason: string | null
  /** Years that the registrar did not add, which were paid back; absent or null: none. */
  readonly unmet?: Unmet | null
}

export interface Unmet {
  /** The years beyond the first of an order, or a renewal. */
  readonly what: 'years' | 'renewal'
  readonly years: number
  /** Epoch ms. */
  readonly since: number
}

/** A row that a worker or a request has leased. */
export interface Task {
  readonly account: number
  readonly domain: number
  readonly kind: WorkRow['kind']
  readonly lease: string
}

export interface LeasedOrder extends Task {
  readonly name: string
  readonly step: Step
  readonly order: Order
  readonly attempts: number
  /** Epoch ms of the order. */
  readonly orderedAt: number
}

export function orderOf(row: WorkRow): Order {
  return JSON.parse(row.data) as Order
}

export function leasedOrder(row: WorkRow): LeasedOrder {
  const { account, domain, kind, name, attempts, created_at: orderedAt } = row
  return {
    account,
    domain,
    kind,
    name,
    lease: row.lease!,
    step: row.step as Step,
    order: orderOf(row),
    attempts,
    orderedAt,
  }
}

const FREE = { lease: null, lease_until: 0 } as const

export interface Next {
  readonly step: Step
  readonly order: Order
  /** Epoch ms; null: nothing more is to be done. Default: now. */
  readonly dueAt?: number | null
  readonly isReleased?: boolean
}

/**
 * Records a step in one unit of work with what else follows from it. No effect if the lease has ended meanwhile: another worker is at it.
 * @returns whether it was recorded
 */
export function record(
  { store }: Pick<Services, 'store'>,
  task: Task,
  next: Next,
  also: (unit: AccountUnit) => Promise<void> = async () => {},
): Promise<boolean> {
  return store.write([task.account], async (work) => {
    const unit = work.account(task.account)
    if (!(await holds(unit, task))) return false
    const { step, order, dueAt = unit.now, isReleased = false } = next
    await updateWork(unit, task.domain, task.kind, {
      step,
      data: JSON.stringify(order),
      due_at: dueAt,
      attempts: 0,
      ...FREE,
      ...(isReleased && { reserved: null }),
    })
    // The worker waits for a change of the type.
    unit.notify('Domain')
    await also(unit)
    return true
  })
}

/** Records what must be known before the registrar is asked. The lease stays. @returns false: it has ended */
export function note({ store }: Pick<Services, 'store'>, task: Task, order: Order): Promise<boolean> {
  return store.write([task.account], async (work) => {
    const unit = work.account(task.account)
    if (!(await holds(unit, task))) return false
    await updateWork(unit, task.domain, task.kind, { data: JSON.stringify(order) })
    return true
  })
}

/** Tries the step again later. @param retryAfter milliseconds that the provider asks to wait */
export async function later(
  { store }: Pick<Services, 'store'>,
  task: Task & { readonly attempts: number },
  retryAfter: number | null = null,
): Promise<void> {
  await store.write([task.account], async (work) => {
    const unit = work.account(task.account)
    if (!(await holds(unit, task))) return
    const longest = WORK_RETRY_MS.at(-1)!
    const wait = Math.max(WORK_RETRY_MS[task.attempts] ?? longest, Math.min(retryAfter ?? 0, longest))
    const set: WorkSet = { due_at: unit.now + wait, attempts: task.attempts + 1, ...FREE }
    await updateWork(unit, task.domain, task.kind, set)
  })
}

/** Whether the task is still leased to this worker, in an account that is there. */
export async function holds(unit: AccountUnit, { domain, kind, lease }: Task): Promise<boolean> {
  return !unit.isDeleted && (await findWork(unit, unit.account, domain, kind))?.lease === lease
}

/** Inside a unit of work: seals again what an older key sealed. A worker that records the order meanwhile leaves it to the next start. */
export async function sealRegistrants(unit: AccountUnit, keyring: Keyring): Promise<void> {
  const { account } = unit
  for (const row of await registrationsOf(unit, account)) {
    const { domain, kind } = row
    const order = orderOf(row)
    if (order.contact === null || !keyring.isStale(order.contact)) continue
    const registrant = openRegistrant(keyring, { account, domain }, order.contact)
    const contact = sealRegistrant(keyring, account, domain, registrant)
    await updateWork(unit, domain, kind, { data: JSON.stringify({ ...order, contact } satisfies Order) })
  }
}

export function sealRegistrant(keyring: Keyring, account: number, domain: number, registrant: Registrant): string {
  return keyring.seal(JSON.stringify(registrant), { purpose: 'registrant', tenant: account, row: String(domain) })
}

/** @throws Failure `corrupt` */
export function openRegistrant(
  keyring: Keyring,
  { account, domain }: Pick<Task, 'account' | 'domain'>,
  sealed: string,
): Registrant {
  return JSON.parse(keyring.open(sealed, { purpose: 'registrant', tenant: account, row: String(domain) })) as Registrant
}
