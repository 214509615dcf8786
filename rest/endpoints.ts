/** All endpoints of the API, in the order of the OpenAPI document. */
import type { Endpoint } from './endpoint.ts'
import { aliasEndpoints } from './resources/aliases.ts'
import { apiKeyEndpoints } from './resources/api-keys.ts'
import { audienceCsvEndpoints } from './resources/audience-csv.ts'
import { audienceEndpoints } from './resources/audiences.ts'
import { availabilityEndpoints } from './resources/availability.ts'
import { billingEndpoints } from './resources/billing.ts'
import { bookingPageEndpoints } from './resources/booking-pages.ts'
import { listCalendarEvents } from './resources/calendar-event-list.ts'
import { calendarEventEndpoints } from './resources/calendar-events.ts'
import { calendarFeedEndpoints } from './resources/calendar-feeds.ts'
import { calendarFileEndpoints } from './resources/calendar-files.ts'
import { conferencingEndpoints } from './resources/conferencing.ts'
import { domainRecordEndpoints } from './resources/domain-records.ts'
import { domainRegistrationEndpoints } from './resources/domain-registration.ts'
import { domainEndpoints } from './resources/domains.ts'
import { eventEndpoints } from './resources/events.ts'
import { folderEndpoints } from './resources/folders.ts'
import { identityEndpoints } from './resources/identities.ts'
import { importEndpoints } from './resources/imports.ts'
import { inboxAttachmentEndpoints } from './resources/inbox-attachments.ts'
import { inboxListEndpoints } from './resources/inbox-list.ts'
import { inboxMessageEndpoints } from './resources/inbox-message.ts'
import { inboxThreadEndpoints } from './resources/inbox-thread.ts'
import { mailboxSettingsEndpoints } from './resources/mailbox-settings.ts'
import { mailboxEndpoints } from './resources/mailboxes.ts'
import { messageEndpoints } from './resources/messages.ts'
import { newsletterAssetEndpoints } from './resources/newsletter-assets.ts'
import { newsletterSendingEndpoints } from './resources/newsletter-sending.ts'
import { newsletterEndpoints } from './resources/newsletters.ts'
import { openApiEndpoint } from './resources/openapi.ts'
import { organizationEndpoints } from './resources/organization.ts'
import { ruleEndpoints } from './resources/rules.ts'
import { sendMessageEndpoints } from './resources/send-message.ts'
import { statusEndpoints } from './resources/status.ts'
import { subscriberEndpoints } from './resources/subscribers.ts'
import { suppressionEndpoints } from './resources/suppressions.ts'
import { threadEndpoints } from './resources/threads.ts'
import { usageEndpoints } from './resources/usage.ts'
import { webhookDeliveryEndpoints } from './resources/webhook-deliveries.ts'
import { webhookEndpoints } from './resources/webhooks.ts'

export const ENDPOINTS: readonly Endpoint[] = [
  ...statusEndpoints,
  ...domainEndpoints,
  ...domainRecordEndpoints,
  ...domainRegistrationEndpoints,
  ...mailboxEndpoints,
  ...mailboxSettingsEndpoints,
  ...folderEndpoints,
  ...identityEndpoints,
  ...importEndpoints,
  ...inboxListEndpoints,
  ...inboxMessageEndpoints,
  ...inboxThreadEndpoints,
  ...inboxAttachmentEndpoints,
  ...ruleEndpoints,
  ...sendMessageEndpoints,
  ...messageEndpoints,
  ...threadEndpoints,
  ...aliasEndpoints,
  listCalendarEvents,
  ...calendarEventEndpoints,
  ...calendarFileEndpoints,
  ...calendarFeedEndpoints,
  ...availabilityEndpoints,
  ...bookingPageEndpoints,
  ...conferencingEndpoints,
  ...audienceEndpoints,
  ...subscriberEndpoints,
  ...audienceCsvEndpoints,
  ...newsletterEndpoints,
  ...newsletterAssetEndpoints,
  ...newsletterSendingEndpoints,
  ...webhookEndpoints,
  ...webhookDeliveryEndpoints,
  ...eventEndpoints,
  ...suppressionEndpoints,
  ...apiKeyEndpoints,
  ...usageEndpoints,
  ...billingEndpoints,
  ...organizationEndpoints,
  openApiEndpoint(() => ENDPOINTS),
]
