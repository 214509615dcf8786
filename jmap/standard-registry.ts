/** The types of this server: one line each. Everything else of a type follows from its declaration (type/define-type.ts). */

import { billingHandlers } from './billing/billing.handlers.ts'
import { checkoutMethod, portalMethod } from './billing/links.ts'
import { BOOKING_ID } from './bookings/booking.ts'
import { bookingPageHandlers } from './bookings/booking-page.handlers.ts'
import { BookingPage } from './bookings/booking-page.type.ts'
import { availabilityMethod } from './calendars/availability/availability.ts'
import { calendarHandlers } from './calendars/calendar/calendar.handlers.ts'
import { Calendar } from './calendars/calendar/calendar.type.ts'
import { PRINCIPALS_OWNER } from './calendars/capability.ts'
import { connectionHandlers } from './calendars/conferencing/connection.handlers.ts'
import { ConferencingConnection } from './calendars/conferencing/connection.type.ts'
import { calendarEventHandlers } from './calendars/event/calendar-event.handlers.ts'
import { CalendarEvent } from './calendars/event/calendar-event.type.ts'
import { parseEventsMethod } from './calendars/event/parse.ts'
import { eventNotificationHandlers } from './calendars/event-notification/event-notification.handlers.ts'
import { CalendarEventNotification } from './calendars/event-notification/event-notification.type.ts'
import { exportMethod } from './calendars/exchange/export.ts'
import { importEventsMethod } from './calendars/exchange/import.ts'
import { calendarFeedHandlers } from './calendars/feed/calendar-feed.handlers.ts'
import { CalendarFeed } from './calendars/feed/calendar-feed.type.ts'
import { participantIdentityHandlers } from './calendars/participant-identity/participant-identity.handlers.ts'
import { ParticipantIdentity } from './calendars/participant-identity/participant-identity.type.ts'
import { getAvailabilityMethod } from './calendars/principal/get-availability.ts'
import { principalHandlers } from './calendars/principal/principal.handlers.ts'
import { Principal } from './calendars/principal/principal.type.ts'
import { testRulesMethod } from './delivery/test-inbox-rules.ts'
import { aliasHandlers } from './directory/alias.handlers.ts'
import { Alias } from './directory/alias.type.ts'
import { apiKeyHandlers } from './directory/api-key.handlers.ts'
import { ApiKey } from './directory/api-key.type.ts'
import { domainHandlers } from './directory/domain.handlers.ts'
import { mailAccountHandlers } from './directory/mail-account.handlers.ts'
import { organizationHandlers } from './directory/organization.handlers.ts'
import { usageMethod } from './directory/usage.ts'
import { cancelImportMethod, undoImportMethod } from './imports/cancel-undo.ts'
import { importHandlers } from './imports/import.handlers.ts'
import { Import } from './imports/import.type.ts'
import { importFileHandlers } from './imports/import-file.handlers.ts'
import { ImportFile } from './imports/import-file.type.ts'
import { BLOB_ID } from './mail/blob/blobs.ts'
import { blobCopyMethod } from './mail/blob/copy.ts'
import { blobGetMethod } from './mail/blob/get.ts'
import { blobLookupMethod } from './mail/blob/lookup.ts'
import { blobUploadMethod } from './mail/blob/upload.ts'
import { emailHandlers } from './mail/email/email.handlers.ts'
import { Email } from './mail/email/email.type.ts'
import { importMethod } from './mail/email/import.ts'
import { parseMethod } from './mail/email/parse.ts'
import { identityHandlers } from './mail/identity/identity.handlers.ts'
import { Identity } from './mail/identity/identity.type.ts'
import { inboxRulesHandlers } from './mail/inbox-rules/inbox-rules.handlers.ts'
import { InboxRules } from './mail/inbox-rules/inbox-rules.type.ts'
import { MailAccount } from './mail/mail-account/mail-account.type.ts'
import { mailboxHandlers } from './mail/mailbox/mailbox.handlers.ts'
import { Mailbox } from './mail/mailbox/mailbox.type.ts'
import { queueChangeMethod } from './mail/queue/change.ts'
import { queueListMethod } from './mail/queue/list.ts'
import { quotaHandlers } from './mail/quota/quota.handlers.ts'
import { Quota } from './mail/quota/quota.type.ts'
import { searchSnippetMethod } from './mail/search-snippet/get.ts'
import { sieveScriptHandlers } from './mail/sieve-script/sieve-script.handlers.ts'
import { SieveScript } from './mail/sieve-script/sieve-script.type.ts'
import { validateMethod } from './mail/sieve-script/validate.ts'
import { emailSubmissionHandlers } from './mail/submission/email-submission.handlers.ts'
import { EmailSubmission } from './mail/submission/email-submission.type.ts'
import { sendMethod } from './mail/submission/send.ts'
import { sentMessageGet, sentMessageQuery } from './mail/submission/sent-messages.ts'
import { threadHandlers, threadQuery } from './mail/thread/thread.handlers.ts'
import { Thread } from './mail/thread/thread.type.ts'
import { vacationResponseHandlers } from './mail/vacation/vacation-response.handlers.ts'
import { VacationResponse } from './mail/vacation/vacation-response.type.ts'
import { newsletterAssetHandlers } from './newsletters/asset/newsletter-asset.handlers.ts'
import { NewsletterAsset } from './newsletters/asset/newsletter-asset.type.ts'
import { audienceHandlers } from './newsletters/audience/audience.handlers.ts'
import { Audience } from './newsletters/audience/audience.type.ts'
import { duplicateMethod } from './newsletters/newsletter/duplicate.ts'
import { newsletterHandlers } from './newsletters/newsletter/newsletter.handlers.ts'
import { Newsletter } from './newsletters/newsletter/newsletter.type.ts'
import { newsletterDomainHandlers } from './newsletters/newsletter/newsletter-domain.handlers.ts'
import { NewsletterDomain } from './newsletters/newsletter/newsletter-domain.type.ts'
import { preflightMethod } from './newsletters/newsletter/preflight.ts'
import { previewMethod } from './newsletters/newsletter/preview.ts'
import { optOutHandlers } from './newsletters/opt-out/opt-out.handlers.ts'
import { OptOut } from './newsletters/opt-out/opt-out.type.ts'
import { recipientsMethod } from './newsletters/sending/recipients.ts'
import { cancelMethod, resumeMethod, scheduleMethod } from './newsletters/sending/schedule.ts'
import { testSendMethod } from './newsletters/sending/test-send.ts'
import { addSubscribersMethod } from './newsletters/subscriber/add.ts'
import { subscriberHandlers } from './newsletters/subscriber/subscriber.handlers.ts'
import { Subscriber } from './newsletters/subscriber/subscriber.type.ts'
import { unsubscribeMethod } from './newsletters/subscriber/unsubscribe.ts'
import { Billing } from './policy/billing/billing.type.ts'
import { applyDnsMethod } from './policy/dns/apply.ts'
import { DKIM_KEY } from './policy/domain/dkim-store.ts'
import { Domain } from './policy/domain/domain.type.ts'
import { rotateMethod } from './policy/domain/rotate.ts'
import { verifyMethod } from './policy/domain/verify.ts'
import { Organization } from './policy/organization.type.ts'
import { registerMethod } from './policy/registration/register.ts'
import { searchMethod } from './policy/registration/search.ts'
import { reputationHandlers } from './policy/reputation/reputation.handlers.ts'
import { Reputation } from './policy/reputation/reputation.type.ts'
import { suppressionHandlers } from './policy/suppression/suppression.handlers.ts'
import { Suppression } from './policy/suppression/suppression.type.ts'
import { pushSubscriptionMethods } from './push/subscription/methods.ts'
import { PushSubscription } from './push/subscription/push-subscription.type.ts'
import { CORE, WEBPUSH_VAPID, WEBSOCKET } from './type/capabilities.ts'
import { echoMethod } from './type/echo.ts'
import { createRegistry, type Registration, type Registry, registration } from './type/registry.ts'
import { EVENT_ID } from './webhooks/envelope.ts'
import { listEventsMethod } from './webhooks/list-events.ts'
import { replayMethod, rotateSecretMethod, testWebhookMethod } from './webhooks/methods.ts'
import { webhookHandlers } from './webhooks/webhook.handlers.ts'
import { Webhook } from './webhooks/webhook.type.ts'
import { webhookDeliveryHandlers } from './webhooks/webhook-delivery.handlers.ts'
import { WebhookDelivery } from './webhooks/webhook-delivery.type.ts'

