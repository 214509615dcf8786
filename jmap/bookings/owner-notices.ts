/** Mails in the owner's inbox about what invitees do, and about meetings that a provider did not make. They are stored in the unit of work of the change, and count as no send. */
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { storeNotice as storeLetter, writeNotice } from '../mail/email/notice.ts'
import { emailFromMessage, type PreparedEmail } from '../mail/email/store-email.ts'
import { domainOf } from '../message/mail-address.ts'
import type { Services } from '../type/context.ts'
import type { BookingData } from './booking.ts'
import type { Owner } from './public-page.ts'

export interface OwnerNotice {
  readonly kind: 'booked' | 'rescheduled' | 'cancelled'
  readonly owner: Owner
  readonly data: BookingData
  /** Epoch ms. */
  readonly start: number
  /** Of a booking that was moved. */
  readonly previousStart?: number
}

const SUBJECTS = { booked: 'New booking', rescheduled: 'Booking moved', cancelled: 'Booking cancelled' } as const

/** Outside of the unit of work. */
export function prepareNotice(services: Services, notice: OwnerNotice): Promise<PreparedEmail> {
  return emailFromMessage(services, letterOf(notice, services.clock.now()))
}

/** Inside. It does not check whether the mailbox is full. */
export function storeNotice(services: Services, work: Unit, unit: AccountUnit, notice: PreparedEmail): Promise<void> {
  return storeLetter(services, work, unit, notice, 'calendar')
}

function letterOf({ kind, owner, data, start, previousStart }: OwnerNotice, now: number): Uint8Array {
  const { name, email, guests, notes, reason, page } = data
  const when = timeIn(page.rules.timezone, start)
  const lines = [
    `${page.name}: ${when}`,
    ...(previousStart === undefined ? [] : [`Before: ${timeIn(page.rules.timezone, previousStart)}`]),
    `With: ${name} <${email}>`,
    ...(guests.length > 0 ? [`Guests: ${guests.join(', ')}`] : []),
    ...(notes !== null ? ['', notes] : []),
    ...(kind === 'cancelled' && reason !== undefined ? ['', `Reason: ${reason}`] : []),
    '',
  ]
  return toOwner({
    owner,
    subject: `${SUBJECTS[kind]}: ${page.name}, ${name}, ${when}`,
    lines,
    replyTo: { name, email },
    now,
  })
}

export interface MeetingNotice {
  readonly owner: Owner
  /** Of the event. */
  readonly title: string
  /** Of the provider, as the end of a sentence. */
  readonly reason: string
  /** false: it was to be deleted. */
  readonly isWanted: boolean
}

/** Outside of the unit of work. */
export function prepareMeetingNotice(
  services: Services,
  { owner, title, reason, isWanted }: MeetingNotice,
): Promise<PreparedEmail> {
  const lines = isWanted
    ? [
        `Zoom did not make, or did not change, the meeting of “${title}”: ${reason}.`,
        '',
        'The event stands as it is in your calendar. Please send its participants a link yourself, or connect Zoom again: then it is tried once more.',
      ]
    : [`Zoom did not delete the meeting of “${title}”: ${reason}.`, '', 'Please delete it in Zoom.']
  const subject = isWanted ? `No meeting link: ${title}` : `A meeting was not deleted: ${title}`
  return emailFromMessage(services, toOwner({ owner, subject, lines: [...lines, ''], now: services.clock.now() }))
}

interface OwnerMail {
  readonly owner: Owner
  readonly subject: string
  readonly lines: readonly string[]
  readonly replyTo?: { readonly name: string; readonly email: string }
  readonly now: number
}

function toOwner({ owner, subject, lines, replyTo, now }: OwnerMail): Uint8Array {
  return writeNotice({
    from: `postmaster@${domainOf(owner.address)}`,
    to: owner.address,
    toName: owner.name,
    ...(replyTo && { replyTo }),
    subject,
    text: lines.join('\n'),
    now,
  })
}

function timeIn(timeZone: string, at: number): string {
  const text = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short', timeZone }).format(at)
  return `${text} (${timeZone})`
}
