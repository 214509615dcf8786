/** Facts about ids in arguments that no declaration has: records to create, texts that are ids, values without ids. */
import type { JsonObject } from '../../../server/base/json.ts'
import type { Kind } from './kinds.ts'

/** One organization's view: its account, its principal, and an id of each kind. */
export interface Side {
  readonly accountId: string
  readonly otherAccountId: string
  readonly otherEmailId: string
  readonly otherEventId: string
  readonly organizationId: string
  readonly ids: { readonly [kind in Kind]?: string }
}

export interface Place {
  readonly method: string
  readonly where: string
  /** The kind of id for this place. */
  readonly kind: Kind
  /** Arguments beside accountId. */
  args(id: string, side: Side): JsonObject
  /** The argument that is a list of ids, for a result reference. */
  readonly list?: string
  /** The response does not distinguish its owner from others: another control is needed. */
  readonly isBlind?: true
  /** Another unknown id of the own account has a meaning here, such as a position. */
  readonly isPosition?: true
}

export type Make = (id: string, side: Side) => JsonObject

/** A record that can be created if all ids in it are right. */
export const CREATE: { readonly [type: string]: (side: Side) => JsonObject } = {
  Mailbox: () => ({ name: 'Made here' }),
  Email: ({ ids }) => ({ mailboxIds: { [ids.Mailbox!]: true }, subject: 'Made here' }),
  Identity: () => ({ name: 'Made here', email: 'nobody@example.test' }),
  EmailSubmission: ({ ids }) => ({ identityId: ids.Identity!, emailId: ids.Email!, envelope: HELD }),
  VacationResponse: () => ({ subject: 'Away' }),
  InboxRules: () => ({ rules: [] }),
  SieveScript: ({ ids }) => ({ name: 'Made here', blobId: ids.Blob! }),
  Organization: () => ({ name: 'Made here' }),
  Domain: () => ({ name: 'made-here.test' }),
  MailAccount: ({ ids }) => ({ localPart: 'made-here', domainId: ids.Domain! }),
  ApiKey: () => ({ name: 'Made here', scopes: ['messages:read'] }),
  Alias: ({ ids }) => ({ localPart: 'made-alias', domainId: ids.Domain!, mailboxId: ids.MailAccount! }),
  Suppression: () => ({ email: 'made-here@example.org' }),
  BookingPage: ({ ids }) => ({ name: 'Made here', mailboxId: ids.MailAccount! }),
  Audience: () => ({ name: 'Made here', consentSource: 'Form' }),
  Subscriber: () => ({}),
  OptOut: () => ({ email: 'made-out@example.org' }),
  Newsletter: () => ({ blocks: [{ type: 'divider' }] }),
  NewsletterAsset: () => ({ filename: 'made.png', blobIds: [] }),
  Reputation: () => ({}),
  Import: ({ ids }) => ({ sourceType: 'files', provider: 'generic', fileIds: [ids.ImportFile!] }),
  ImportFile: () => ({ fileName: 'made-here.mbox', size: 1 }),
  Webhook: () => ({ url: 'https://made-here.example.org/', events: ['message.received'] }),
  Calendar: () => ({ name: 'Made here' }),
  CalendarEvent: ({ ids }) => ({ calendarIds: { [ids.Calendar!]: true }, start: '2026-01-01T10:00:00' }),
  CalendarEventNotification: () => ({}),
  CalendarFeed: () => ({}),
  ParticipantIdentity: () => ({ calendarAddress: 'mailto:nobody@example.test' }),
  ConferencingConnection: () => ({ provider: 'zoom', account: 'a', clientId: 'b', clientSecret: 'c' }),
  PushSubscription: () => ({ deviceClientId: 'made', url: 'https://push.example.org/made', types: null }),
}

const A_DAY = { utcStart: '2026-01-01T00:00:00Z', utcEnd: '2026-01-02T00:00:00Z' }

/** A calendar without events. */
const NO_EVENTS = Buffer.from('BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n').toString('base64')

const HELD = {
  mailFrom: { email: 'a@example.test', parameters: { HOLDFOR: '600' } },
  rcptTo: [{ email: 'b@example.org' }],
}

