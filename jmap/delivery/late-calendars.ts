/**
 * Scheduling messages that could not be read while their mail was delivered, because a flood of texts that take long came before them. The
 * commit of the mail has a row; a worker (server/workers/late-calendars.ts) claims it by a lease, reads the mail with a deadline of its own, and takes
 * the messages in the commit that deletes the row. So a mail has its effect once, also after a kill.
 */
import { randomUUID } from 'node:crypto'
import {
  SCHEDULING_LATE_MAX_MS,
  SCHEDULING_LATE_READ_MS,
  SCHEDULING_LATE_RETRY_MS,
  SCHEDULING_LATE_SPACE_MS,
} from '../../server/base/calendar-data-limits.ts'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { findEmail } from '../../storage/repos/emails.ts'
import {
  claimLateCalendars,
  deleteLateCalendar,
  findLateCalendar,
  insertLateCalendar,
  lastDueOfSender,
  nextLateCalendar,
  postponeLateCalendar,
} from '../../storage/repos/late-calendars.ts'
import { renewRows } from '../../storage/repos/renew-rows.ts'
import type { LateCalendarTable } from '../../storage/schema/late-calendar.ts'
import { authorOf, readSchedulingMessages } from '../calendars/scheduling/incoming-mail.ts'
import type { IncomingMessage, Refusal } from '../calendars/scheduling/incoming-message.ts'
import { takeMessage } from '../calendars/scheduling/take-message.ts'
import { readStored } from '../mail/blob/blobs.ts'
import { mailboxesByRole } from '../mail/mailbox/counts.ts'
import { domainOf } from '../message/mail-address.ts'
import type { ParsedMessage } from '../message/structure.ts'
import { registrableOf } from '../policy/domain/names.ts'
import type { Services } from '../type/context.ts'
import { addNotes } from './add-note.ts'

export interface LateCalendarTask {
  readonly account: number
  readonly id: number
  /** A mail that is claimed under another lease is left alone. */
  readonly lease: string
}

export interface LateMail {
  /** Object number of the Email. */
  readonly email: number
  readonly parsed: ParsedMessage
  readonly recipient: string
  readonly isAuthentic: boolean
}

/** Inside the unit of work that delivers the mail. @returns what will happen, as a sentence */
export async function readLater(unit: AccountUnit, mail: LateMail): Promise<string> {
  const { email, parsed, recipient, isAuthentic } = mail
  const sender = senderOf(parsed)
  const last = await lastDueOfSender(unit, sender)
  const due = Math.max(unit.now, last === null ? 0 : last + SCHEDULING_LATE_SPACE_MS)
  if (due > unit.now + SCHEDULING_LATE_MAX_MS)
    return `The calendar part has no effect: too many of ${sender} take long to be read.`
  const row = { email, recipient, is_authentic: Number(isAuthentic), sender, due_at: due }
  await insertLateCalendar(unit, { id: unit.nextObject(), ...row })
  return 'The calendar part takes long to be read: it is read later.'
}

/** Hosts of one domain are one sender. */
function senderOf(parsed: ParsedMessage): string {
  const domain = domainOf(authorOf(parsed)?.address ?? '')
  return registrableOf(domain) ?? domain
}

/** Epoch ms when the next mail may be claimed; null: there is none. */
export function nextLateTime({ store }: Pick<Services, 'store'>): Promise<number | null> {
  return store.read(nextLateCalendar)
}

export async function claimLate(
  { store }: Pick<Services, 'store'>,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<LateCalendarTask[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimLateCalendars(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  return rows.map(({ account, id }) => ({ account, id, lease }))
}

/** Renews leases for `leaseMs` from now. */
export function renewLate(
  { store }: Pick<Services, 'store'>,
  leases: readonly string[],
  leaseMs: number,
): Promise<void> {
  return store.write([], (unit) => renewRows(unit.sql, 'late_calendar', leases, unit.now + leaseMs))
}

/** Takes the messages of a mail. */
export async function takeLate(services: Services, { account, id, lease }: LateCalendarTask): Promise<void> {
  const row = await services.store.read((reader) => findLateCalendar(reader, account, id))
  if (row?.lease !== lease) return
  const messages = await readMessages(services, row)
  await services.store.write([account], async (work) => {
    const unit = work.account(account)
    const now = unit.isDeleted ? null : await findLateCalendar(unit, account, id)
    if (now?.lease === lease) await settle(services, { work, unit }, now, messages)
  })
}

/** null: the email no longer exists. */
async function readMessages(
  services: Services,
  { account, email, is_authentic }: LateCalendarTable,
): Promise<readonly (IncomingMessage | Refusal)[] | null> {
  const { store, messageWork } = services
  const stored = await store.read(async (reader) => {
    const found = await findEmail(reader, account, email)
    return found && readStored(store, reader, account, found.blob)
  })
  if (stored === null) return null
  const { parsed, message: bytes } = await messageWork.parseLent(stored)
  const waitMs = SCHEDULING_LATE_READ_MS
  return readSchedulingMessages(services, { bytes, parsed, isAuthentic: is_authentic === 1, waitMs })
}

async function settle(
  services: Services,
  { work, unit }: { readonly work: Unit; readonly unit: AccountUnit },
  { id, email, recipient, attempts }: LateCalendarTable,
  messages: readonly (IncomingMessage | Refusal)[] | null,
): Promise<void> {
  const wait = SCHEDULING_LATE_RETRY_MS[attempts]
  const isLate = messages?.some((message) => 'refusal' in message && message.isLate) === true
  if (isLate && wait !== undefined) {
    await postponeLateCalendar(unit, id, { due_at: unit.now + wait, attempts: attempts + 1 })
    return
  }
  await deleteLateCalendar(unit, id)
  const found = await findEmail(unit, unit.account, email)
  if (messages === null || found === null) return
  const junk = (await mailboxesByRole(unit)).get('junk')
  const isJunk = junk !== undefined && found.mailboxes.split(',').includes(String(junk))
  const notes: string[] = []
  for (const message of messages) {
    if ('refusal' in message) notes.push(message.refusal)
    else if (isJunk) notes.push(`The calendar message ${message.method.toUpperCase()} has no effect: the mail is junk.`)
    else notes.push(...(await takeMessage({ services, work, unit }, message, recipient)))
  }
  await addNotes(
    unit,
    email,
    notes.map((text) => ({ by: 'calendar', text })),
  )
}
