/** A message about an event as a mail, in Sent and in the queue. It is written outside of the unit of work that stores it. */
import { SCHEDULING_MAX_CHARS } from '../../../server/base/scheduling-limits.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { findEmail } from '../../../storage/repos/emails.ts'
import { updateSubmission } from '../../../storage/repos/submissions.ts'
import { findSuppression } from '../../../storage/repos/suppressions.ts'
import { recordBlob } from '../../mail/blob/blobs.ts'
import { destroyEmail } from '../../mail/email/move.ts'
import { emailWithOctets, type PreparedEmail, storeEmail } from '../../mail/email/store-email.ts'
import { Identity } from '../../mail/identity/identity.type.ts'
import { MailAccount } from '../../mail/mail-account/mail-account.type.ts'
import { mailboxesByRole } from '../../mail/mailbox/counts.ts'
import { hasRoomFor } from '../../mail/quota/octets.ts'
import { type Authors, authorsIn } from '../../mail/submission/authors.ts'
import { queueSubmission } from '../../mail/submission/sending.ts'
import { identityFor } from '../../mail/submission/submit.ts'
import type { SetError } from '../../protocol/errors.ts'
import type { Services } from '../../type/context.ts'
import { findStored, listStored } from '../../type/object-store.ts'
import { ownerZone } from '../availability/owner-zone.ts'
import type { EventWrite } from '../event/event-change.ts'
import { mailAddressOf } from '../event/own-addresses.ts'
import { participantOf, textOf } from '../itip/invited.ts'
import type { PlannedMessage, SchedulingJob, WrittenMessage } from '../itip/scheduling-job.ts'
import { type AttachedFiles, readFiles } from './attached-files.ts'
import { type CalendarFile, writeCalendarMail } from './calendar-mail.ts'
import { keepOutcome } from './keep-outcome.ts'
import { letterOf } from './scheduling-words.ts'

/** What is to be done about a message. */
export interface ReadyMail {
  /** null: there is nothing to send, or nobody to send it to. */
  readonly mail: { readonly email: PreparedEmail; readonly authors: Authors; readonly from: string } | null
  readonly to: readonly string[]
  /** Recipients who cannot get it. */
  readonly failed: readonly string[]
  readonly reason: string | null
  /** What it cost to write: characters of the calendar. */
  readonly chars: number
  /** Octets of its files. */
  readonly fileBytes: number
}

/** A message that cannot be sent to anybody. */
export function refusedMail({ to }: PlannedMessage, reason: string, chars = 0): ReadyMail {
  return { mail: null, to: [], failed: to, reason, chars, fileBytes: 0 }
}

/** Thrown to roll back the unit of work: the mail may not be sent. */
export class Refused extends Error {
  /** It may be sent later. */
  readonly isTemporary: boolean

  constructor({ type, description }: SetError) {
    super(description ?? type)
    this.isTemporary = type === 'rateLimit' || type === 'invalidRecipients'
  }
}

/** What the mails of one change have in common. */
export interface JobForMail {
  readonly job: SchedulingJob
  /** The job as JSON. */
  readonly octets: Uint8Array
  readonly files: AttachedFiles
}

/** Outside of the unit of work. */
export async function prepareMail(
  services: Services,
  account: number,
  { job, octets, files }: JobForMail,
  message: PlannedMessage,
): Promise<ReadyMail> {
  const sender = await services.store.read((reader) => readSender(reader, account, job, message))
  const { to, suppressed } = sender
  if (to.length === 0) return refusedMail(message, SUPPRESSED)
  const written = await services.messageWork.writeScheduling(octets, message)
  if (written === null) return { mail: null, to: [], failed: [], reason: null, chars: 0, fileBytes: 0 }
  if ('refusal' in written) return refusedMail(message, written.refusal, SCHEDULING_MAX_CHARS)
  const attached = await readFiles(services, account, files, written.attached)
  const whole = writeMail(sender, message, written, attached, services.clock.now())
  const { email, bytes } = await emailWithOctets(services, whole)
  const mail = { email, authors: authorsIn(bytes, true), from: sender.from.email }
  const reason = suppressed.length > 0 ? SUPPRESSED : null
  const fileBytes = attached.reduce((sum, file) => sum + file.bytes.length, 0)
  return { mail, to, failed: suppressed, reason, chars: written.text.length, fileBytes }
}