const REGISTRATIONS: readonly Registration[] = [
  { methods: [echoMethod], capabilities: [CORE, WEBSOCKET, WEBPUSH_VAPID] },
  { methods: [blobCopyMethod, blobGetMethod, blobLookupMethod, blobUploadMethod], ids: [BLOB_ID] },
  registration(Mailbox, mailboxHandlers),
  registration(Thread, threadHandlers, threadQuery),
  registration(Email, emailHandlers, importMethod, parseMethod, searchSnippetMethod),
  registration(Identity, identityHandlers),
  registration(EmailSubmission, emailSubmissionHandlers, sendMethod),
  registration(VacationResponse, vacationResponseHandlers),
  registration(InboxRules, inboxRulesHandlers, testRulesMethod),
  registration(SieveScript, sieveScriptHandlers, validateMethod),
  registration(Quota, quotaHandlers),
  registration(Import, importHandlers, cancelImportMethod, undoImportMethod),
  registration(ImportFile, importFileHandlers),
  registration(Calendar, calendarHandlers),
  registration(CalendarEvent, calendarEventHandlers, parseEventsMethod, exportMethod, importEventsMethod),
  registration(CalendarFeed, calendarFeedHandlers),
  registration(ParticipantIdentity, participantIdentityHandlers),
  registration(CalendarEventNotification, eventNotificationHandlers),
  registration(ConferencingConnection, connectionHandlers),
  registration(Principal, principalHandlers, getAvailabilityMethod),
  { capabilities: [PRINCIPALS_OWNER] },
  registration(Organization, organizationHandlers, usageMethod, queueListMethod, queueChangeMethod),
  registration(Domain, domainHandlers, rotateMethod, verifyMethod, searchMethod, registerMethod, applyDnsMethod),
  { hiddenTypes: [DKIM_KEY] },
  registration(MailAccount, mailAccountHandlers, sentMessageQuery, sentMessageGet),
  registration(Alias, aliasHandlers),
  registration(ApiKey, apiKeyHandlers),
  registration(BookingPage, bookingPageHandlers),
  { methods: [availabilityMethod], ids: [BOOKING_ID] },
  registration(Suppression, suppressionHandlers),
  registration(Reputation, reputationHandlers),
  registration(Billing, billingHandlers, checkoutMethod, portalMethod),
  registration(Audience, audienceHandlers),
  registration(Subscriber, subscriberHandlers, addSubscribersMethod, unsubscribeMethod),
  registration(OptOut, optOutHandlers),
  registration(
    Newsletter,
    newsletterHandlers,
    preflightMethod,
    previewMethod,
    duplicateMethod,
    scheduleMethod,
    cancelMethod,
    resumeMethod,
    testSendMethod,
    recipientsMethod,
  ),
  registration(NewsletterDomain, newsletterDomainHandlers),
  registration(NewsletterAsset, newsletterAssetHandlers),
  registration(Webhook, webhookHandlers, rotateSecretMethod, testWebhookMethod, listEventsMethod),
  registration(WebhookDelivery, webhookDeliveryHandlers, replayMethod),
  { methods: pushSubscriptionMethods, ids: [PushSubscription, EVENT_ID] },
]

export function createStandardRegistry(more: readonly Registration[] = []): Registry {
  return createRegistry([...REGISTRATIONS, ...more])
}
