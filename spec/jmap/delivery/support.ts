/** Helpers for tests of delivery. */
import type { InboundMessage } from '../../../jmap/delivery/inbound-message.ts'
import type { InboxRule, RuleAction, RuleCondition } from '../../../jmap/mail/inbox-rules/rule.ts'
import type { QueuedSubmission } from '../../../jmap/mail/submission/queue-description.ts'
import { eventsOf, type StoredEvent } from '../../../storage/repos/events.ts'
import type { Result, TestCore, TestMailbox } from '../../support/core.ts'
import { octets } from '../mails.ts'

const FOR_GOOD = 1e12

/** Removes and returns all messages of the outgoing queue. */
export function outgoing({ core }: TestCore): Promise<QueuedSubmission[]> {
  return core.claimSubmissions('test', 100, FOR_GOOD)
}

/** Header and body of an outgoing message. */
export function textOf({ bytes }: QueuedSubmission): { header: string; body: string } {
  const text = Buffer.from(bytes).toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  return { header: text.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' '), body: text.slice(end + 4) }
}

export async function deliver(
  { core }: TestCore,
  to: readonly TestMailbox[],
  text: string,
  more: Partial<InboundMessage> = {},
): Promise<Result[]> {
  const recipients = to.map(({ account, address }) => ({ account, address }))
  const message = { bytes: octets(text), recipients, receivedAt: Date.UTC(2026, 0, 1), mailFrom: 'bob@example.org' }
  return (await core.ingest([{ ...message, ...more }]))[0]!
}

/** The properties of an email that show its delivery, with the roles of its mailboxes. */
export async function placeOf(box: TestMailbox, id: string): Promise<Result> {
  const properties = ['mailboxIds', 'keywords', 'deliveryTrace', 'spamVerdict', 'authentication']
  const [email] = (await box.call('Email/get', { ids: [id], properties })).list
  const roles = Object.entries(box.roles)
    .filter(([, mailbox]) => email.mailboxIds[mailbox])
    .map(([role]) => role)
  const words = email.deliveryTrace.map(({ by, text }: { by: string; text: string }) => `${by}: ${text}`)
  return { ...email, roles, words }
}

export function eventsIn({ store, organization }: TestCore): Promise<StoredEvent[]> {
  return store.read((reader) => eventsOf(reader, organization.account))
}

let made = 0

export function rule(
  conditions: readonly RuleCondition[],
  actions: readonly RuleAction[],
  more: Partial<InboxRule> = {},
): InboxRule {
  const id = `00000000-0000-4000-8000-${String(made++).padStart(12, '0')}`
  return { id, name: 'Rule', isEnabled: true, matchMode: 'all', stop: false, conditions, actions, ...more }
}

export async function setRules(box: TestMailbox, rules: readonly InboxRule[]): Promise<Result> {
  return box.call('InboxRules/set', { update: { singleton: { rules: rules as never } } })
}
