/**
 * SentMessage (vendor): messages that an organization's mailboxes have sent, the newest first, with their delivery, under the ids of
 * the emails. A record stays when the email is deleted; `email` then describes it (decision D29).
 */
import { SERVICE } from '../../type/capabilities.ts'
import { declareMethod } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'
import { Email } from '../email/email.type.ts'
import type { SentRecord } from './sent-record.ts'

const { deliveryStatus, recipients, scheduledAt, updatedAt, tags } = Email.properties

const SentMessage = p.object({
  /** Of the email. */
  id: p.id(),
  mailboxId: p.id(),
  threadId: p.id(),
  submissionId: p.id(),
  submittedAt: p.utcDate(),
  isDeleted: p.bool(),
  email: p.json<SentRecord | null>(),
  deliveryStatus,
  recipients,
  scheduledAt,
  updatedAt,
  tags,
})
export type SentMessage = (typeof SentMessage)['is']['type']

/** Position in the list: messages are ordered by the time and the id of their submission. */
const SentMessagePlace = p.object({ submittedAt: p.utcDate(), submissionId: p.id() })
export type SentMessagePlace = (typeof SentMessagePlace)['is']['type']

const METHOD = { capability: SERVICE, accounts: 'organization', scope: Email.scopes.read, writes: false } as const

export const SentMessageQuery = declareMethod({
  ...METHOD,
  name: 'SentMessage/query',
  args: {
    filter: p
      .object({
        mailboxId: p.id().maybe(),
        status: p.oneOf(['scheduled', 'cancelled']).maybe(),
        tag: p.object({ name: p.string(), value: p.string() }).maybe(),
        // Without regard to case.
        recipient: p.string().maybe(),
        // Of that time or later, and before that time.
        createdAfter: p.utcDate().maybe(),
        createdBefore: p.utcDate().maybe(),
        after: SentMessagePlace.maybe(),
      })
      .nullable()
      .defaults(null),
    limit: p.uint().nullable().defaults(null),
  },
  answer: { ids: p.ids() },
})

export const SentMessageGet = declareMethod({
  ...METHOD,
  name: 'SentMessage/get',
  args: { ids: p.list(p.string()) },
  answer: { list: p.list(SentMessage), notFound: p.list(p.string()) },
})