/** Texts and objects that were checked and hold no ids, by type and by method. */
export const NO_IDS: { readonly [owner: string]: string } = {
  Mailbox: 'name role',
  Email: `keywords messageId inReplyTo references sender from to cc bcc replyTo subject bodyValues htmlBody
    allInThreadHaveKeyword someInThreadHaveKeyword noneInThreadHaveKeyword hasKeyword notKeyword text body attachmentName header`,
  Identity: 'name email replyTo bcc textSignature htmlSignature',
  EmailSubmission: 'envelope undoStatus tags',
  VacationResponse: 'subject textBody htmlBody',
  SieveScript: 'name',
  Quota: 'name scope resourceType type',
  Organization: 'name ownerEmail logoUrl accentColor legalName postalAddress',
  Domain: 'name status relayUrl dnsCredentials',
  MailAccount: 'localPart displayName timezone language password autoReply address sendsAs',
  ApiKey: 'name scopes allowedIps',
  Alias: 'localPart description address',
  Suppression: 'email reason',
  BookingPage: 'slug name description timezone conferencingProvider embedOrigins availabilityDays',
  Audience: 'name description consentSource',
  Subscriber: 'displayName mergeFields status email',
  OptOut: 'email',
  // Uploads to the organization, which a mailbox of another account has none of: spec/rest/newsletter-assets.test.ts.
  NewsletterAsset: 'filename path blobIds',
  Newsletter: 'name fromName fromAddress subject previewText blocks textOverride language status archiveVisibility',
  Import: 'email password host username range folders excludeFolders',
  ImportFile: 'fileName',
  Webhook: 'url description',
  WebhookDelivery: 'eventType',
  // Nothing can be shared, so that `shareWith` is refused whatever it names.
  Calendar: 'name description color defaultAlertsWithTime defaultAlertsWithoutTime timeZone shareWith',
  CalendarEvent: `utcStart utcEnd @type version uid relatedTo prodId created updated title description descriptionContentType locations
    mainLocationId virtualLocations locale keywords categories color recurrenceId recurrenceIdTimeZone recurrenceRule
    recurrenceOverrides freeBusyStatus privacy organizerCalendarAddress sentBy participants alerts timeZone start duration
    endTimeZone status conferencing iCalendar after before text location owner participant attendee`,
  CalendarEventNotification: 'type',
  ParticipantIdentity: 'name calendarAddress',
  ConferencingConnection: 'provider urlTemplate account clientId clientSecret',
  Principal: 'email name text type timeZone calendarAddress',
  // Arguments of the standard methods and of some types; `standard` makes the places that can hold ids.
  arguments: `properties bodyProperties ifInState ifFromInState destroyFromIfInState sort typeNames sinceState sinceQueryState
    destination after returning timeZone timezone eventProperties data:asBase64 keyword name contact returnUrl baseUrl`,
}

/** Places that no declaration shows. */
export const TEXT_FILTERS: { readonly [name: string]: Kind } = {
  'Domain.beforeId': 'Domain',
  'MailAccount.beforeId': 'MailAccount',
  'ApiKey.beforeId': 'ApiKey',
  'Alias.beforeId': 'Alias',
  'Suppression.beforeId': 'Suppression',
  'BookingPage.beforeId': 'BookingPage',
  'Audience.beforeId': 'Audience',
  'Subscriber.beforeId': 'Subscriber',
  'OptOut.beforeId': 'OptOut',
  'Newsletter.beforeId': 'Newsletter',
  'Import.beforeId': 'Import',
  'NewsletterAsset.beforeId': 'NewsletterAsset',
  'Webhook.beforeId': 'Webhook',
  'WebhookDelivery.beforeId': 'WebhookDelivery',
}
const PART = { type: 'text/plain' }
const NEW_EMAIL = { subject: 'Made here' }
const movingRule = (mailboxId: string): JsonObject => ({
  id: '00000000-0000-4000-8000-000000000000',
  name: 'Made here',
  isEnabled: true,
  matchMode: 'all',
  stop: false,
  conditions: [{ type: 'all_messages', value: true }],
  actions: [{ type: 'move', target: { kind: 'custom', mailboxId } }],
})
const newEmail =
  (more: (id: string) => JsonObject): Make =>
  (id, side) => ({ create: { c: { ...CREATE['Email']!(side), ...more(id) } } })

