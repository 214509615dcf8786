/** A message as it was when it was accepted, where nothing of it can be read any more: its mailbox was deleted in that moment. */
import type { Sent } from '../../jmap/mail/submission/send.type.ts'
import type { EmailAddress } from '../schema/addresses.ts'
import type { Infer } from '../schema/schema.ts'
import type { Message } from '../shapes/message.ts'
import type { Outgoing } from './outgoing.ts'

/** @param made what the core has answered */
export function asAccepted(
  { id, threadId }: Pick<Sent, 'id' | 'threadId'>,
  { sender, to, cc, bcc, content, now }: Outgoing,
): Infer<typeof Message> {
  const scheduledAt = content.sendAt === null ? null : new Date(content.sendAt).toISOString()
  const status = scheduledAt === null ? 'queued' : 'scheduled'
  const acceptedAt = new Date(now).toISOString()
  const recipients = [...new Set([...to, ...cc, ...bcc].map(({ email }) => email))]
  return {
    object: 'message',
    id,
    mailbox_id: sender.mailbox.id,
    thread_id: threadId,
    subject: content.subject,
    from_address: sender.from.email,
    to_addresses: shown(to),
    cc_addresses: cc.length > 0 ? shown(cc) : null,
    bcc_addresses: bcc.length > 0 ? shown(bcc) : null,
    attachments: null,
    source: 'api',
    status,
    scheduled_at: scheduledAt,
    recipients: recipients.map((address) => ({ address, status, smtp_reply: null })),
    tags: content.tags,
    preview: '',
    text: content.text,
    html: content.html,
    created_at: acceptedAt,
    updated_at: acceptedAt,
  }
}

function shown(list: readonly EmailAddress[]) {
  return list.map(({ email, name }) => ({ address: email, name }))
}
