/** Handlers of message submission: an authenticated user's message goes to the core, which judges the sender and queues it. */

import type { RecipientVerdict } from '../../jmap/delivery/ingest.ts'
import type { SubmitResult } from '../../jmap/mail/submission/submit.ts'
import type { Core } from '../../jmap/services.ts'
import { freeMemory } from '../../server/base/free-memory.ts'
import type { Logger } from '../../server/base/logger.ts'
import { type Reply, reply } from '../smtp/reply.ts'
import type { ReceivedMessage, RecipientAnswer, SmtpHandlers, SmtpSession } from '../smtp/session.ts'
import { receivedSubmission } from '../smtp/trace-fields.ts'
import { completeMessage } from './complete-message.ts'

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
      core.authenticate({ kind: 'password', address, password, ip: session.remoteAddress, device: session.helo }),
    sender: (_mailFrom, session) => loginNeeded(session),
    async recipient(address, session): Promise<RecipientAnswer> {
      const refusal = loginNeeded(session)
      if (refusal) return { refusal }
      return recipientAnswer(await options.verdict(address.includes('@') ? address : options.postmaster))
    },
    message: (message) => submit(options, log, message),
  }
}

/** RFC 3207 4, RFC 4954 6: TLS first, then AUTH, then mail. */
function loginNeeded(session: SmtpSession): Reply | null {
  if (session.principal) return null
  if (!session.secure) return reply(530, '5.7.0', 'Must issue a STARTTLS command first')
  return reply(530, '5.7.0', 'Authentication required')
}

/** An unknown local address is refused at once; for a mailbox that is full or suspended, the queue tries again. */
function recipientAnswer(verdict: RecipientVerdict): RecipientAnswer {
  if (verdict.status === 'unknownUser') return { refusal: reply(550, '5.1.1', 'No such mailbox here') }
  return { account: verdict.status === 'accepted' ? verdict.account : null }
}

async function submit(
  { core, hostname, postmaster }: SubmissionOptions,
  log: Logger,
  message: ReceivedMessage,
): Promise<Reply> {
  const principal = message.session.principal!
  const received = { by: `${hostname} (Posthouse)`, id: message.id, at: message.receivedAt, recipient: null }
  const bytes = await completeMessage(message.bytes, {
    trace: receivedSubmission(message.session, message.parameters, received),
    messageId: `<${message.id}@${hostname}>`,
    now: message.receivedAt,
  })
  freeMemory(message.bytes)
  const result = await core.submit(principal, {
    bytes,
    mailFrom: message.mailFrom,
    recipients: message.recipients.map(({ address, parameters }) => ({
      address: address.includes('@') ? address : postmaster,
      parameters,
    })),
    parameters: message.parameters,
  })
  log.info({ mail: message.id, user: principal.username, status: result.status }, 'a message was submitted')
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