export const MORE: { readonly [method: string]: readonly (Omit<Place, 'method'> & { argument: string })[] } = {
  'Email/set': [
    {
      argument: 'create',
      where: 'attachments',
      kind: 'Blob',
      args: newEmail((blobId) => ({ attachments: [{ blobId, ...PART }] })),
    },
    {
      argument: 'create',
      where: 'textBody',
      kind: 'Blob',
      args: newEmail((blobId) => ({ textBody: [{ blobId, ...PART }] })),
    },
    {
      argument: 'create',
      where: 'htmlBody',
      kind: 'Blob',
      args: newEmail((blobId) => ({ htmlBody: [{ blobId, type: 'text/html' }] })),
    },
    {
      argument: 'create',
      where: 'bodyStructure',
      kind: 'Blob',
      args: newEmail((blobId) => ({ bodyStructure: { blobId, ...PART } })),
    },
  ],
  'Domain/applyDns': [{ argument: 'id', where: 'id', kind: 'Domain', args: (id) => ({ id }) }],
  'Domain/rotateDkim': [{ argument: 'ids', where: 'ids', kind: 'Domain', args: (id) => ({ ids: [id] }) }],
  'Domain/verify': [{ argument: 'ids', where: 'ids', kind: 'Domain', args: (id) => ({ ids: [id] }) }],
  'EmailSubmission/set': [
    {
      argument: 'onSuccessUpdateEmail',
      where: 'key',
      kind: 'EmailSubmission',
      args: (id) => ({ update: { [id]: {} }, onSuccessUpdateEmail: { [id]: { 'keywords/told': true } } }),
    },
    {
      argument: 'onSuccessDestroyEmail',
      where: 'key',
      kind: 'EmailSubmission',
      args: (id) => ({ update: { [id]: {} }, onSuccessDestroyEmail: [id] }),
    },
  ],
  'InboxRules/set': [
    {
      argument: 'update',
      where: 'rules',
      kind: 'Mailbox',
      args: (mailboxId) => ({ update: { singleton: { rules: [movingRule(mailboxId)] } } }),
    },
  ],
  'InboxRules/test': [
    { argument: 'emailId', where: 'id', kind: 'Email', args: (emailId) => ({ emailId, rules: [] }) },
    {
      argument: 'rules',
      where: 'rules',
      kind: 'Mailbox',
      args: (mailboxId, { ids }) => ({ emailId: ids.Email!, rules: [movingRule(mailboxId)] }),
    },
  ],
  'Import/cancel': [{ argument: 'importId', where: 'id', kind: 'Import', args: (importId) => ({ importId }) }],
  'Import/undo': [{ argument: 'importId', where: 'id', kind: 'Import', args: (importId) => ({ importId }) }],
  'Calendar/set': [
    {
      argument: 'onSuccessSetIsDefault',
      where: 'id',
      kind: 'Calendar',
      args: (id) => ({ onSuccessSetIsDefault: id }),
    },
  ],
  'ParticipantIdentity/set': [
    {
      argument: 'onSuccessSetIsDefault',
      where: 'id',
      kind: 'ParticipantIdentity',
      args: (id) => ({ onSuccessSetIsDefault: id }),
    },
  ],
  'CalendarEvent/set': [
    {
      argument: 'create',
      where: 'links',
      kind: 'Blob',
      args: (blobId, side) => ({ create: { c: { ...CREATE['CalendarEvent']!(side), links: { f: { blobId } } } } }),
    },
  ],
  'CalendarEvent/parse': [
    { argument: 'blobIds', where: 'list', kind: 'Blob', args: (id) => ({ blobIds: [id] }), list: 'blobIds' },
  ],
  'CalendarEvent/export': [
    { argument: 'calendarId', where: 'id', kind: 'Calendar', args: (calendarId) => ({ calendarId }) },
  ],
  'CalendarEvent/import': [
    { argument: 'blobId', where: 'id', kind: 'Blob', args: (blobId) => ({ blobId }) },
    {
      argument: 'calendarId',
      where: 'id',
      kind: 'Calendar',
      args: (calendarId) => ({ calendarId, 'data:asBase64': NO_EVENTS }),
    },
  ],
  'Principal/getAvailability': [{ argument: 'id', where: 'id', kind: 'Principal', args: (id) => ({ id, ...A_DAY }) }],
  'SieveScript/set': [
    {
      argument: 'onSuccessActivateScript',
      where: 'id',
      kind: 'SieveScript',
      args: (id) => ({ onSuccessActivateScript: id }),
    },
  ],
  'SieveScript/validate': [{ argument: 'blobId', where: 'id', kind: 'Blob', args: (blobId) => ({ blobId }) }],
  'Webhook/rotateSecret': [
    { argument: 'webhookId', where: 'id', kind: 'Webhook', args: (webhookId) => ({ webhookId }) },
  ],
  'Webhook/test': [{ argument: 'webhookId', where: 'id', kind: 'Webhook', args: (webhookId) => ({ webhookId }) }],
  'Subscriber/add': [
    {
      argument: 'audienceId',
      where: 'id',
      kind: 'Audience',
      args: (audienceId) => ({ audienceId, subscribers: [{ email: 'made-here@example.org' }] }),
    },
    {
      argument: 'subscribers',
      where: 'email',
      kind: 'Subscriber',
      args: (id, { ids }) => ({ audienceId: ids.Audience!, subscribers: [{ email: id }] }),
      isBlind: true,
    },
  ],
  'Subscriber/unsubscribe': [
    { argument: 'subscriberId', where: 'id', kind: 'Subscriber', args: (subscriberId) => ({ subscriberId }) },
  ],
  'Newsletter/preflight': [
    { argument: 'newsletterId', where: 'id', kind: 'Newsletter', args: (newsletterId) => ({ newsletterId }) },
  ],
  'Newsletter/preview': [
    { argument: 'newsletterId', where: 'id', kind: 'Newsletter', args: (newsletterId) => ({ newsletterId }) },
  ],
  'Newsletter/duplicate': [
    { argument: 'newsletterId', where: 'id', kind: 'Newsletter', args: (newsletterId) => ({ newsletterId }) },
  ],
  'Newsletter/schedule': [
    {
      argument: 'newsletterId',
      where: 'id',
      kind: 'Newsletter',
      args: (newsletterId) => ({ newsletterId, scheduledAt: '2100-01-01T00:00:00Z' }),
    },
  ],
  'Newsletter/cancel': [
    { argument: 'newsletterId', where: 'id', kind: 'Newsletter', args: (newsletterId) => ({ newsletterId }) },
  ],
  'Newsletter/resume': [
    { argument: 'newsletterId', where: 'id', kind: 'Newsletter', args: (newsletterId) => ({ newsletterId }) },
  ],
  'Newsletter/testSend': [
    {
      argument: 'newsletterId',
      where: 'id',
      kind: 'Newsletter',
      args: (newsletterId) => ({ newsletterId, email: 'a@example.org' }),
    },
    {
      argument: 'email',
      where: 'email',
      kind: 'MailAccount',
      args: (email, { ids }) => ({ newsletterId: ids.Newsletter!, email }),
      isBlind: true,
    },
  ],
  'Newsletter/recipients': [
    { argument: 'newsletterId', where: 'id', kind: 'Newsletter', args: (newsletterId) => ({ newsletterId }) },
  ],
  'WebhookDelivery/replay': [
    {
      argument: 'webhookId',
      where: 'id',
      kind: 'Webhook',
      args: (webhookId, { ids }) => ({ webhookId, deliveryId: ids.WebhookDelivery! }),
    },
    {
      argument: 'deliveryId',
      where: 'id',
      kind: 'WebhookDelivery',
      args: (deliveryId, { ids }) => ({ deliveryId, webhookId: ids.Webhook! }),
    },
  ],
  'Email/import': [
    {
      argument: 'emails',
      where: 'blobId',
      kind: 'Blob',
      args: (blobId, { ids }) => ({ emails: { c: { blobId, mailboxIds: { [ids.Mailbox!]: true } } } }),
    },
    {
      argument: 'emails',
      where: 'mailboxIds',
      kind: 'Mailbox',
      args: (id, { ids }) => ({ emails: { c: { blobId: ids.Blob!, mailboxIds: { [id]: true } } } }),
    },
  ],
  'Email/send': [
    {
      argument: 'create',
      where: 'identityId',
      kind: 'Identity',
      args: (identityId) => ({ create: { c: { email: NEW_EMAIL, identityId, envelope: HELD } } }),
    },
    {
      argument: 'create',
      where: 'email.mailboxIds',
      kind: 'Mailbox',
      args: (id) => ({ create: { c: { email: { ...NEW_EMAIL, mailboxIds: { [id]: true } }, envelope: HELD } } }),
    },
    {
      argument: 'create',
      where: 'email.attachments',
      kind: 'Blob',
      args: (blobId) => ({
        create: { c: { email: { ...NEW_EMAIL, attachments: [{ blobId, ...PART }] }, envelope: HELD } },
      }),
    },
  ],
  'SentMessage/query': [
    {
      argument: 'filter',
      where: 'mailboxId',
      kind: 'MailAccount',
      args: (mailboxId) => ({ filter: { mailboxId } }),
    },
    {
      argument: 'filter',
      where: 'after.submissionId',
      kind: 'EmailSubmission',
      args: (submissionId) => ({ filter: { after: { submittedAt: '2026-01-01T00:00:00Z', submissionId } } }),
      isPosition: true,
      isBlind: true,
    },
  ],
  'Event/list': [
    {
      argument: 'filter',
      where: 'olderThan.eventId',
      kind: 'WebhookDelivery',
      args: (id) => ({ filter: { olderThan: { createdAt: '2030-01-01T00:00:00Z', eventId: id } } }),
      isPosition: true,
      isBlind: true,
    },
  ],
  'SentMessage/get': [{ argument: 'ids', where: 'list', kind: 'Email', args: (id) => ({ ids: [id] }), list: 'ids' }],
  'Email/parse': [
    { argument: 'blobIds', where: 'list', kind: 'Blob', args: (id) => ({ blobIds: [id] }), list: 'blobIds' },
  ],
  'SearchSnippet/get': [
    {
      argument: 'emailIds',
      where: 'list',
      kind: 'Email',
      args: (id) => ({ filter: { subject: 'lunch' }, emailIds: [id] }),
      list: 'emailIds',
    },
    {
      argument: 'filter',
      where: 'inMailbox',
      kind: 'Mailbox',
      args: (id, { ids }) => ({ filter: { inMailbox: id, subject: 'lunch' }, emailIds: [ids.Email!] }),
      isBlind: true,
    },
  ],
  'Queue/list': [
    {
      argument: 'submissionId',
      where: 'id',
      kind: 'EmailSubmission',
      args: (submissionId) => ({ submissionId }),
      isBlind: true,
    },
  ],
  'Queue/change': [
    {
      argument: 'submissionIds',
      where: 'list',
      kind: 'EmailSubmission',
      args: (id) => ({ submissionIds: [id], action: 'hold' }),
      list: 'submissionIds',
    },
  ],
  'Thread/query': [
    {
      argument: 'filter',
      where: 'olderThan.id',
      kind: 'Thread',
      args: (id) => ({ filter: { olderThan: { latestAt: '2026-01-01T00:00:00Z', id } } }),
      isPosition: true,
      isBlind: true,
    },
  ],
  'Blob/copy': [
    {
      argument: 'fromAccountId',
      where: 'id',
      kind: 'MailAccount',
      args: (id) => ({ fromAccountId: id, blobIds: [] }),
    },
    {
      argument: 'blobIds',
      where: 'list',
      kind: 'Blob',
      args: (id, { accountId, otherAccountId }) => ({
        accountId: otherAccountId,
        fromAccountId: accountId,
        blobIds: [id],
      }),
      list: 'blobIds',
    },
  ],
  'Blob/upload': [
    {
      argument: 'create',
      where: 'data.blobId',
      kind: 'Blob',
      args: (blobId) => ({ create: { c: { data: [{ 'data:asText': 'x' }, { blobId }] } } }),
    },
  ],
  'Blob/get': [{ argument: 'ids', where: 'list', kind: 'Blob', args: (id) => ({ ids: [id] }), list: 'ids' }],
  'Blob/lookup': [
    {
      argument: 'ids',
      where: 'list',
      kind: 'Blob',
      args: (id) => ({ typeNames: ['Email', 'Thread', 'Mailbox'], ids: [id] }),
      list: 'ids',
    },
  ],
  'PushSubscription/get': [
    { argument: 'ids', where: 'list', kind: 'PushSubscription', args: (id) => ({ ids: [id] }), list: 'ids' },
  ],
  'PushSubscription/set': [
    { argument: 'create', where: 'none', kind: 'PushSubscription', args: () => ({ create: {} }), isBlind: true },
    { argument: 'update', where: 'key', kind: 'PushSubscription', args: (id) => ({ update: { [id]: {} } }) },
    {
      argument: 'destroy',
      where: 'list',
      kind: 'PushSubscription',
      args: (id) => ({ destroy: [id] }),
      list: 'destroy',
    },
  ],
}

