/** What webhooks are told (the contract's section Events, api/decisions.md D24): each event with its data, as the description and the docs show it. */
import { type EVENT_TYPES, TEST_EVENT } from '../jmap/events/event-types.ts'
import {
  array,
  boolean,
  constant,
  integer,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  string,
  timestamp,
} from './schema.ts'
import { id } from './shapes/common.ts'

export type ToldEvent = (typeof EVENT_TYPES)[number] | typeof TEST_EVENT

interface EventRow {
  readonly meaning: string
  readonly data: Schema<unknown>
}

const about = { message_id: id('msg_aaaaaaaaayaaaaaaaaaagbnm5hta'), mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq') }
const address = string({ examples: ['jane@example.org'] })
const addresses = array(address)
const subject = string({ examples: ['Your order'] })
const person = object({ name: nullable(string()), email: address })
const domain = { domain_id: id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq') }
const check = object({
  ...domain,
  records: object({ mx: boolean(), spf: boolean(), dkim: boolean(), dmarc: boolean(), outbound: boolean() }),
  checked_at: timestamp(),
})
const level = oneOf(['healthy', 'warning', 'throttled', 'suspended'])
const levels = object({ previous_status: level, new_status: level })

const matchedMessage = object({
  id: about.message_id,
  thread_id: id('thr_aaaaaaaaayaaaaaaaaaagcgjr7sa'),
  subject,
  from: array(person),
  to: array(person),
  received_at: timestamp(),
  has_attachment: boolean(),
  size: integer({ description: 'Octets of the whole message.' }),
})

export const WEBHOOK_EVENTS: { readonly [T in ToldEvent]: EventRow } = {
  'message.received': {
    meaning: 'Mail arrived at a mailbox.',
    data: object({ ...about, from: address, to: addresses, subject }),
  },
  'message.sent': {
    meaning: 'The first server of a recipient has taken a message; told once for all recipients.',
    data: object({ ...about, to: addresses, subject }),
  },
  'message.delivered': {
    meaning: 'A message was delivered to one recipient.',
    data: object({ ...about, to: address }),
  },
  'message.bounced': {
    meaning: 'A message will not reach one recipient.',
    data: object({
      ...about,
      to: address,
      bounce_type: constant('permanent'),
      smtp_code: nullable(integer({ description: 'Of the refusal, where one is known.' })),
      diagnostic: nullable(string({ description: 'The words of the server that refused it.' })),
    }),
  },
  'message.complained': {
    meaning: 'A recipient marked a message as spam.',
    data: object({ ...about, to: address }),
  },
  'mailbox.rule_matched': {
    meaning: 'An inbox rule with the action send_webhook matched a message that came in.',
    data: object({
      mailbox_id: about.mailbox_id,
      mailbox_address: string({ examples: ['support@example.com'] }),
      rule_id: string({ examples: ['5f0c1c6e-5d8a-4f0e-9a37-0d5b8f3c2a11'] }),
      rule_name: string({ examples: ['Invoices'] }),
      action_index: integer({ minimum: 0 }),
      matched_at: timestamp(),
      message: matchedMessage,
    }),
  },
  'domain.verified': {
    meaning: 'All DNS records of a domain are right.',
    data: object({ ...domain, verified_at: timestamp() }),
  },
  'domain.verification_failed': { meaning: 'A check of a domain did not pass.', data: check },
  'domain.degraded': { meaning: 'A record of a verified domain has gone wrong.', data: check },
  'org.reputation_warning': { meaning: 'Bounces or complaints are elevated.', data: levels },
  'org.sending_throttled': { meaning: 'Sending is slowed down.', data: levels },
  'org.sending_suspended': { meaning: 'Sending is paused.', data: levels },
  'org.reputation_recovered': { meaning: 'Sending is not held back any more.', data: levels },
  [TEST_EVENT]: {
    meaning: 'Somebody tries a webhook; not to be subscribed to.',
    data: object({
      webhook_id: id('wh_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
      message: string({ examples: ['Test event'] }),
      triggered_at: timestamp(),
    }),
  },
}

/** The envelope of an event, with its data. */
export function eventSchema(type: ToldEvent): Schema<unknown> {
  const name = type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())
  return named(
    `${name}Event`,
    object({
      event_id: string({
        description: 'The same whenever the event is told again.',
        examples: ['evt_aaaaaaaaaeaaaaaaaaaaipjaxmoq'],
      }),
      event_type: constant(type),
      created_at: timestamp(),
      data: WEBHOOK_EVENTS[type].data,
    }),
  )
}
