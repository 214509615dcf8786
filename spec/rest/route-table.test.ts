import t from 'tap'
import { SCOPES } from '../../jmap/service/scopes.ts'
import { createStandardRegistry } from '../../jmap/standard-registry.ts'
import { ENDPOINTS } from '../../rest/endpoints.ts'

/** Every route of the API: what is added, moved or loosened shows here. */
const ROUTES = `
GET /v1/status | - | -
POST /v1/domains | domains:write | write
GET /v1/domains | domains:read | read
GET /v1/domains/{domain_id} | domains:read | read
PATCH /v1/domains/{domain_id} | domains:write | write
DELETE /v1/domains/{domain_id} | domains:write | write
GET /v1/domains/{domain_id}/dns-records | domains:read | verification
POST /v1/domains/{domain_id}/verification | domains:read | verification
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
PATCH /v1/mailboxes/{mailbox_id}/folders/{folder_id} | mailboxes:write | write
DELETE /v1/mailboxes/{mailbox_id}/folders/{folder_id} | mailboxes:write | write
GET /v1/mailboxes/{mailbox_id}/identities | mailboxes:read | read
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
POST /v1/webhooks | webhooks:write | write
GET /v1/webhooks | webhooks:read | read
GET /v1/webhooks/{webhook_id} | webhooks:read | read
PATCH /v1/webhooks/{webhook_id} | webhooks:write | write
POST /v1/webhooks/{webhook_id}/rotate-secret | webhooks:write | write
POST /v1/webhooks/{webhook_id}/test | webhooks:write | write
GET /v1/webhooks/{webhook_id}/deliveries | webhooks:read | read
GET /v1/webhooks/{webhook_id}/deliveries/{delivery_id} | webhooks:read | read
POST /v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay | webhooks:write | write
DELETE /v1/webhooks/{webhook_id} | webhooks:write | write
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
GET /v1/openapi.json | - | -
`

t.test('the routes, their scopes and their tiers are these', async (t) => {
  const routes = ENDPOINTS.map(({ method, path, scopes, tier }) => {
    return `${method} ${path} | ${scopes?.join(' or ') ?? '-'} | ${tier ?? '-'}`
  })
  t.same(routes, ROUTES.trim().split('\n'))
})

t.test('only what needs no authentication is not limited', async (t) => {
  for (const { operationId, scopes, tier } of ENDPOINTS) t.equal(tier === null, scopes === null, operationId)
})

// api/decisions.md D3
t.test('reading is limited as such, and so is writing, but for what sends and what asks DNS', async (t) => {
  const others = ['getDnsRecords', 'verifyDomain', 'sendMessage', 'sendBatch', 'replyToThread']
  for (const { operationId, method, tier, scopes } of ENDPOINTS) {
    if (scopes === null || others.includes(operationId)) continue
    t.equal(tier, method === 'GET' ? 'read' : 'write', operationId)
  }
  const tierOf = (name: string) => ENDPOINTS.find(({ operationId }) => operationId === name)?.tier
  t.same(others.map(tierOf), ['verification', 'verification', 'send', 'send', 'send'])
})

// The contract's section Authentication, 3, and decision D6.
t.test('the scopes that JMAP methods ask for are those that a key may have', async (t) => {
  const asked = [...createStandardRegistry().methods.values()].flatMap(({ access }) => access?.scope ?? [])
  t.ok(asked.length > 50)
  t.same(
    asked.filter((scope) => !Object.hasOwn(SCOPES, scope)),
    [],
  )
})

t.test('an endpoint that reads needs no scope for writing', async (t) => {
  const CHECKS_ONLY = ['verifyDomain', 'testRules']
  for (const { operationId, method, scopes } of ENDPOINTS) {
    if (scopes === null || CHECKS_ONLY.includes(operationId)) continue
    const right = method === 'GET' ? ':read' : ':write'
    t.ok(
      scopes.every((scope) => scope.endsWith(right)),
      operationId,
    )
  }
})

t.test('what answers with a file instead of JSON is this', async (t) => {
  const files = ENDPOINTS.filter(({ streams }) => streams).map(({ operationId }) => operationId)
  t.same(files, ['downloadRawMessage', 'downloadAttachment'])
})
