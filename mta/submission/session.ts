/** What is said to an author's mail client: who authenticated hands a message to the core, which judges the sender and queues it. */

import type { RecipientVerdict } from '../../jmap/mail/delivery.ts'
import type { SubmitResult } from '../../jmap/mail/submission/submit.ts'
import type { Core } from '../../jmap/services.ts'
import type { Logger } from '../../server/base/logger.ts'
import { type Reply, reply } from '../smtp/reply.ts'
import type { ReceivedMail, RecipientAnswer, SmtpHandlers, SmtpSession } from '../smtp/session.ts'
import { receivedSubmission } from '../smtp/trace.ts'
import { completeMessage } from './complete.ts'

export interface SubmissionOptions {
  readonly hostname: string
  readonly postmaster: string
  readonly core: Pick<Core, 'authenticate' | 'submit'>
  readonly verdict: (address: string) => Promise<RecipientVerdict>
  readonly log: Logger
}

export function createSubmissionHandlers(options: SubmissionOptions): SmtpHandlers {
  const { core, log } = options
  return {
    authenticate: (address, password, session) =>
      core.authenticate({ kind: 'password', address, password, ip: session.remoteAddress }),
    sender: (_mailFrom, session) => loginNeeded(session),
    async recipient(address, session): Promise<RecipientAnswer> {
      const refusal = loginNeeded(session)
      if (refusal) return { refusal }
      if (!address.includes('@')) return recipient(await options.verdict(options.postmaster))
      return recipient(await options.verdict(address))
    },
    message: (mail) => submit(options, log, mail),
  }
}

/** RFC 3207 4, RFC 4954 6: TLS first, then AUTH, then mail. */
function loginNeeded(session: SmtpSession): Reply | null {
  if (session.principal) return null
  if (!session.secure) return reply(530, '5.7.0', 'Must issue a STARTTLS command first')
  return reply(530, '5.7.0', 'Authentication required')
}

/** An author learns of a wrong local address at once; a mailbox that is full or suspended for now is the queue's to try again. */
function recipient(verdict: RecipientVerdict): RecipientAnswer {
  if (verdict.status === 'unknownUser') return { refusal: reply(550, '5.1.1', 'No such mailbox here') }
  return { account: verdict.status === 'accepted' ? verdict.account : null }
}

async function submit(
  { core, hostname, postmaster }: SubmissionOptions,
  log: Logger,
  mail: ReceivedMail,
): Promise<Reply> {
  const principal = mail.session.principal!
  const line = { by: `${hostname} (Posthouse)`, id: mail.id, at: mail.receivedAt, recipient: null }
  const bytes = completeMessage(mail.bytes, {
    trace: receivedSubmission(mail.session, mail.parameters, line),
    messageId: `<${mail.id}@${hostname}>`,
    now: mail.receivedAt,
  })
  const result = await core.submit(principal, {
    bytes,
    mailFrom: mail.mailFrom,
    recipients: mail.recipients.map(({ address, parameters }) => ({
      address: address.includes('@') ? address : postmaster,
      parameters,
    })),
    parameters: mail.parameters,
  })
  log.info({ mail: mail.id, user: principal.username, status: result.status }, 'a message was submitted')
  return submitReply(result)
}

function submitReply(result: SubmitResult): Reply {
  if (result.status === 'queued') return reply(250, '2.0.0', `Queued as ${result.submissionId}`)
  const text = result.description
  switch (result.reason) {
    case 'forbiddenFrom':
    case 'forbiddenToSend':
      return reply(550, '5.7.1', text)
    case 'tooManyRecipients':
      return reply(554, '5.5.3', text)
    case 'overQuota':
      return reply(452, '4.2.2', text)
    case 'rateLimit':
      return reply(452, '4.7.1', text)
    case 'invalidEmail':
      return reply(554, '5.6.0', text)
    case 'tooLarge':
      return reply(552, '5.3.4', text)
  }
}
