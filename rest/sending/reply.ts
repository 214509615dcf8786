/** Sender and recipients of a reply (decision D13). */
import { baseAddress } from '../../jmap/message/mail-address.ts'
import { REPLY_MAX_BCC, REPLY_MAX_RECIPIENTS } from '../../server/base/limits.ts'
import { invalid } from '../errors/api-error.ts'
import { type EmailAddress, sameAddress } from '../schema/addresses.ts'
import type { EmailObject } from '../schema/jmap-types.ts'

type Answered = Pick<EmailObject, 'source' | 'from' | 'to' | 'cc' | 'replyTo'>

export interface GivenRecipients {
  /** null: not given; the server chooses. */
  readonly to: readonly EmailAddress[] | null
  readonly cc: readonly EmailAddress[]
  readonly bcc: readonly EmailAddress[]
}

/**
 * @param emails of the thread, newest first
 * @param own addresses of the mailbox, which gets no reply of its own
 * @throws ApiError when there are too many, or none
 */
export function replyRecipients(
  emails: readonly Answered[],
  own: readonly string[],
  given: GivenRecipients,
  replyAll: boolean,
): { readonly to: readonly EmailAddress[]; readonly cc: readonly EmailAddress[] } {
  const { answered, isInbound } = answeredOf(emails, own)
  const to = given.to ?? (answered ? defaultTo(answered, isInbound) : [])
  const others = replyAll && answered ? [...(answered.to ?? []), ...(answered.cc ?? [])] : []
  const taken = [...[...to, ...given.cc, ...given.bcc].map(({ email }) => email), ...own]
  const cc = [...given.cc, ...unique(others, taken)]
  if (to.length + cc.length > REPLY_MAX_RECIPIENTS) {
    throw invalid('to', 'too_long', `A reply has at most ${REPLY_MAX_RECIPIENTS} recipients in to and cc.`)
  }
  if (given.bcc.length > REPLY_MAX_BCC) {
    throw invalid('bcc', 'too_long', `A reply has at most ${REPLY_MAX_BCC} recipients in bcc.`)
  }
  if (to.length + cc.length + given.bcc.length === 0) {
    throw invalid('to', 'required', 'The thread names nobody to reply to; give to.')
  }
  return { to, cc }
}

/**
 * Candidates for the sender of a reply, the best first: the recipients of the answered message, or its authors if the mailbox sent it.
 * @param own as for `replyRecipients`
 */
export function replySenders(emails: readonly Answered[], own: readonly string[]): readonly string[] {
  const { answered, isInbound } = answeredOf(emails, own)
  if (!answered) return []
  const lists = isInbound ? [answered.to, answered.cc] : [answered.from]
  return lists.flatMap((list) => list ?? []).map(({ email }) => email)
}

/** The latest message received from somebody else, or else the latest message. */
function answeredOf(emails: readonly Answered[], own: readonly string[]) {
  const isOwn = ({ email }: EmailAddress) =>
    own.some((address) => sameAddress(email, address) || sameAddress(baseAddress(email), address))
  const inbound = emails.find(({ source, from }) => source === 'inbound' && !from?.some(isOwn))
  return { answered: inbound ?? emails[0], isInbound: inbound !== undefined }
}

/** RFC 5322 3.6.2: answers go to Reply-To, if there is one. */
function defaultTo(answered: Answered, isInbound: boolean): readonly EmailAddress[] {
  if (!isInbound) return answered.to ?? []
  return answered.replyTo && answered.replyTo.length > 0 ? answered.replyTo : (answered.from ?? [])
}

function unique(list: readonly EmailAddress[], taken: readonly string[]): EmailAddress[] {
  const seen = new Set(taken.map((email) => email.toLowerCase()))
  return list.filter(({ email }) => {
    const isNew = !seen.has(email.toLowerCase())
    seen.add(email.toLowerCase())
    return isNew
  })
}
