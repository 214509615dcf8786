/** The data of webhook events about a received message, with the names of the contract (its section Events; decision D24). */
import type { EmailAddress } from '../message/addresses.ts'
import type { ParsedMessage } from '../message/structure.ts'
import type { WebhookMatch } from './plan.ts'

export interface ReceivedEmail {
  readonly id: string
  readonly threadId: string
  readonly mailboxId: string
  readonly address: string
  /** Epoch ms. */
  readonly receivedAt: number
  readonly mailFrom: string
}

export function receivedEvent({ id, mailboxId, mailFrom }: ReceivedEmail, { from, to, subject }: ParsedMessage) {
  return {
    message_id: id,
    mailbox_id: mailboxId,
    from: from?.[0]?.email ?? mailFrom,
    to: (to ?? []).map(({ email }) => email),
    subject: subject ?? '',
  }
}

/** @param now epoch ms */
export function matchedEvent(
  email: ReceivedEmail,
  parsed: ParsedMessage,
  { rule, actionIndex }: WebhookMatch,
  now: number,
) {
  return {
    mailbox_id: email.mailboxId,
    mailbox_address: email.address,
    rule_id: rule.id,
    rule_name: rule.name,
    action_index: actionIndex,
    matched_at: new Date(now).toISOString(),
    message: {
      id: email.id,
      thread_id: email.threadId,
      subject: parsed.subject ?? '',
      from: people(parsed.from),
      to: people(parsed.to),
      received_at: new Date(email.receivedAt).toISOString(),
      has_attachment: parsed.structure.hasAttachment,
      size: parsed.structure.size,
    },
  }
}

function people(addresses: readonly EmailAddress[] | null) {
  return (addresses ?? []).map(({ name, email }) => ({ name, email }))
}
