/**
 * Letters to the owner of an organization about its bought domains: a week before a renewal is charged, and 30, 14 and 3 days before the expiry
 * of a domain that is not renewed (decision D33). A letter is queued in the unit of work that counts it, so that a crash neither loses nor
 * repeats it.
 */
import { LETTER_RETRY_MS } from '../../server/base/registration-limits.ts'
import type { Reader, Unit } from '../../storage/ports.ts'
import { deleteWork, findWork, updateWork } from '../../storage/repos/domain-works.ts'
import { findSuppression } from '../../storage/repos/suppressions.ts'
import { queueFromServer } from '../delivery/outgoing.ts'
import { type PreparedBlob, prepareBlob } from '../mail/blob/blobs.ts'
import { writeNotice } from '../mail/email/notice.ts'
import { domainOf } from '../message/mail-address.ts'
import { Domain } from '../policy/domain/domain.type.ts'
import { type DueLetter, dueLetter, type ExpiryLetter, type LetterRow } from '../policy/registration/letters.ts'
import { holds, type Order, orderOf, type Task, type Unmet } from '../policy/registration/order.ts'
import type { Services } from '../type/context.ts'
import { findStored } from '../type/object-store.ts'
import {
  type ExpiryFacts,
  type ExpiryText,
  expiryText,
  missingYearsText,
  renewalText,
  unmetRenewalText,
} from './expiry-letter.ts'
import { type Owner, ownerOf } from './notify-owner.ts'

/** No effect if another worker has the lease. */
export async function writeExpiryLetter(services: Services, task: Task): Promise<void> {
  const { store, clock, logger } = services
  const now = clock.now()
  const found = await store.read(async (reader) => {
    const due = await dueFor(reader, task, now)
    return due?.letter == null ? due : { ...due, owner: await ownerOf(reader, task.account) }
  })
  const owner = (found && 'owner' in found && found.owner) || null
  const letter = found?.letter ?? null
  if (letter !== null && owner === null)
    logger.warn({ organization: task.account }, 'an organization has no mailbox to send a letter about a domain from')
  const blob = owner && letter !== null ? await prepare(services, task, { ...found!, letter, owner, now }) : null
  const accounts = [...new Set([task.account, ...(owner ? [owner.mailbox.account] : [])])]
  await store.write(accounts, (work) => keep(work, task, { letter, owner, blob, now }))
}

interface Due extends DueLetter {
  readonly row: LetterRow
  readonly name: string
  readonly order: Order
  readonly autoRenew: boolean
  /** Why the renewal failed; null: it has not. */
  readonly reason: string | null
  /** Years that the registrar has not added; null: there are none. */
  readonly unmet: Unmet | null
}

/** null: the domain is not registered any more. */
async function dueFor(reader: Reader, { account, domain }: Task, now: number): Promise<Due | null> {
  const row = await findWork(reader, account, domain, 'letters')
  const registration = await findWork(reader, account, domain, 'registration')
  const found = await findStored(reader, account, Domain, domain)
  if (!row || !registration || !found || registration.step === 'lapsed') return null
  const order = orderOf(registration)
  const autoRenew = found.data.autoRenew === true
  const { unmet = null } = order
  const isRenewing = registration.step.startsWith('renew') || unmet?.what === 'renewal'
  const reason = isRenewing && order.payments > 0 ? order.reason : null
  const state = JSON.parse(row.data) as LetterRow
  const due = dueLetter({ ...state, autoRenew, hasFailed: reason !== null, unmetSince: unmet?.since ?? null, now })
  return { ...due, row: state, name: row.name, order, autoRenew, reason, unmet }
}

interface Written extends Due {
  readonly letter: ExpiryLetter
  readonly owner: Owner
  readonly now: number
}

async function prepare(
  { store, registrar, billing, ids }: Services,
  { account, domain }: Task,
  { letter, name, order, row, autoRenew, reason, unmet, owner, now }: Written,
): Promise<PreparedBlob> {
  const asked = await registrar?.renewalPrice(name)
  const isPriceFresh = asked?.kind === 'done'
  const { price, currency } = isPriceFresh ? asked.value : { price: order.renewalPrice, currency: order.currency }
  const facts: ExpiryFacts = {
    name,
    id: ids.encode(Domain, account, domain),
    expiresAt: row.expiresAt,
    autoRenew,
    reason: reason ?? (letter === 'unmet' ? order.reason : null),
    unmet,
    price: `${price} ${currency}`,
    isPriceFresh,
    isCharged: billing.kind !== 'none',
    now,
  }
  const { subject, text } = textOf(letter, facts)
  const { mailbox, to } = owner
  const from = `postmaster@${domainOf(mailbox.address)}`
  return prepareBlob(store, writeNotice({ from, to, subject, text, now }))
}

function textOf(letter: ExpiryLetter, facts: ExpiryFacts): ExpiryText {
  if (letter === 'renewal') return renewalText(facts)
  if (letter === 'unmet' && facts.unmet?.what === 'years') return missingYearsText(facts, facts.unmet.years)
  return facts.unmet?.what === 'renewal' && facts.autoRenew ? unmetRenewalText(facts) : expiryText(facts)
}

interface Kept {
  readonly letter: ExpiryLetter | null
  readonly owner: Owner | null
  readonly blob: PreparedBlob | null
  /** Epoch ms by which the letter was chosen. */
  readonly now: number
}

async function keep(work: Unit, task: Task, { letter, owner, blob, now }: Kept): Promise<void> {
  const unit = work.account(task.account)
  if (!(await holds(unit, task))) return
  const due = await dueFor(unit, task, now)
  if (!due) return deleteWork(unit, task.domain, task.kind)
  const free = { attempts: 0, lease: null, lease_until: 0 }
  // The renewal was made, failed or was switched meanwhile: another letter is due, or none.
  if (due.letter !== letter) return updateWork(unit, task.domain, task.kind, { due_at: unit.now, ...free })
  if (letter !== null && owner === null) {
    const again = Math.min(unit.now + LETTER_RETRY_MS, due.dueAt ?? Number.POSITIVE_INFINITY)
    return updateWork(unit, task.domain, task.kind, { due_at: again, ...free })
  }
  const data = JSON.stringify(letter === null ? due.row : due.after)
  await updateWork(unit, task.domain, task.kind, { data, due_at: due.dueAt, ...free })
  if (!owner || !blob) return
  const box = work.account(owner.mailbox.account)
  // Decision D25: no mail is sent to a suppressed address.
  if (box.isDeleted || (await findSuppression(unit, unit.account, owner.to))) return
  await queueFromServer(work, box, { blob, to: owner.to }, box.nextObject())
}