/** Decision D25: nothing is sent to a suppressed address. */
const SUPPRESSED = 'The address is suppressed.'

/** Inside. @throws Refused */
export async function queueMail(
  write: EventWrite,
  organization: AccountUnit,
  event: number,
  { mail, to, failed, reason }: ReadyMail,
): Promise<void> {
  if (mail) await storeAndQueue(write, organization, event, mail, to)
  await keepOutcome(write, event, { sent: to, failed, reason })
}

async function storeAndQueue(
  { services, work, unit }: EventWrite,
  organization: AccountUnit,
  event: number,
  { email, authors, from }: NonNullable<ReadyMail['mail']>,
  to: readonly string[],
): Promise<void> {
  await recordBlob(work, email.blob)
  const roles = await mailboxesByRole(unit)
  const sent = roles.get('sent') ?? roles.get('inbox')!
  const hasRoom = hasRoomFor(services, unit, email.parsed.structure.size)
  const place = { mailboxes: [sent], keywords: ['$seen'], receivedAt: unit.now, source: 'calendar' }
  const stored = await storeEmail(services, unit, email, place)
  const identity = identityFor(await listStored(unit, unit.account, Identity), authors)
  const address = (one: string) => ({ email: one, parameters: {} })
  const queued = await queueSubmission(
    { method: { services }, unit },
    {
      email: (await findEmail(unit, unit.account, stored.id))!,
      authors,
      identity: { number: identity?.id ?? 0, email: null },
      envelope: { mailFrom: address(from), rcptTo: to.map(address) },
      organization,
    },
  )
  if ('error' in queued) throw new Refused(queued.error)
  // What bounces is noted in the event.
  await updateSubmission(unit, queued.number, { calendar_event: event })
  // A full mailbox sends, and keeps no copy.
  if (!hasRoom) await destroyEmail(services, unit, stored.id)
}

interface Sender {
  readonly from: { readonly name: string | null; readonly email: string }
  /** Who gets it, with names. */
  readonly people: readonly { readonly name: string | null; readonly email: string }[]
  readonly to: readonly string[]
  readonly suppressed: readonly string[]
  readonly zone: string
}

/** RFC 6047 2.3: the organizer or the attendee, by the address that stands in the event. */
async function readSender(
  reader: Reader,
  account: number,
  { before, after }: SchedulingJob,
  { attendee, to }: PlannedMessage,
): Promise<Sender> {
  const event = after ?? before
  const organization = (await findAccount(reader, account))?.organization ?? null
  const mailbox = organization === null ? null : await findStored(reader, organization, MailAccount, account)
  const email = attendee ?? mailAddressOf(event?.organizerCalendarAddress) ?? mailbox?.data.address ?? ''
  const nameOf = (address: string) => {
    const found = [after, before].map((one) => one && participantOf(one, address)).find((one) => one)
    return found ? textOf(found.participant['name']) : null
  }
  const suppressed: string[] = []
  if (organization !== null)
    for (const address of to) if (await findSuppression(reader, organization, address)) suppressed.push(address)
  const left = to.filter((address) => !suppressed.includes(address))
  return {
    from: { name: mailbox?.data.displayName ?? nameOf(email), email },
    people: left.map((address) => ({ name: nameOf(address), email: address })),
    to: left,
    suppressed,
    zone: await ownerZone(reader, account),
  }
}

function writeMail(
  { from, people, zone }: Sender,
  { method, subject }: PlannedMessage,
  { text, shown }: WrittenMessage,
  files: readonly CalendarFile[],
  now: number,
): Uint8Array {
  const letter = letterOf(subject, shown, from.name ?? from.email, zone)
  return writeCalendarMail({ from, to: people, ...letter, calendar: { method, text }, files, now })
}
