import t from 'tap'
import { ENDPOINTS } from '../../rest/endpoints.ts'

/** The endpoints of the contract, in its order. */
const CONTRACT = `
GET /v1/status
POST /v1/domains
GET /v1/domains
GET /v1/domains/{domain_id}
PATCH /v1/domains/{domain_id}
DELETE /v1/domains/{domain_id}
GET /v1/domains/{domain_id}/dns-records
POST /v1/domains/{domain_id}/verification
POST /v1/domains/search
POST /v1/domains/register
POST /v1/mailboxes
GET /v1/mailboxes
GET /v1/mailboxes/{mailbox_id}
PATCH /v1/mailboxes/{mailbox_id}
DELETE /v1/mailboxes/{mailbox_id}
PATCH /v1/mailboxes/{mailbox_id}/password
PATCH /v1/mailboxes/{mailbox_id}/auto-reply
PATCH /v1/mailboxes/{mailbox_id}/spam-filter
GET /v1/mailboxes/{mailbox_id}/folders
POST /v1/mailboxes/{mailbox_id}/folders
PATCH /v1/mailboxes/{mailbox_id}/folders/{folder_id}
DELETE /v1/mailboxes/{mailbox_id}/folders/{folder_id}
GET /v1/mailboxes/{mailbox_id}/identities
GET /v1/mailboxes/{mailbox_id}/inbox/messages
PATCH /v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}
POST /v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}/move
DELETE /v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}
GET /v1/mailboxes/{mailbox_id}/inbox/threads/{thread_id}
GET /v1/mailboxes/{mailbox_id}/inbox/attachments
GET /v1/mailboxes/{mailbox_id}/rules
PUT /v1/mailboxes/{mailbox_id}/rules
POST /v1/mailboxes/{mailbox_id}/imports
POST /v1/mailboxes/{mailbox_id}/imports/files
GET /v1/mailboxes/{mailbox_id}/imports
GET /v1/mailboxes/{mailbox_id}/imports/{import_id}
POST /v1/mailboxes/{mailbox_id}/imports/{import_id}/cancel
POST /v1/mailboxes/{mailbox_id}/imports/{import_id}/undo
GET /v1/threads
GET /v1/threads/{thread_id}
POST /v1/threads/{thread_id}/reply
POST /v1/messages
POST /v1/audiences
GET /v1/audiences
GET /v1/audiences/{audience_id}
PATCH /v1/audiences/{audience_id}
DELETE /v1/audiences/{audience_id}
POST /v1/audiences/{audience_id}/subscribers
POST /v1/audiences/{audience_id}/subscribers/batch
GET /v1/audiences/{audience_id}/subscribers
GET /v1/audiences/{audience_id}/subscribers/{subscriber_id}
GET /v1/audiences/{audience_id}/subscribers/by-email/{email}
PATCH /v1/audiences/{audience_id}/subscribers/{subscriber_id}
POST /v1/audiences/{audience_id}/subscribers/{subscriber_id}/unsubscribe
DELETE /v1/audiences/{audience_id}/subscribers/{subscriber_id}
POST /v1/newsletters
GET /v1/newsletters
GET /v1/newsletters/{newsletter_id}
PATCH /v1/newsletters/{newsletter_id}
GET /v1/newsletter-domains
POST /v1/newsletters/{newsletter_id}/test-send
POST /v1/newsletters/{newsletter_id}/preflight
POST /v1/newsletters/{newsletter_id}/preview
POST /v1/newsletters/{newsletter_id}/schedule
POST /v1/newsletters/{newsletter_id}/cancel
POST /v1/newsletters/{newsletter_id}/resume
GET /v1/newsletter-assets
POST /v1/newsletter-assets
GET /v1/calendar/events
POST /v1/calendar/events
GET /v1/calendar/events/{event_id}
PATCH /v1/calendar/events/{event_id}
DELETE /v1/calendar/events/{event_id}
GET /v1/calendar/availability
GET /v1/booking-pages
GET /v1/booking-pages/{booking_page_id}
POST /v1/booking-pages
PATCH /v1/booking-pages/{booking_page_id}
DELETE /v1/booking-pages/{booking_page_id}
POST /v1/webhooks
GET /v1/webhooks
GET /v1/webhooks/{webhook_id}
PATCH /v1/webhooks/{webhook_id}
DELETE /v1/webhooks/{webhook_id}
POST /v1/webhooks/{webhook_id}/rotate-secret
POST /v1/webhooks/{webhook_id}/test
GET /v1/webhooks/{webhook_id}/deliveries
GET /v1/suppressions
DELETE /v1/suppressions/{email}
`

t.test('the 88 endpoints of the contract stand', async (t) => {
  const contract = linesOf(CONTRACT)
  t.equal(new Set(contract).size, 88)
  const standing = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`))
  t.same(
    contract.filter((line) => !standing.has(line)),
    [],
  )
})

function linesOf(text: string): string[] {
  return text.trim().split('\n')
}
