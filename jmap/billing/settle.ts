/**
 * Settles the billing of one organization: reads the provider, and stores what follows (apply-billing.ts). Nothing is suspended on old
 * knowledge (decision D33).
 */
import { randomUUID } from 'node:crypto'
import { BILLING_NOW_LEASE_MS, BILLING_RETRY_MS } from '../../server/base/billing-limits.ts'
import { type BillingRow, findBilling, updateBilling } from '../../storage/repos/billing.ts'
import { prepareBlob } from '../mail/blob/blobs.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { domainOf } from '../message/mail-address.ts'
import { ownerOf } from '../notices/notify-owner.ts'
import { advance, readFake, stateOf } from '../policy/billing/fake.ts'
import { type Transition, transition } from '../policy/billing/transition.ts'
import type { Answered, CustomerState } from '../type/billing-port.ts'
import type { Services } from '../type/context.ts'
import { listStored } from '../type/object-store.ts'
import { applyBilling, type Prepared } from './apply-billing.ts'
import { writeGraceLetter } from './grace-letter.ts'
import type { BillingTask } from './queue.ts'

type Needs = Pick<Services, 'store' | 'billing' | 'clock' | 'logger'>

/** No effect if another worker has the organization. */
export async function settleBilling(services: Needs, task: BillingTask): Promise<void> {
  await settle(services, task)
}

/** Why the provider could not be read, for the log; null: it was, or there is nothing to read. */
async function settle(services: Needs, task: BillingTask): Promise<string | null> {
  const { store, clock } = services
  const { organization, lease } = task
  const row = await store.read((reader) => findBilling(reader, organization))
  if (row?.lease !== lease) return null
  const seen = await read(services, row)
  if (seen.kind === 'failed') {
    await postpone(services, task, seen.reason)
    return seen.reason
  }
  for (;;) {
    const now = clock.now()
    const prepared = await prepare(services, organization, transition(row, seen.value, now), now)
    const work = { task, seen: seen.value, request: row.requested, prepared, now }
    const accounts = [
      organization,
      ...new Set([...prepared.mailboxes, ...(prepared.letter ? [prepared.letter.box] : [])]),
    ]
    const done = await store.write(accounts, (unit) => applyBilling(unit, work))
    // A mailbox was made meanwhile, or time went on: what is locked depends on what is found.
    if (done) return null
  }
}

/** Settles an organization now. A reading under way elsewhere is not stored. Resolves with why the provider could not be read, or null. */
export async function settleNow(services: Needs, organization: number): Promise<string | null> {
  const lease = `now:${randomUUID()}`
  await services.store.write([organization], async (work) => {
    const unit = work.account(organization)
    await updateBilling(unit, { lease, lease_until: unit.now + BILLING_NOW_LEASE_MS })
  })
  return settle(services, { organization, lease })
}

async function read({ billing, clock }: Needs, row: BillingRow): Promise<Answered<CustomerState>> {
  const { customer, fake } = row
  if (billing.kind === 'stripe' && customer !== null) return billing.provider.read(customer)
  // The command line has it too, whatever its settings.
  if (billing.kind !== 'stripe' && fake !== null) {
    const now = clock.now()
    return { kind: 'done', value: stateOf(advance(readFake(fake), now), now) }
  }
  return { kind: 'failed', reason: 'nobody bills this organization', isFinal: true }
}

/** What a unit of work cannot make itself: the letter, and the numbers of the mailboxes that it locks. */
async function prepare(
  { store }: Needs,
  organization: number,
  { state, letter }: Transition,
  now: number,
): Promise<Prepared> {
  return store.read(async (reader) => {
    const row = await findBilling(reader, organization)
    const isToggled = (row?.suspended_at ?? null) !== state.suspended_at
    const mailboxes = isToggled ? (await listStored(reader, organization, MailAccount)).map(({ id }) => id) : []
    const owner = letter === null ? null : await ownerOf(reader, organization)
    if (letter === null || owner === null) return { mailboxes, letter: null }
    const { mailbox, to } = owner
    const from = `postmaster@${domainOf(mailbox.address)}`
    const blob = await prepareBlob(store, writeGraceLetter({ from, to, number: letter, state, now }))
    return { mailboxes, letter: { box: mailbox.account, to, blob } }
  })
}

async function postpone({ store, clock, logger }: Needs, task: BillingTask, reason: string): Promise<void> {
  const { organization, lease } = task
  logger.warn({ organization, reason }, 'the billing provider could not be read')
  await store.write([organization], async (work) => {
    const unit = work.account(organization)
    const row = await findBilling(unit, organization)
    if (row?.lease !== lease) return
    const wait = BILLING_RETRY_MS[Math.min(row.attempts, BILLING_RETRY_MS.length - 1)]!
    await updateBilling(unit, { due_at: clock.now() + wait, attempts: row.attempts + 1, lease: null, lease_until: 0 })
  })
}
