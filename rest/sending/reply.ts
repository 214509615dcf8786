/** Recipients and subject of a reply (decision D13). */
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
 * @param own address of the mailbox, which gets no reply of its own
 * @throws ApiError when there are too many, or none
 */
export function replyRecipients(
  emails: readonly Answered[],
  own: string,
  given: GivenRecipients,
  replyAll: boolean,
): { readonly to: readonly EmailAddress[]; readonly cc: readonly EmailAddress[] } {
  const inbound = emails.find(
    ({ source, from }) => source === 'inbound' && !from?.some(({ email }) => sameAddress(email, own)),
  )
  const answered = inbound ?? emails[0]
  const to = given.to ?? (answered ? defaultTo(answered, inbound !== undefined) : [])
  const others = replyAll && answered ? [...(answered.to ?? []), ...(answered.cc ?? [])] : []
  const taken = [...to, ...given.cc, ...given.bcc, { email: own }].map(({ email }) => email)
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
