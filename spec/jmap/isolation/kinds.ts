/** Kinds of ids by name. */

import { BookingPage } from '../../../jmap/bookings/booking-page.type.ts'
import { Calendar } from '../../../jmap/calendars/calendar/calendar.type.ts'
import { ConferencingConnection } from '../../../jmap/calendars/conferencing/connection.type.ts'
import { CalendarEvent } from '../../../jmap/calendars/event/calendar-event.type.ts'
import { CalendarEventNotification } from '../../../jmap/calendars/event-notification/event-notification.type.ts'
import { CalendarFeed } from '../../../jmap/calendars/feed/calendar-feed.type.ts'
import { ParticipantIdentity } from '../../../jmap/calendars/participant-identity/participant-identity.type.ts'
import { Principal } from '../../../jmap/calendars/principal/principal.type.ts'
import { Alias } from '../../../jmap/directory/alias.type.ts'
import { ApiKey } from '../../../jmap/directory/api-key.type.ts'
import { Import } from '../../../jmap/imports/import.type.ts'
import { ImportFile } from '../../../jmap/imports/import-file.type.ts'
import { BLOB_ID } from '../../../jmap/mail/blob/blobs.ts'
import { Email } from '../../../jmap/mail/email/email.type.ts'
import { Identity } from '../../../jmap/mail/identity/identity.type.ts'
import { MailAccount } from '../../../jmap/mail/mail-account/mail-account.type.ts'
import { Mailbox } from '../../../jmap/mail/mailbox/mailbox.type.ts'
import { Quota } from '../../../jmap/mail/quota/quota.type.ts'
import { SieveScript } from '../../../jmap/mail/sieve-script/sieve-script.type.ts'
import { EmailSubmission } from '../../../jmap/mail/submission/email-submission.type.ts'
import { Thread } from '../../../jmap/mail/thread/thread.type.ts'
import { NewsletterAsset } from '../../../jmap/newsletters/asset/newsletter-asset.type.ts'
import { Audience } from '../../../jmap/newsletters/audience/audience.type.ts'
import { Newsletter } from '../../../jmap/newsletters/newsletter/newsletter.type.ts'
import { NewsletterDomain } from '../../../jmap/newsletters/newsletter/newsletter-domain.type.ts'
import { OptOut } from '../../../jmap/newsletters/opt-out/opt-out.type.ts'
import { Subscriber } from '../../../jmap/newsletters/subscriber/subscriber.type.ts'
import { Domain } from '../../../jmap/policy/domain/domain.type.ts'
import { Organization } from '../../../jmap/policy/organization.type.ts'
import { Suppression } from '../../../jmap/policy/suppression/suppression.type.ts'
import { PushSubscription } from '../../../jmap/push/subscription/push-subscription.type.ts'
import { EVENT_ID } from '../../../jmap/webhooks/envelope.ts'
import { Webhook } from '../../../jmap/webhooks/webhook.type.ts'
import { WebhookDelivery } from '../../../jmap/webhooks/webhook-delivery.type.ts'

export const KINDS = {
  Organization,
  Domain,
  MailAccount,
  Alias,
  ApiKey,
  Webhook,
  WebhookDelivery,
  Event: EVENT_ID,
  Email,
  Thread,
  Mailbox,
  Blob: BLOB_ID,
  Identity,
  EmailSubmission,
  PushSubscription,
  SieveScript,
  Suppression,
  BookingPage,
  Audience,
  Subscriber,
  OptOut,
  Newsletter,
  NewsletterDomain,
  NewsletterAsset,
  Quota,
  Import,
  ImportFile,
  Calendar,
  CalendarEvent,
  CalendarEventNotification,
  CalendarFeed,
  ParticipantIdentity,
  ConferencingConnection,
  Principal,
}

export type Kind = keyof typeof KINDS
