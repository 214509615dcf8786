/** Tables of the docs that are made from what the program itself goes by, so that they are true. */
import { PROBLEMS } from '../../../rest/problem.ts'
import { DEFAULT_RATES, type Tier } from '../../../rest/rate-tiers.ts'
import { SCOPES } from '../../../rest/scopes.ts'
import type { EventType } from '../../../storage/repos/events.ts'
import { htmlText } from './html.ts'

export function errorsTable(): string {
  const rows = Object.entries(PROBLEMS).map(([code, { status, type, message }]) => [
    String(status),
    codeCell(type),
    codeCell(code),
    htmlText(message),
  ])
  return table(['Status', 'Type', 'Code', 'Meaning'], rows)
}

export function scopesTable(): string {
  const rows = Object.entries(SCOPES).map(([scope, meaning]) => [codeCell(scope), htmlText(meaning)])
  return table(['Scope', 'Allows'], rows)
}

const TIERS: { readonly [T in Tier]: string } = {
  read: 'What only reads',
  write: 'What changes something',
  send: 'Messages and replies',
  verification: 'DNS records and checks of one domain',
}

export function ratesTable(): string {
  const rows = Object.entries(TIERS).map(([tier, meaning]) => [
    codeCell(tier),
    meaning,
    DEFAULT_RATES[tier as Tier].toLocaleString('en'),
  ])
  return table(['Tier', 'Operations', 'Requests a minute'], rows)
}

/** The contract's section Events: what each tells, and the members of its data. */
const EVENTS: { readonly [T in EventType]: readonly [meaning: string, data: string] } = {
  'message.received': ['Mail arrived at a mailbox.', 'message_id, mailbox_id, from, to[], subject'],
  'message.sent': ['A message was taken by a recipient’s server.', 'message_id, mailbox_id, to[], subject'],
  'message.delivered': ['It was delivered to one recipient.', 'message_id, mailbox_id, to'],
  'message.bounced': ['It will not reach one recipient.', 'message_id, mailbox_id, to, bounce_type'],
  'message.complained': ['A recipient marked it as spam.', 'message_id, mailbox_id, to'],
  'mailbox.rule_matched': [
    'An inbox rule with the action send_webhook matched a message.',
    'mailbox_id, mailbox_address, rule_id, rule_name, action_index, matched_at, message',
  ],
  'domain.verified': ['All DNS records of a domain are right.', 'domain_id, verified_at'],
  'domain.verification_failed': ['A check of a domain did not pass.', 'domain_id, records, checked_at'],
  'domain.degraded': ['A record of a verified domain has gone wrong.', 'domain_id, records, checked_at'],
  'org.reputation_warning': ['Bounces or complaints are elevated.', 'previous_status, new_status'],
  'org.sending_throttled': ['Sending is slowed down.', 'previous_status, new_status'],
  'org.sending_suspended': ['Sending is paused.', 'previous_status, new_status'],
  'org.reputation_recovered': ['Sending is not held back any more.', 'previous_status, new_status'],
}

export function eventsTable(): string {
  const rows = Object.entries(EVENTS).map(([type, [meaning, data]]) => [codeCell(type), meaning, codeCell(data)])
  return table(['event_type', 'Meaning', 'data'], rows)
}

function codeCell(text: string): string {
  return `<code>${htmlText(text)}</code>`
}

/** @param rows HTML */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  const body = rows.map((row) => line('td', row)).join('\n')
  return `<div class="table"><table><thead>${line('th', head)}</thead><tbody>\n${body}\n</tbody></table></div>`
}
