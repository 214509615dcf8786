/** Queues a message: checks who sends what to whom (RFC 8621 7.5), and writes the rows of the queue. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import type { EmailSummary } from '../../../storage/repos/emails.ts'
import type { NewRecipient } from '../../../storage/repos/submissions.ts'
import { insertSubmission, type NewSubmission } from '../../../storage/repos/submissions.ts'
import { domainOf, normaliseAddress } from '../../message/mail-address.ts'
import { hasPlainDomain, type ShownAddress } from '../../message/shown-addresses.ts'
import { domainSendingFault } from '../../policy/domain/sending.ts'
import { isVerifiedStatus } from '../../policy/domain/state.ts'
import {
  invalidEmail,
  invalidProperties,
  type SetError,
  setError,
  tooLarge,
  tooManyRecipients,
} from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import { packedLines, packedValue } from '../email/packed.ts'
import { isOfIdentity, maySendAs } from '../identity/identity.handlers.ts'
import { admissionFault } from './admission.ts'
import type { Authors } from './authors.ts'
import { EmailSubmission, type Envelope, type GivenEnvelope } from './email-submission.type.ts'
import { envelopeOf, sendAtOf } from './envelope.ts'
import type { Tags } from './tags.ts'

export interface Sending {
  readonly email: EmailSummary
  readonly authors: Authors
  /** `email` null: the client named no identity, and any address of the account is allowed. */
  readonly identity: { readonly number: number; readonly email: string | null }
  /** As the client sent it, or null. */
  readonly envelope: GivenEnvelope | null
  readonly tags?: Tags
  /** The account of the organization in the same unit of work, whose limits apply; null: the server itself sends, without limits. */
  readonly organization: AccountUnit | null
}

/** Inside a unit of work: checks who sends what to whom, and queues it. The only way to send, for JMAP, REST and SMTP submission. */
export async function queueSubmission(
  { method, unit }: { readonly method: Pick<MethodContext, 'services'>; readonly unit: AccountUnit },
  { email, authors, identity, envelope: given, tags = {}, organization }: Sending,
): Promise<{ number: number } | { error: SetError }> {
  const { limits } = method.services
  if ((await findAccount(unit, unit.account))?.suspended_at !== null)
    return { error: setError('forbiddenToSend', 'The mailbox is suspended.') }
  // RFC 8621 7.5: the error has the allowed size.
  if (email.size > limits.maxSizeMessage) return { error: tooLarge(limits.maxSizeMessage) }
  const result = envelopeOf(email, given, identity.email, authors)
  if ('error' in result) return result
  const { envelope } = result
  const error =
    (await senderFault(unit, authors, identity.email, envelope)) ??
    (await domainSendingFault(unit, unit.organization, authors.from, unit.now))
  if (error) return { error }
  if (envelope.rcptTo.length > limits.maxRecipients) return { error: tooManyRecipients(limits.maxRecipients) }
  const sendAt = sendAtOf(envelope, unit.now, limits.maxDelayedSend)
  if (sendAt === null)
    return { error: invalidProperties(['envelope'], 'HOLDFOR and HOLDUNTIL contradict or are too far away.') }
  const refused = organization && (await admissionFault(organization, limits, addressesOf(envelope)))
  if (refused) return { error: refused }
  const number = unit.nextObject()
  const row = submissionRow(unit, number, identity.number, email, envelope, sendAt)
  await insertSubmission(unit, { ...row, tags }, newRecipients(envelope))
  unit.change(EmailSubmission.name, number, 'c')
  return { number }
}

function addressesOf({ rcptTo }: Envelope): string[] {
  return rcptTo.map(({ email }) => email)
}

/** RFC 8621 7.5, 9.6: who may send as whom. Every author that the message names must belong to the account (promise S5). */
async function senderFault(
  unit: AccountUnit,
  { from, sender, resent, shown, faults }: Authors,
  identityEmail: string | null,
  { mailFrom }: Envelope,
): Promise<SetError | null> {
  // RFC 8621 7.5: all faults.
  if (faults.length > 0) return invalidEmail(faults, `The message is not valid in: ${faults.join(', ')}.`)
  const own = async (address: string) => {
    const normal = normaliseAddress(address)
    return normal !== null && hasPlainDomain(address) && (await maySendAs(unit, unit.account, normal))
  }
  for (const address of [...from, ...sender, ...resent]) if (!(await own(address))) return setError('forbiddenFrom')
  for (const address of shown) if (await isForeign(unit, address)) return setError('forbiddenFrom', FOREIGN_NAME)
  if (identityEmail !== null && !from.some((address) => isOfIdentity(identityEmail, address)))
    return setError('forbiddenFrom', 'From is not an address of the identity.')
  return (await own(mailFrom.email)) ? null : setError('forbiddenMailFrom')
}

/** The error does not depend on whether the address exists (promise A2). */
const FOREIGN_NAME = 'A name in From or Sender contains an address that the mailbox may not send from.'

/** Whether an address belongs to a domain of this server, and the account may not send from it. */
async function isForeign(unit: AccountUnit, { localPart, domain }: ShownAddress): Promise<boolean> {
  const claims = await findDomainName(unit, domain)
  if (!claims.some(({ status }) => isVerifiedStatus(status))) return false
  const normal = normaliseAddress(`${localPart}@${domain}`)
  return normal === null || !(await maySendAs(unit, unit.account, normal))
}

function submissionRow(
  unit: AccountUnit,
  id: number,
  identity: number,
  email: EmailSummary,
  envelope: Envelope,
  sendAt: number,
): NewSubmission {
  return {
    account: unit.account,
    id,
    identity,
    email: email.id,
    thread: email.thread,
    blob: email.blob,
    mail_from: envelope.mailFrom.email,
    parameters: JSON.stringify(envelope.mailFrom.parameters),
    send_at: sendAt,
    // RFC 8621 7: pending while it can be recalled, which is until a worker claims it. A message that is sent at once cannot be
    // recalled.
    undo_status: sendAt > unit.now ? 'pending' : 'final',
    due_at: sendAt,
    created_at: unit.now,
    message_id: messageIdOf(email),
  }
}

function messageIdOf(email: EmailSummary): string | null {
  return packedValue(packedLines(email.packed), 'messageId')?.[0] ?? null
}

function newRecipients(envelope: Envelope): NewRecipient[] {
  return envelope.rcptTo.map(({ email, parameters }) => ({
    address: email,
    parameters: JSON.stringify(parameters),
    destination: destinationOf(email),
  }))
}

/** The destination of an address: its domain in DNS form. */
export function destinationOf(address: string): string {
  return domainOf(normaliseAddress(address) ?? address.toLowerCase())
}
