/** Messages from SMTP submission: an Email in Sent and an EmailSubmission, in one unit of work (RFC 6409). */

import { freeWhole } from '../../../server/base/free-memory.ts'
import type { Principal } from '../../../server/base/principal.ts'
import { findEmail } from '../../../storage/repos/emails.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import { MethodContext, type RequestContext } from '../../type/context.ts'
import { listStored, type Stored } from '../../type/object-store.ts'
import { recordBlob } from '../blob/blobs.ts'
import { Email } from '../email/email.type.ts'
import { emailWithOctets, storeEmail } from '../email/store-email.ts'
import { isOfIdentity } from '../identity/identity.handlers.ts'
import { Identity } from '../identity/identity.type.ts'
import { mailboxesByRole } from '../mailbox/counts.ts'
import { hasRoomFor } from '../quota/octets.ts'
import { type Authors, authorsIn } from './authors.ts'
import { EmailSubmission } from './email-submission.type.ts'
import type { EnvelopeParameters, EnvelopeRecipient } from './envelope.ts'
import { queueSubmission } from './sending.ts'

/** A message from SMTP submission. */
export interface SubmittedMessage {
  /** As received, with Date and Message-ID completed, Bcc removed. Nobody else reads them. */
  readonly bytes: Uint8Array
  readonly mailFrom: string
  readonly recipients: readonly EnvelopeRecipient[]
  readonly parameters?: EnvelopeParameters
}

export type SubmitResult =
  | { readonly status: 'queued'; readonly emailId: string; readonly submissionId: string }
  | {
      readonly status: 'refused'
      readonly reason:
        | 'forbiddenFrom'
        | 'forbiddenToSend'
        | 'tooManyRecipients'
        | 'overQuota'
        | 'rateLimit'
        | 'invalidEmail'
        | 'tooLarge'
      readonly description: string
    }

/** Thrown to roll back the unit of work: a refused message leaves nothing. */
class Refused extends Error {
  readonly error: SetError
  constructor(error: SetError) {
    super(error.type)
    this.error = error
  }
}

export async function submitMessage(request: RequestContext, message: SubmittedMessage): Promise<SubmitResult> {
  const { services, principal } = request
  const account = accountOf(principal)
  if (account === null) return { status: 'refused', reason: 'forbiddenToSend', description: 'not a mailbox' }
  const { email: prepared, bytes } = await emailWithOctets(services, message.bytes)
  const authors = authorsIn(bytes, true)
  freeWhole(bytes)
  const id = services.ids.accountId('mailbox', account)
  const ref = {
    number: account,
    id,
    kind: 'mailbox',
    organization: principal.organization,
    name: principal.username,
  } as const
  const method = new MethodContext(request, ref)
  try {
    return await services.store.write([account, principal.organization], async (work) => {
      const unit = work.account(account)
      if (!hasRoomFor(services, unit, prepared.blob.size)) throw new Refused(setError('overQuota'))
      await recordBlob(work, prepared.blob)
      const sent = (await mailboxesByRole(unit)).get('sent') ?? (await mailboxesByRole(unit)).get('inbox')!
      const place = { mailboxes: [sent], keywords: ['$seen'], receivedAt: unit.now, source: 'smtp' }
      const stored = await storeEmail(services, unit, prepared, place)
      const email = (await findEmail(unit, account, stored.id))!
      const identity = identityFor(await listStored(unit, account, Identity), authors)
      const envelope = {
        mailFrom: { email: message.mailFrom, parameters: { ...message.parameters } },
        rcptTo: message.recipients.map(({ address, parameters }) => ({
          email: address,
          parameters: { ...parameters },
        })),
      }
      const queued = await queueSubmission(
        { method, unit },
        {
          email,
          authors,
          identity: { number: identity?.id ?? 0, email: null },
          envelope,
          organization: work.account(principal.organization),
        },
      )
      if ('error' in queued) throw new Refused(queued.error)
      return {
        status: 'queued',
        emailId: method.id(Email, stored.id),
        submissionId: method.id(EmailSubmission, queued.number),
      }
    })
  } catch (error) {
    if (error instanceof Refused) return refusal(error.error)
    throw error
  }
}

/** SMTP names no identity: that of the author's address is used, else the account's first. */
export function identityFor(identities: readonly Stored<typeof Identity>[], { from: [from = ''] }: Authors) {
  const emails = identities.map(({ data }) => data.email)
  const at = [emails.indexOf(normaliseAddress(from) ?? ''), emails.findIndex((email) => isOfIdentity(email, from))]
  return identities[at.find((index) => index >= 0) ?? 0]
}

function accountOf({ kind, mailboxes }: Principal): number | null {
  return kind === 'mailbox' && mailboxes !== 'all' ? (mailboxes[0] ?? null) : null
}

type Reason = Extract<SubmitResult, { status: 'refused' }>['reason']

const REASONS = ['tooManyRecipients', 'overQuota', 'rateLimit', 'invalidEmail', 'tooLarge'] as const satisfies Reason[]

function refusal({ type, description }: SetError): SubmitResult {
  const reason =
    type === 'forbiddenFrom' || type === 'forbiddenMailFrom'
      ? 'forbiddenFrom'
      : (REASONS.find((reason) => reason === type) ?? 'forbiddenToSend')
  return { status: 'refused', reason, description: description ?? type }
}
