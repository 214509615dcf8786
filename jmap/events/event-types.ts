/** Types of events for webhooks (decision D24), in the order of the API's documentation. */
export const EVENT_TYPES = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.bounced',
  'message.complained',
  'mailbox.rule_matched',
  'booking.created',
  'booking.rescheduled',
  'booking.cancelled',
  'newsletter.scheduled',
  'newsletter.started',
  'newsletter.paused',
  'newsletter.sent',
  'newsletter.failed',
  'subscriber.unsubscribed',
  'subscriber.bounced',
  'subscriber.complained',
  'calendar.event_created',
  'calendar.event_updated',
  'calendar.event_deleted',
  'calendar.invitation_replied',
  'import.completed',
  'import.failed',
  'import.undone',
  'domain.verified',
  'domain.verification_failed',
  'domain.degraded',
  'domain.registered',
  'domain.registration_failed',
  'domain.renewed',
  'domain.renewal_failed',
  'org.reputation_warning',
  'org.sending_throttled',
  'org.sending_suspended',
  'org.reputation_recovered',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** Sent to one webhook only, when a user tests it. */
export const TEST_EVENT = 'webhook.test'
