import { EVENT_TYPES } from '../../jmap/events/event-types.ts'
import { WebhookRotateSecret, WebhookTest } from '../../jmap/webhooks/webhook.type.ts'
import { call } from '../calls/jmap-calls.ts'
import type { Tag } from '../endpoint.ts'
import { endpoint } from '../endpoint.ts'
import { API_ERRORS, ApiError, invalid } from '../errors/api-error.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'

const EventType = s.named('WebhookEventType', s.oneOf(EVENT_TYPES))

const fields = {
  id: s.id('wh_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  url: s.string({ examples: ['https://example.com/hooks/mail'] }),
  events: s.array(EventType),
  active: s.boolean('false: it gets no events. It becomes false after 3 failed deliveries in a row.'),
  description: s.nullable(s.string()),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
}

const SECRET = 'whsec_5kX0w1b3J6vQmYt8ZrD2nHc9LpAeGfUo4iTsMxKyRjE'
const Webhook = s.resource('Webhook', 'webhook', fields)
const secret = s.string({
  description: 'The key that signs deliveries. It is returned once: store it safely.',
  examples: [SECRET],
})
const WebhookWithSecret = s.resource('WebhookWithSecret', 'webhook', { ...fields, secret })

const url = s.string({
  minLength: 1,
  maxLength: 2_048,
  description:
    'An https:// URL on the public Internet, without a user name or a fragment. Redirects are not followed, and the address is checked at each delivery.',
  examples: ['https://example.com/hooks/mail'],
})
const events = s.array(EventType, { minItems: 1, description: 'Subscribed event types, each once.' })
const description = s.nullable(s.string({ maxLength: 500 }))

export const TAG: Tag = {
  name: 'Webhooks',
  description: 'Signed notifications of events, their deliveries, and their secrets.',
}

export const webhooks = new OrganizationObjects({
  type: 'Webhook',
  what: 'webhook',
  show: (webhook) => toSnake(Webhook, webhook),
})

export const createWebhook = endpoint({
  method: 'POST',
  path: '/v1/webhooks',
  operationId: 'createWebhook',
  tag: TAG,
  summary: 'Subscribe a URL to events',
  description:
    'An organization has at most 10 webhooks. A key that is limited to some mailboxes or domains cannot create any.',
  scope: 'webhooks:write',
  body: s.object({ url, events, description: s.optional(description) }),
  bodyExample: {
    url: 'https://example.com/hooks/mail',
    events: ['message.received', 'message.bounced'],
    description: 'Tells the shop about its mail',
  },
  status: 201,
  response: WebhookWithSecret,
  errors: ['webhook_limit_reached', 'forbidden'],
  async run({ body, organization: accountId }, jmap) {
    requireOnce(body.events)
    const webhook = { url: body.url, events: body.events, description: body.description ?? null }
    const { record, shown } = await webhooks.create(jmap, accountId, webhook).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'quota_exceeded' ? limitReached() : error
    })
    return { ...shown, secret: record.secret }
  },
})

export const listWebhooks = endpoint({
  method: 'GET',
  path: '/v1/webhooks',
  operationId: 'listWebhooks',
  tag: TAG,
  summary: 'List webhooks, newest first',
  description: 'A key that is limited to some mailboxes or domains sees none.',
  scope: 'webhooks:read',
  query: s.object(pageQuery),
  response: cursorPage(Webhook),
  run: (input, jmap) => webhooks.list(input, jmap, { list: 'webhooks' }),
})

export const getWebhook = endpoint({
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}',
  operationId: 'getWebhook',
  tag: TAG,
  summary: 'Get a webhook',
  description: 'Its secret is not returned again: rotateWebhookSecret creates a new one.',
  scope: 'webhooks:read',
  response: Webhook,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => webhooks.read(jmap, organization, params.webhook_id),
})

export const updateWebhook = endpoint({
  method: 'PATCH',
  path: '/v1/webhooks/{webhook_id}',
  operationId: 'updateWebhook',
  resource: getWebhook,
  tag: TAG,
  summary: 'Change a webhook, or switch it on and off',
  description: 'Switching it off fails its pending deliveries. Switching it on resets the count of failures.',
  scope: 'webhooks:write',
  body: s.object({
    url: s.optional(url),
    events: s.optional(events),
    description: s.optional(description),
    active: s.optional(s.boolean()),
  }),
  bodyExample: { events: ['message.received'], active: true },
  response: Webhook,
  errors: ['not_found'],
  async run({ params, body, organization: accountId }, jmap) {
    const patch = toCamel(body, ['url', 'events', 'description', 'active'])
    if (Object.keys(patch).length === 0) throw invalid(null, 'required', 'Send url, events, description or active.')
    if (patch.events) requireOnce(patch.events)
    return webhooks.update(jmap, accountId, params.webhook_id, patch)
  },
})

export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: '/v1/webhooks/{webhook_id}',
  operationId: 'deleteWebhook',
  resource: getWebhook,
  tag: TAG,
  summary: 'Delete a webhook',
  description: 'Its pending deliveries fail with `webhook_deleted`.',
  scope: 'webhooks:write',
  status: 204,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => webhooks.destroy(jmap, organization, params.webhook_id),
})

export const rotateWebhookSecret = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/rotate-secret',
  operationId: 'rotateWebhookSecret',
  tag: TAG,
  summary: 'Rotate the secret',
  description:
    'The present secret stays valid for 24 hours: deliveries have a signature by each, and a receiver may accept either. Another rotation within that time ends the oldest.',
  scope: 'webhooks:write',
  response: s.named('WebhookSecret', s.object({ secret, previous_secret_expires_at: s.timestamp() })),
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const { id: webhookId } = await webhooks.read(jmap, accountId, params.webhook_id)
    const { rotated } = await jmap.call({ rotated: call(WebhookRotateSecret, { accountId, webhookId }) })
    return { secret: rotated.secret, previous_secret_expires_at: instant(rotated.previousSecretExpiresAt) }
  },
})

export const testWebhook = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/test',
  operationId: 'testWebhook',
  tag: TAG,
  summary: 'Send a test event',
  description:
    'Queues `webhook.test`, which is signed and retried like any event, whatever the webhook is subscribed to, and also when it is switched off.',
  scope: 'webhooks:write',
  status: 202,
  response: s.named('WebhookTest', s.object({ event_id: s.id('evt_aaaaaaaaaeaaaaaaaaaaipjaxmoq') })),
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const { id: webhookId } = await webhooks.read(jmap, accountId, params.webhook_id)
    const { tested } = await jmap.call({ tested: call(WebhookTest, { accountId, webhookId }) })
    return { event_id: tested.eventId }
  },
})

function limitReached(): ApiError {
  const { message } = API_ERRORS.webhook_limit_reached
  return new ApiError('webhook_limit_reached', { details: [{ field: null, code: 'out_of_range', message }] })
}

/** @throws ApiError 409 */
export function requireActive({ active }: Pick<s.Infer<typeof Webhook>, 'active'>): void {
  if (!active) throw inactive()
}

export function inactive(): ApiError {
  return new ApiError('invalid_state', { message: 'The webhook is switched off.' })
}

function requireOnce(types: readonly string[]): void {
  const at = types.findIndex((type, index) => types.indexOf(type) !== index)
  if (at >= 0) throw invalid(`events[${at}]`, 'not_allowed', `${types[at]} is named more than once.`)
}

export const webhookEndpoints = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
]
