import t from 'tap'
import { OTHER_SCOPES } from '../../jmap/directory/api-key.handlers.ts'
import { SCOPES } from '../../jmap/directory/scopes.ts'
import { createStandardRegistry } from '../../jmap/standard-registry.ts'
import { ENDPOINTS } from '../../rest/endpoints.ts'

/** Every route of the API with its scope and tier: a new, moved or less restricted route shows here. */
const ROUTES = `
GET /v1/status | - | -
POST /v1/domains | domains:write | write
GET /v1/domains | domains:read | read
GET /v1/domains/{domain_id} | domains:read | read
PATCH /v1/domains/{domain_id} | domains:write | write
DELETE /v1/domains/{domain_id} | domains:write | write
GET /v1/domains/{domain_id}/dns-records | domains:read | verification
POST /v1/domains/{domain_id}/verification | domains:read | verification
POST /v1/domains/search | domains:read | read
POST /v1/domains/register | domains:write | write
POST /v1/domains/{domain_id}/dns-records/apply | domains:write | write
POST /v1/mailboxes | mailboxes:write | write
GET /v1/mailboxes | mailboxes:read | read
GET /v1/mailboxes/{mailbox_id} | mailboxes:read | read
PATCH /v1/mailboxes/{mailbox_id} | mailboxes:write | write
DELETE /v1/mailboxes/{mailbox_id} | mailboxes:write | write
PATCH /v1/mailboxes/{mailbox_id}/password | mailboxes:write | write
PATCH /v1/mailboxes/{mailbox_id}/auto-reply | mailboxes:write | write
PATCH /v1/mailboxes/{mailbox_id}/spam-filter | mailboxes:write | write
GET /v1/mailboxes/{mailbox_id}/folders | mailboxes:read | read
POST /v1/mailboxes/{mailbox_id}/folders | mailboxes:write | write
GET /v1/mailboxes/{mailbox_id}/folders/{folder_id} | mailboxes:read | read
PATCH /v1/mailboxes/{mailbox_id}/folders/{folder_id} | mailboxes:write | write
DELETE /v1/mailboxes/{mailbox_id}/folders/{folder_id} | mailboxes:write | write
GET /v1/mailboxes/{mailbox_id}/identities | mailboxes:read | read
POST /v1/mailboxes/{mailbox_id}/imports | mailboxes:write | write
POST /v1/mailboxes/{mailbox_id}/imports/files | mailboxes:write | write
GET /v1/mailboxes/{mailbox_id}/imports | mailboxes:read | read
GET /v1/mailboxes/{mailbox_id}/imports/{import_id} | mailboxes:read | read
POST /v1/mailboxes/{mailbox_id}/imports/{import_id}/cancel | mailboxes:write | write
POST /v1/mailboxes/{mailbox_id}/imports/{import_id}/undo | mailboxes:write | write
GET /v1/mailboxes/{mailbox_id}/inbox/messages | messages:read | read
GET /v1/mailboxes/{mailbox_id}/inbox/messages/{message_id} | messages:read | read
GET /v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}/raw | messages:read | read
PATCH /v1/mailboxes/{mailbox_id}/inbox/messages/{message_id} | messages:write | write
POST /v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}/move | messages:write | write
DELETE /v1/mailboxes/{mailbox_id}/inbox/messages/{message_id} | messages:write | write
GET /v1/mailboxes/{mailbox_id}/inbox/threads/{thread_id} | messages:read | read
GET /v1/mailboxes/{mailbox_id}/inbox/attachments | messages:read | read
GET /v1/mailboxes/{mailbox_id}/rules | mailboxes:read | read
PUT /v1/mailboxes/{mailbox_id}/rules | mailboxes:write | write
POST /v1/mailboxes/{mailbox_id}/rules/test | messages:read | write
POST /v1/messages | messages:write | send
POST /v1/messages/batch | messages:write | send
GET /v1/messages | messages:read | read
GET /v1/messages/{message_id} | messages:read | read
POST /v1/messages/{message_id}/cancel | messages:write | write
GET /v1/threads | threads:read | read
GET /v1/threads/{thread_id} | threads:read | read
POST /v1/threads/{thread_id}/reply | messages:write | send
POST /v1/aliases | mailboxes:write | write
GET /v1/aliases | mailboxes:read | read
GET /v1/aliases/{alias_id} | mailboxes:read | read
PATCH /v1/aliases/{alias_id} | mailboxes:write | write
DELETE /v1/aliases/{alias_id} | mailboxes:write | write
GET /v1/calendar/events | calendar:read | read
POST /v1/calendar/events | calendar:write | write
GET /v1/calendar/events/{event_id} | calendar:read | read
PATCH /v1/calendar/events/{event_id} | calendar:write | write
DELETE /v1/calendar/events/{event_id} | calendar:write | write
POST /v1/calendar/events/{event_id}/respond | calendar:write | write
GET /v1/calendar/ics | calendar:read | read
POST /v1/calendar/ics | calendar:write | write
POST /v1/calendar/feeds | calendar:write | write
GET /v1/calendar/feeds | calendar:read | read
GET /v1/calendar/feeds/{feed_id} | calendar:read | read
DELETE /v1/calendar/feeds/{feed_id} | calendar:write | write
GET /v1/calendar/availability | calendar:read | read
POST /v1/booking-pages | booking_pages:write | write
GET /v1/booking-pages | booking_pages:read | read
GET /v1/booking-pages/{booking_page_id} | booking_pages:read | read
PATCH /v1/booking-pages/{booking_page_id} | booking_pages:write | write
DELETE /v1/booking-pages/{booking_page_id} | booking_pages:write | write
GET /v1/mailboxes/{mailbox_id}/conferencing | calendar:read | read
PUT /v1/mailboxes/{mailbox_id}/conferencing/jitsi | calendar:write | write
PUT /v1/mailboxes/{mailbox_id}/conferencing/zoom | calendar:write | write
DELETE /v1/mailboxes/{mailbox_id}/conferencing/{provider} | calendar:write | write
POST /v1/audiences | audiences:write | write
GET /v1/audiences | audiences:read | read
GET /v1/audiences/{audience_id} | audiences:read | read
PATCH /v1/audiences/{audience_id} | audiences:write | write
DELETE /v1/audiences/{audience_id} | audiences:write | write
POST /v1/audiences/{audience_id}/subscribers | audiences:write | write
POST /v1/audiences/{audience_id}/subscribers/batch | audiences:write | write
GET /v1/audiences/{audience_id}/subscribers | audiences:read | read
GET /v1/audiences/{audience_id}/subscribers/by-email/{email} | audiences:read | read
GET /v1/audiences/{audience_id}/subscribers/{subscriber_id} | audiences:read | read
PATCH /v1/audiences/{audience_id}/subscribers/{subscriber_id} | audiences:write | write
POST /v1/audiences/{audience_id}/subscribers/{subscriber_id}/unsubscribe | audiences:write | write
DELETE /v1/audiences/{audience_id}/subscribers/{subscriber_id} | audiences:write | write
GET /v1/audiences/{audience_id}/export | audiences:read | read
POST /v1/audiences/{audience_id}/import | audiences:write | write
POST /v1/newsletters | newsletters:write | write
GET /v1/newsletters | newsletters:read | read
GET /v1/newsletters/{newsletter_id} | newsletters:read | read
PATCH /v1/newsletters/{newsletter_id} | newsletters:write | write
DELETE /v1/newsletters/{newsletter_id} | newsletters:write | write
POST /v1/newsletters/{newsletter_id}/duplicate | newsletters:write | write
POST /v1/newsletters/{newsletter_id}/preflight | newsletters:read | write
POST /v1/newsletters/{newsletter_id}/preview | newsletters:read | write
GET /v1/newsletter-domains | newsletters:read | read
GET /v1/newsletter-assets | newsletters:read | read
POST /v1/newsletter-assets | newsletters:write | write
GET /v1/newsletter-assets/{asset_id} | newsletters:read | read
DELETE /v1/newsletter-assets/{asset_id} | newsletters:write | write
POST /v1/newsletters/{newsletter_id}/schedule | newsletters:write | write
POST /v1/newsletters/{newsletter_id}/cancel | newsletters:write | write
POST /v1/newsletters/{newsletter_id}/resume | newsletters:write | write
POST /v1/newsletters/{newsletter_id}/test-send | newsletters:write | write
GET /v1/newsletters/{newsletter_id}/recipients | newsletters:read | read
POST /v1/webhooks | webhooks:write | write
GET /v1/webhooks | webhooks:read | read
GET /v1/webhooks/{webhook_id} | webhooks:read | read
PATCH /v1/webhooks/{webhook_id} | webhooks:write | write
DELETE /v1/webhooks/{webhook_id} | webhooks:write | write
POST /v1/webhooks/{webhook_id}/rotate-secret | webhooks:write | write
POST /v1/webhooks/{webhook_id}/test | webhooks:write | write
GET /v1/webhooks/{webhook_id}/deliveries | webhooks:read | read
GET /v1/webhooks/{webhook_id}/deliveries/{delivery_id} | webhooks:read | read
POST /v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay | webhooks:write | write
GET /v1/events | webhooks:read | read
GET /v1/suppressions | suppressions:read | read
POST /v1/suppressions | suppressions:write | write
GET /v1/suppressions/{email} | suppressions:read | read
DELETE /v1/suppressions/{email} | suppressions:write | write
POST /v1/api-keys | api_keys:write | write
GET /v1/api-keys | api_keys:read | read
GET /v1/api-keys/{key_id} | api_keys:read | read
PATCH /v1/api-keys/{key_id} | api_keys:write | write
DELETE /v1/api-keys/{key_id} | api_keys:write | write
GET /v1/usage | usage:read | read
GET /v1/billing | billing:read | read
POST /v1/billing/checkout | billing:write | write
POST /v1/billing/portal | billing:write | write
GET /v1/organization | organization:read | read
PATCH /v1/organization | organization:write | write
GET /v1/openapi.json | - | -
`

