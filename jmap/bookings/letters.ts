/**
 * Mails to the invitee and the guests of a booking, from the address of the booked mailbox. They are generated and stored before the
 * unit of work that queues them.
 */
import { randomUUID } from 'node:crypto'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { findSuppression } from '../../storage/repos/suppressions.ts'
import { queueFromServer } from '../delivery/outgoing.ts'
import { type PreparedBlob, prepareBlob } from '../mail/blob/blobs.ts'
import type { BodySpec } from '../message/body-spec.ts'
import { generateMessage } from '../message/generate.ts'
import { domainOf, normaliseAddress } from '../message/mail-address.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
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
  const text: BodySpec = { type: 'text/plain', content: { text: `${paragraphs.join('\n\n')}\n` } }
  return generateMessage({
    headers: [
      { name: 'From', form: 'Addresses', value: [{ name: owner.name, email: owner.address }] },
      { name: 'To', form: 'Addresses', value: [{ name: isInvitee ? data.name : null, email: to }] },
      { name: 'Subject', form: 'Text', value: words.subjects[kind](facts) },
      { name: 'Date', form: 'Date', value: formatUTCDate(now) },
      { name: 'Message-ID', form: 'MessageIds', value: [`${randomUUID()}@${domainOf(owner.address)}`] },
      // RFC 3834 5: prevents automatic replies.
      { name: 'Auto-Submitted', form: 'Raw', value: ' auto-generated' },
    ],
    body: calendar === null ? text : withCalendar(text, calendar),
  }).bytes!
}

/** RFC 6047 2.4: the calendar part is an alternative to the text. Some clients only look at attachments. */
function withCalendar(text: BodySpec, { method, text: ics }: Invitation): BodySpec {
  const parts: BodySpec[] = [text, { type: 'text/calendar', parameters: { method }, content: { text: ics } }]
  return {
    type: 'multipart/mixed',
    subParts: [
      { type: 'multipart/alternative', subParts: parts },
      {
        type: 'application/ics',
        disposition: 'attachment',
        name: 'invite.ics',
        content: { bytes: Buffer.from(ics) },
      },
    ],
  }
}

function formatTime({ language }: LetterWords, at: number, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(at)
}
