/** The outgoing queue of an organization: vendor methods for operators. */
import { QUEUE_LIST_MAX } from '../../../server/base/outbound-limits.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { declareMethod, refused } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'

/** Mail that waits for one destination, and why. */
const QueueEntry = p.object({
  submissionId: p.id(),
  mailAccountId: p.id(),
  mailFrom: p.string(),
  queuedAt: p.utcDate(),
  destination: p.string(),
  attempts: p.uint(),
  /** null: no attempt until an administrator releases it, or the suspension ends. */
  nextAttemptAt: p.utcDate().nullable(),
  state: p.oneOf(['held', 'sending', 'suspended', 'deferred', 'scheduled', 'queued']),
  /** Why, in words. */
  reason: p.string(),
  recipients: p.list(
    p.object({
      email: p.string(),
      smtpReply: p.string().nullable(),
      host: p.string().nullable(),
      triedAt: p.utcDate().nullable(),
    }),
  ),
})
export type QueueEntry = (typeof QueueEntry)['is']['type']

/** An organization's mail that has not been sent yet, and why it waits. */
export const QueueList = declareMethod({
  name: 'Queue/list',
  capability: SERVICE,
  accounts: 'organization',
  scope: 'organization:read',
  writes: false,
  args: {
    /** Id of an EmailSubmission. */
    submissionId: p.string().nullable().defaults(null),
    destination: p.string().nullable().defaults(null),
    isHeld: p.bool().nullable().defaults(null),
    /** `next` of the previous page. */
    after: p.string({ maxLength: 400 }).nullable().defaults(null),
    limit: p.uint({ minimum: 1, maximum: QUEUE_LIST_MAX }).defaults(QUEUE_LIST_MAX),
  },
  answer: { list: p.list(QueueEntry), next: p.string().nullable() },
})

const QueueAction = p.oneOf(['hold', 'release', 'retry', 'delete'])
export type QueueAction = (typeof QueueAction)['is']['type']

/** Holds, releases, retries or deletes messages in the outgoing queue. */
export const QueueChange = declareMethod({
  name: 'Queue/change',
  capability: SERVICE,
  accounts: 'organization',
  scope: 'organization:write',
  writes: true,
  args: {
    submissionIds: p.list(p.string()),
    /** null: all destinations of each submission. */
    destination: p.string().nullable().defaults(null),
    action: QueueAction,
  },
  answer: { changed: p.list(p.string()).nullable(), notChanged: refused() },
})
