/** What webhooks tell of a message that came in, in the names of the contract (spec/contract.tsv, Events; decision D24). */
import type { EmailAddress } from '../message/addresses.ts'
import type { ParsedMessage } from '../message/structure.ts'
import type { WebhookMatch } from './plan.ts'

export interface Seen {
  readonly id: string
  readonly threadId: string
  readonly mailboxId: string
  readonly address: string
  /** Epoch ms. */
  readonly receivedAt: number
  readonly mailFrom: string
}

export function receivedEvent({ id, mailboxId, mailFrom }: Seen, { from, to, subject }: ParsedMessage) {
  return {
    message_id: id,
    mailbox_id: mailboxId,
    from: from?.[0]?.email ?? mailFrom,
    to: (to ?? []).map(({ email }) => email),
    subject: subject ?? '',
  }
}

/** @param now epoch ms */
export function matchedEvent(seen: Seen, parsed: ParsedMessage, { rule, actionIndex }: WebhookMatch, now: number) {
  return {
    mailbox_id: seen.mailboxId,
    mailbox_address: seen.address,
    rule_id: rule.id,
    rule_name: rule.name,
    action_index: actionIndex,
    matched_at: new Date(now).toISOString(),
    message: {
      id: seen.id,
      thread_id: seen.threadId,
      subject: parsed.subject ?? '',
      from: people(parsed.from),
      to: people(parsed.to),
      received_at: new Date(seen.receivedAt).toISOString(),
      has_attachment: parsed.structure.hasAttachment,
      size: parsed.structure.size,
    },
  }
}

function people(addresses: readonly EmailAddress[] | null) {
  return (addresses ?? []).map(({ name, email }) => ({ name, email }))
}
