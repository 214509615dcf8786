import type { JsonObject } from '../../../server/base/json.ts'
import { SERVICE } from '../../type/capabilities.ts'
import type { NewOf } from '../../type/derived.ts'
import { declareMethod, type GivenMembers, refused } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'
import { Email } from '../email/email.type.ts'
import { EmailSubmission } from './email-submission.type.ts'

/** One message to send. `email` is as for Email/set, `envelope` and `tags` as for EmailSubmission/set. */
export const Sending = {
  email: p.json<Partial<NewOf<typeof Email>>, JsonObject>({ type: 'object' }),
  identityId: p.id().nullable().defaults(null),
  envelope: EmailSubmission.properties.envelope,
  tags: EmailSubmission.properties.tags,
  // false: no copy stays in the mailbox.
  saveToSent: p.bool().defaults(true),
}

/** Ids of an email and its submission, and the email's properties that the client does not know. */
const Sent = p.object({ id: p.id(), submissionId: p.id(), blobId: p.id(), threadId: p.id(), size: p.uint() })
export type Sent = (typeof Sent)['is']['type']

/**
 * Creates a message and queues it in one unit of work, so that a refused message leaves nothing. Without `mailboxIds` the email is in
 * Sent, marked as read. The identity is that of the address in From; From gets its name if it has none.
 */
export const EmailSend = declareMethod({
  name: 'Email/send',
  capability: SERVICE,
  accounts: 'mailbox',
  scope: Email.scopes.write,
  writes: true,
  args: { create: p.creations(p.json<GivenMembers<typeof Sending>, JsonObject>({ type: 'object' })) },
  answer: { created: p.map(Sent).nullable(), notCreated: refused() },
})
