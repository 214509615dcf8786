/** A message whose copy in the mailbox is gone, as the record of its delivery tells it (api/decisions.md D29). */
import type { SentMessageObject } from '../calls/jmap-types.ts'
import type { Infer } from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { type Message, toDelivery, toMessageAddresses } from './message.ts'

export function toSentMessage(record: SentMessageObject): Infer<typeof Message> {
  const { email } = record
  return {
    object: 'message',
    id: record.id,
    mailbox_id: record.mailboxId,
    thread_id: record.threadId,
    subject: email?.subject ?? '',
    from_address: email?.from?.[0]?.email ?? '',
    to_addresses: toMessageAddresses(email?.to ?? null) ?? [],
    cc_addresses: toMessageAddresses(email?.cc ?? null),
    bcc_addresses: toMessageAddresses(email?.bcc ?? null),
    attachments: null,
    source: email?.source ?? 'api',
    ...toDelivery(record),
    preview: '',
    text: null,
    html: null,
    created_at: instant(email?.createdAt ?? record.submittedAt),
    updated_at: instant(record.updatedAt),
  }
}
