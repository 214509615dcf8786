/** The events that webhooks receive (decision D24), each with its data, for the OpenAPI document and the docs. */
import { EVENT_TYPES, TEST_EVENT } from '../../jmap/events/event-types.ts'
import * as s from '../schema/schema.ts'
import { NewsletterStats } from '../shapes/newsletter.ts'

export const WEBHOOK_EVENT_TYPES = [...EVENT_TYPES, TEST_EVENT] as const
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number]

interface EventRow {
  readonly meaning: string
  readonly data: s.Schema<unknown>
}

const about = {
  message_id: s.id('msg_aaaaaaaaayaaaaaaaaaagbnm5hta'),
  mailbox_id: s.id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
}
const address = s.string({ examples: ['jane@example.org'] })
const addresses = s.array(address)
const subject = s.string({ examples: ['Your order'] })
const person = s.object({ name: s.nullable(s.string()), email: address })
const domain = { domain_id: s.id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq') }
const check = s.object({
  ...domain,
  records: s.object({
    mx: s.boolean(),
    spf: s.boolean(),
    dkim: s.boolean(),
    dmarc: s.boolean(),
    outbound: s.boolean(),
  }),
  checked_at: s.timestamp(),
})
const registered = s.object({
  ...domain,
  name: s.string({ examples: ['example.com'] }),
  expires_at: s.nullable(s.timestamp()),
  reason: s.nullable(s.string({ description: 'Why it failed.' })),
})
const level = s.oneOf(['healthy', 'warning', 'throttled', 'suspended'])
const levels = s.object({ previous_status: level, new_status: level })

const booking = s.object({
  booking_id: s.id('bkg_aaaaaaaaayaaaaaaaaaagbnm5hta'),
  booking_page_id: s.id('bkp_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  mailbox: s.string({ description: 'Address of the mailbox that is booked.', examples: ['ada@example.com'] }),
  start: s.timestamp(),
  end: s.timestamp(),
  name: s.string({ description: 'Of the invitee.', examples: ['Jane Doe'] }),
  email: address,
  previous_start: s.nullable(s.timestamp('Of a booking that was moved.')),
})

const subscriber = s.object({
  subscriber_id: s.id('sub_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  audience_id: s.id('aud_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  email_address: address,
  newsletter_id: s.nullable(s.string({ description: 'The newsletter that it is about, if it is about one.' })),
})

const importEnd = s.object({
  import_id: s.id('imp_aaaaaaaaayaaaaaaaaaaaif7mwq'),
  mailbox_id: about.mailbox_id,
  status: s.oneOf(['completed', 'failed', 'undone']),
  counters: s.object({
    total: s.integer(),
    processed: s.integer(),
    imported: s.integer(),
    duplicates: s.integer(),
    skipped: s.integer(),
    failed: s.integer(),
    undone: s.integer(),
    bytes_total: s.integer(),
    bytes_imported: s.integer(),
  }),
})

const newsletter = s.object({
  newsletter_id: s.id('nws_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  audience_id: s.nullable(s.string()),
  status: s.string({ examples: ['sending'] }),
  reason: s.nullable(s.string({ description: 'Why it was paused or has failed.' })),
  stats: NewsletterStats,
})

const aboutCalendarEvent = {
  calendar_event_id: s.id('cev_aaaaaaaaayaaaaaaaaaacwhgpxra', 'Of the whole event.'),
  mailbox: s.string({ description: "Address of the calendar's owner.", examples: ['ada@example.com'] }),
  uid: s.string({ examples: ['9d3a1c52-77aa-4c0e-8a5b-2f6d0e4b7c11'] }),
  title: s.nullable(s.string({ examples: ['Planning'] })),
  start: s.string({
    description: 'An instant in UTC; of an all-day event the date.',
    examples: ['2026-06-01T07:00:00.000Z'],
  }),
  end: s.string({ examples: ['2026-06-01T07:30:00.000Z'] }),
  recurrence_id: s.nullable(s.string({ description: 'Original local time of the instance that it is about.' })),
}
const calendarEvent = s.object(aboutCalendarEvent)

const matchedMessage = s.object({
  id: about.message_id,
  thread_id: s.id('thr_aaaaaaaaayaaaaaaaaaagcgjr7sa'),
  subject,
  from: s.array(person),
  to: s.array(person),
  received_at: s.timestamp(),
  has_attachment: s.boolean(),
  size: s.integer({ description: 'Octets of the whole message.' }),
})

export const WEBHOOK_EVENTS: { readonly [T in WebhookEventType]: EventRow } = {
  'message.received': {
    meaning: 'Mail arrived at a mailbox.',
    data: s.object({ ...about, from: address, to: addresses, subject }),
  },
  'message.sent': {
    meaning: 'The server of a recipient has accepted a message; reported once for all recipients.',
    data: s.object({ ...about, to: addresses, subject }),
  },
  'message.delivered': {
    meaning: 'A message was delivered to one recipient.',
    data: s.object({ ...about, to: address }),
  },
  'message.bounced': {
    meaning: 'A message cannot be delivered to one recipient.',
    data: s.object({
      ...about,
      to: address,
      bounce_type: s.constant('permanent'),
      smtp_code: s.nullable(s.integer({ description: 'Reason of the refusal, if known.' })),
      diagnostic: s.nullable(s.string({ description: 'Reply of the refusing server.' })),
    }),
  },
  'message.complained': {
    meaning: 'A recipient marked a message as spam.',
    data: s.object({ ...about, to: address }),
  },
  'mailbox.rule_matched': {
    meaning: 'An inbox rule with the action send_webhook matched a received message.',
    data: s.object({
      mailbox_id: about.mailbox_id,
      mailbox_address: s.string({ examples: ['support@example.com'] }),
      rule_id: s.string({ examples: ['5f0c1c6e-5d8a-4f0e-9a37-0d5b8f3c2a11'] }),
      rule_name: s.string({ examples: ['Invoices'] }),
      action_index: s.integer({ minimum: 0 }),
      matched_at: s.timestamp(),
      message: matchedMessage,
    }),
  },
  'booking.created': { meaning: 'Somebody booked a time on a booking page.', data: booking },
  'booking.rescheduled': { meaning: 'An invitee moved a booking.', data: booking },
  'booking.cancelled': { meaning: 'An invitee cancelled a booking.', data: booking },
  'newsletter.scheduled': { meaning: 'A newsletter will be sent at a time.', data: newsletter },
  'newsletter.started': { meaning: 'A newsletter is being sent.', data: newsletter },
  'newsletter.paused': { meaning: 'The sending of a newsletter was stopped, for a reason.', data: newsletter },
  'newsletter.sent': { meaning: 'All messages of a newsletter were delivered or refused.', data: newsletter },
  'newsletter.failed': { meaning: 'A newsletter cannot be sent any further.', data: newsletter },
  'subscriber.unsubscribed': {
    meaning: 'A subscriber wants no more newsletters of the organization; reported for each audience with the address.',
    data: subscriber,
  },
  'subscriber.bounced': {
    meaning: 'A newsletter to a subscriber bounced; nothing more is sent there.',
    data: subscriber,
  },
  'subscriber.complained': { meaning: 'A subscriber marked a newsletter as spam.', data: subscriber },
  'calendar.event_created': { meaning: 'An event was added to a calendar.', data: calendarEvent },
  'calendar.event_updated': { meaning: 'An event changed, or one instance of it.', data: calendarEvent },
  'calendar.event_deleted': { meaning: 'An event was deleted, or one instance of it.', data: calendarEvent },
  'calendar.invitation_replied': {
    meaning: 'An attendee answered an invitation by mail.',
    data: s.object({
      ...aboutCalendarEvent,
      attendee: address,
      status: s.oneOf(['accepted', 'declined', 'tentative', 'delegated']),
    }),
  },
  'import.completed': { meaning: 'An import has read its source to the end.', data: importEnd },
  'import.failed': { meaning: 'An import ended because its source cannot be used.', data: importEnd },
  'import.undone': { meaning: 'What an import created was deleted again.', data: importEnd },
  'domain.verified': {
    meaning: 'All DNS records of a domain are right.',
    data: s.object({ ...domain, verified_at: s.timestamp() }),
  },
  'domain.verification_failed': { meaning: 'A check of a domain failed.', data: check },
  'domain.degraded': { meaning: 'A record of a verified domain is wrong.', data: check },
  'domain.registered': { meaning: 'A domain that was bought here is registered.', data: registered },
  'domain.registration_failed': {
    meaning: 'A domain could not be registered; its payment is given back.',
    data: registered,
  },
  'domain.renewed': { meaning: 'A domain that was bought here is renewed.', data: registered },
  'domain.renewal_failed': {
    meaning:
      'A domain could not be renewed; it is tried again every day. Reported once for each expiry, and when it is given up.',
    data: registered,
  },
  'org.reputation_warning': { meaning: 'Bounces or complaints are elevated.', data: levels },
  'org.sending_throttled': { meaning: 'Sending is throttled.', data: levels },
  'org.sending_suspended': { meaning: 'Sending is suspended.', data: levels },
  'org.reputation_recovered': { meaning: 'Sending has no restriction any more.', data: levels },
  [TEST_EVENT]: {
    meaning: 'Test of a webhook; it cannot be subscribed to.',
    data: s.object({
      webhook_id: s.id('wh_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
      message: s.string({ examples: ['Test event'] }),
      triggered_at: s.timestamp(),
    }),
  },
}

/** The envelope of an event, with its data. */
export function eventSchema(type: WebhookEventType): s.Schema<unknown> {
  const name = type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())
  return s.named(
    `${name}Event`,
    s.object({
      event_id: s.string({
        description: 'The same for repeated deliveries of the event.',
        examples: ['evt_aaaaaaaaaeaaaaaaaaaaipjaxmoq'],
      }),
      event_type: s.constant(type),
      created_at: s.timestamp(),
      data: WEBHOOK_EVENTS[type].data,
    }),
  )
}