/** The required arguments of a method beside the tested one. */
export function required(method: string, { otherAccountId, ids }: Side): JsonObject {
  const verb = method.slice(method.indexOf('/') + 1)
  if (verb === 'changes') return { sinceState: '0' }
  if (verb === 'queryChanges') return { sinceQueryState: '0' }
  if (method === 'Email/copy' || method === 'CalendarEvent/copy') return { fromAccountId: otherAccountId, create: {} }
  if (method === 'Availability/get') return { from: A_DAY.utcStart, to: A_DAY.utcEnd }
  if (method === 'Principal/getAvailability') return { id: ids.Principal!, ...A_DAY }
  if (method === 'Blob/copy') return { fromAccountId: otherAccountId, blobIds: [] }
  if (method === 'Email/import') return { emails: {} }
  if (method === 'Email/send') return { create: {} }
  if (method === 'SentMessage/get') return { ids: [] }
  if (method === 'Email/parse' || method === 'CalendarEvent/parse') return { blobIds: [] }
  if (method === 'CalendarEvent/import') return { 'data:asBase64': NO_EVENTS }
  if (method === 'SearchSnippet/get') return { emailIds: [] }
  if (method === 'InboxRules/test') return { emailId: ids.Email!, rules: [] }
  if (method === 'SieveScript/validate') return { blobId: ids.Blob! }
  if (method === 'Blob/upload') return { create: {} }
  if (method === 'Domain/applyDns') return { id: ids.Domain! }
  if (method === 'Domain/search') return { keyword: 'acme' }
  if (method === 'Domain/register') return { name: 'acme.com', contact: {} }
  if (method === 'Domain/verify' || method === 'Domain/rotateDkim') return { ids: [] }
  if (method === 'Newsletter/schedule') return { newsletterId: ids.Newsletter!, scheduledAt: '2100-01-01T00:00:00Z' }
  if (method === 'Newsletter/testSend') return { newsletterId: ids.Newsletter!, email: 'a@example.org' }
  if (/^Newsletter\/(?:pre|dup|cancel|resume|recipients)/.test(method)) return { newsletterId: ids.Newsletter! }
  if (method.startsWith('Webhook')) return webhookArguments(method, ids)
  if (method === 'Subscriber/add')
    return { audienceId: ids.Audience!, subscribers: [{ email: 'made-here@example.org' }] }
  if (method === 'Subscriber/unsubscribe') return { subscriberId: ids.Subscriber! }
  if (method === 'Import/cancel' || method === 'Import/undo') return { importId: ids.Import! }
  const pages = { returnUrl: 'https://app.example.com/', baseUrl: 'https://mail.example.com' }
  if (method === 'Billing/checkout') return { plan: 'pro', ...pages }
  if (method === 'Billing/portal') return pages
  if (method === 'Queue/change') return { submissionIds: [], action: 'hold' }
  if (method === 'Blob/get') return { ids: [] }
  return method === 'Blob/lookup' ? { typeNames: ['Email'], ids: [] } : {}
}

function webhookArguments(method: string, ids: Side['ids']): JsonObject {
  if (method === 'WebhookDelivery/replay') return { webhookId: ids.Webhook!, deliveryId: ids.WebhookDelivery! }
  return method === 'Webhook/rotateSecret' || method === 'Webhook/test' ? { webhookId: ids.Webhook! } : {}
}
