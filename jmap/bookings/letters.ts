/**
 * Mails to the invitee and the guests of a booking, from the address of the booked mailbox. They are generated and stored before the
 * unit of work that queues them.
 */
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { findSuppression } from '../../storage/repos/suppressions.ts'
import { writeCalendarMail } from '../calendars/scheduling/calendar-mail.ts'
import { queueFromServer } from '../delivery/outgoing.ts'
import { type PreparedBlob, prepareBlob } from '../mail/blob/blobs.ts'
import { normaliseAddress } from '../message/mail-address.ts'
import type { Services } from '../type/context.ts'
import type { BookingData, MeetingLink } from './booking.ts'
import type { Invitation } from './invitation.ts'
import { type LetterKind, type LetterWords, letterWords } from './letter-words.ts'
import type { Owner } from './public-page.ts'

export interface Told {
  readonly kind: LetterKind
  readonly owner: Owner
  readonly data: BookingData
  /** Epoch ms. */
  readonly start: number
  readonly token: string
  /** An iTIP message (RFC 5546) for the recipients' calendars; null: none. */
  readonly calendar: Invitation | null
  readonly meeting: MeetingLink
}

export interface PreparedLetter {
  readonly to: string
  readonly blob: PreparedBlob
}

/** One mail to each recipient. */
export async function prepareLetters(services: Services, told: Told): Promise<PreparedLetter[]> {
  const { data, kind } = told
  // A stranger may have typed any address: guests hear of a booking when it stands, and get no reminders.
  const guests = kind === 'pending' || kind === 'reminder' ? [] : data.guests
  const recipients = [...new Set([data.email, ...guests].map((address) => normaliseAddress(address) ?? address))]
  return Promise.all(
    recipients.map(async (to, i) => {
      const bytes = writeLetter(told, to, i === 0, services.clock.now())
      return { to, blob: await prepareBlob(services.store, bytes) }
    }),
  )
}

/** Inside the unit of work that makes the change. */
export async function queueLetters(
  work: Unit,
  unit: AccountUnit,
  { address }: Owner,
  letters: readonly PreparedLetter[],
): Promise<void> {
  for (const { to, blob } of letters) {
    // Decision D25: nothing is sent to a suppressed address.
    if (await findSuppression(unit, unit.organization, to)) continue
    await queueFromServer(work, unit, { blob, to, mailFrom: address }, unit.nextObject())
  }
}

function writeLetter(told: Told, to: string, isInvitee: boolean, now: number): Uint8Array {
  const { kind, owner, data, token, calendar, meeting } = told
  const words = letterWords(data.language)
  const facts = {
    title: data.page.name,
    when: formatTime(words, told.start, data.timezone),
    timezone: data.timezone,
    host: owner.name ?? owner.address,
    name: data.name,
    link: isInvitee ? `${data.baseUrl}/book/manage/${token}` : null,
  }
  const joins = kind === 'pending' || kind === 'cancelled' ? null : meeting
  const paragraphs = [
    `${facts.title}\n${facts.when} (${facts.timezone})`,
    ...words.texts[kind](facts),
    ...(joins === null ? [] : [words.meeting(joins, facts)]),
  ]
  return writeCalendarMail({
    from: { name: owner.name, email: owner.address },
    to: [{ name: isInvitee ? data.name : null, email: to }],
    subject: words.subjects[kind](facts),
    paragraphs,
    calendar,
    now,
  })
}

function formatTime({ language }: LetterWords, at: number, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(at)
}
