/** The JMAP types that REST uses. Their objects derive from the declarations. */

import { BookingPage } from '../../jmap/bookings/booking-page.type.ts'
import { Calendar } from '../../jmap/calendars/calendar/calendar.type.ts'
import { ConferencingConnection } from '../../jmap/calendars/conferencing/connection.type.ts'
import { CalendarEvent } from '../../jmap/calendars/event/calendar-event.type.ts'
import { CalendarFeed } from '../../jmap/calendars/feed/calendar-feed.type.ts'
import { ParticipantIdentity } from '../../jmap/calendars/participant-identity/participant-identity.type.ts'
import { Alias } from '../../jmap/directory/alias.type.ts'
import { ApiKey } from '../../jmap/directory/api-key.type.ts'
import { Import } from '../../jmap/imports/import.type.ts'
import { ImportFile } from '../../jmap/imports/import-file.type.ts'
import { Email } from '../../jmap/mail/email/email.type.ts'
import { Identity } from '../../jmap/mail/identity/identity.type.ts'
import { InboxRules } from '../../jmap/mail/inbox-rules/inbox-rules.type.ts'
import { MailAccount } from '../../jmap/mail/mail-account/mail-account.type.ts'
import { Mailbox } from '../../jmap/mail/mailbox/mailbox.type.ts'
import { EmailSubmission } from '../../jmap/mail/submission/email-submission.type.ts'
import type { SentMessage } from '../../jmap/mail/submission/sent-message.type.ts'
import { Thread } from '../../jmap/mail/thread/thread.type.ts'
import { NewsletterAsset } from '../../jmap/newsletters/asset/newsletter-asset.type.ts'
import { Audience } from '../../jmap/newsletters/audience/audience.type.ts'
import { Newsletter } from '../../jmap/newsletters/newsletter/newsletter.type.ts'
import { NewsletterDomain } from '../../jmap/newsletters/newsletter/newsletter-domain.type.ts'
import { Subscriber } from '../../jmap/newsletters/subscriber/subscriber.type.ts'
import { Billing } from '../../jmap/policy/billing/billing.type.ts'
import { Domain } from '../../jmap/policy/domain/domain.type.ts'
import { Organization } from '../../jmap/policy/organization.type.ts'
import { Suppression } from '../../jmap/policy/suppression/suppression.type.ts'
import { CORE } from '../../jmap/type/capabilities.ts'
import type { ObjectOf } from '../../jmap/type/derived.ts'
import { Webhook } from '../../jmap/webhooks/webhook.type.ts'
import { WebhookDelivery } from '../../jmap/webhooks/webhook-delivery.type.ts'

export const TYPES = {
  Organization,
  Domain,
  MailAccount,
  Alias,
  ApiKey,
  Suppression,
  Billing,
  BookingPage,
  Audience,
  Subscriber,
  Newsletter,
  NewsletterDomain,
  NewsletterAsset,
  Webhook,
  WebhookDelivery,
  Mailbox,
  Thread,
  Email,
  Identity,
  EmailSubmission,
  InboxRules,
  Import,
  ImportFile,
  Calendar,
  CalendarEvent,
  ConferencingConnection,
  CalendarFeed,
  ParticipantIdentity,
}

export type TypeName = keyof typeof TYPES
export type TypeOf<T extends TypeName> = (typeof TYPES)[T]
export type JmapObjects = { readonly [T in TypeName]: ObjectOf<TypeOf<T>> & { readonly id: string } }

/** All capabilities of these types and of their extensions: what the scope of an endpoint allows is checked before. */
export const USING: readonly string[] = [
  CORE.urn,
  ...new Set(
    Object.values(TYPES).flatMap(({ capability, properties }) => [
      capability.urn,
      ...Object.values(properties).flatMap((property) => property.capability ?? []),
    ]),
  ),
]

export type DomainObject = JmapObjects['Domain']
export type DnsRecordSetObject = DomainObject['dnsRecords']
export type MailAccountObject = JmapObjects['MailAccount']
export type AliasObject = JmapObjects['Alias']
export type ApiKeyObject = JmapObjects['ApiKey']
export type SuppressionObject = JmapObjects['Suppression']
export type SubscriberObject = JmapObjects['Subscriber']
export type WebhookObject = JmapObjects['Webhook']
export type WebhookDeliveryObject = JmapObjects['WebhookDelivery']
export type MailboxObject = JmapObjects['Mailbox']
export type ThreadObject = JmapObjects['Thread']
export type EmailObject = JmapObjects['Email']
export type AddressObject = NonNullable<EmailObject['from']>[number]
export type BodyPartObject = EmailObject['attachments'][number]
export type BodyValueObject = EmailObject['bodyValues'][string]
export type AuthenticationObject = NonNullable<EmailObject['authentication']>
export type SpamVerdictObject = NonNullable<EmailObject['spamVerdict']>
export type TraceNoteObject = EmailObject['deliveryTrace'][number]
export type SentMessageObject = SentMessage
export type IdentityObject = JmapObjects['Identity']
export type InboxRulesObject = JmapObjects['InboxRules']
export type EmailSubmissionObject = JmapObjects['EmailSubmission']