t.test('the table of routes with their scopes and tiers', async (t) => {
  const routes = ENDPOINTS.map(({ method, path, scope, tier }) => {
    return `${method} ${path} | ${scope ?? '-'} | ${tier ?? '-'}`
  })
  t.same(routes, ROUTES.trim().split('\n'))
})

t.test('only public endpoints have no rate limit', async (t) => {
  for (const { operationId, scope, tier } of ENDPOINTS) t.equal(tier === null, scope === null, operationId)
})

// Decision D3
t.test('reads and writes have their tiers, except sending and DNS checks', async (t) => {
  const others = ['getDnsRecords', 'verifyDomain', 'sendMessage', 'sendBatch', 'replyToThread', 'searchDomains']
  for (const { operationId, method, tier, scope } of ENDPOINTS) {
    if (scope === null || others.includes(operationId)) continue
    t.equal(tier, method === 'GET' ? 'read' : 'write', operationId)
  }
  const tierOf = (name: string) => ENDPOINTS.find(({ operationId }) => operationId === name)?.tier
  t.same(others.map(tierOf), ['verification', 'verification', 'send', 'send', 'send', 'read'])
})

// spec/contract.tsv, Authentication; decision D6.
t.test('the scopes are those that a key may have, and reading needs no write scope', async (t) => {
  t.same(Object.keys(SCOPES).sort(), [...createStandardRegistry().scopes, ...OTHER_SCOPES].sort())
  const CHECKS_ONLY = ['verifyDomain', 'searchDomains', 'testRules', 'preflightNewsletter', 'previewNewsletter']
  for (const { operationId, method, scope } of ENDPOINTS) {
    if (scope === null || CHECKS_ONLY.includes(operationId)) continue
    t.ok(scope.endsWith(method === 'GET' ? ':read' : ':write'), operationId)
  }
})

t.test('the endpoints that answer with a file', async (t) => {
  const files = ENDPOINTS.filter(({ streams }) => streams).map(({ operationId }) => operationId)
  t.same(files, ['downloadRawMessage', 'downloadAttachment', 'exportCalendar', 'exportAudience'])
})
