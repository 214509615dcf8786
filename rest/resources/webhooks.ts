import { EVENT_TYPES } from '../../jmap/events/event-types.ts'
import { endpoint } from '../endpoint.ts'
import { created, destroyed, get, onlyOne, set, updated, webhookVerb } from '../jmap-calls.ts'
import type { JmapClient } from '../jmap-client.ts'
import type { WebhookObject } from '../jmap-types.ts'
import { listOrganization } from '../organization-list.ts'
import { cursorPage, pageQuery } from '../pagination.ts'
import { invalid, PROBLEMS, Problem } from '../problem.ts'
import {
  array,
  boolean,
  constant,
  type Infer,
  named,
  nullable,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from '../schema.ts'
import { id, knownId } from '../shapes/common.ts'
import { instant } from '../timestamps.ts'

const EventType = named('WebhookEventType', oneOf(EVENT_TYPES))

const fields = {
  object: constant('webhook'),
  id: id('wh_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  url: string({ examples: ['https://example.com/hooks/mail'] }),
  events: array(EventType),
  active: boolean('false: it is told of nothing; so it becomes by itself after 3 failed deliveries in a row.'),
  description: nullable(string()),
  created_at: timestamp(),
  updated_at: timestamp(),
}

const SECRET = 'whsec_5kX0w1b3J6vQmYt8ZrD2nHc9LpAeGfUo4iTsMxKyRjE'
const Webhook = named('Webhook', object(fields))
const secret = string({
  description: 'What deliveries are signed with. It is told once: keep it where nobody else reads it.',
  examples: [SECRET],
})
const WebhookWithSecret = named('WebhookWithSecret', object({ ...fields, secret }))

const url = string({
  minLength: 1,
  maxLength: 2_048,
  description:
    'An https:// URL on the public Internet, without a user name or a fragment. Redirects are not followed, and it is looked at anew at each delivery.',
  examples: ['https://example.com/hooks/mail'],
})
const events = array(EventType, { minItems: 1, description: 'What it is told of; each type once.' })
const description = nullable(string({ maxLength: 500 }))
const SAID = { what: 'webhook' } as const

export const createWebhook = endpoint({
  method: 'POST',
  path: '/v1/webhooks',
  operationId: 'createWebhook',
  tag: 'Webhooks',
  summary: 'Be told of events at a URL',
  description:
    'An organization has at most 10 webhooks. A key that is limited to some mailboxes or domains may make none.',
  scope: 'webhooks:write',
  tier: 'write',
  body: object({ url, events, description: optional(description) }),
  status: 201,
  response: WebhookWithSecret,
  errors: ['webhook_limit_reached', 'forbidden'],
  async run({ body, organization: accountId }, jmap) {
    requireOnce(body.events)
    const webhook = { url: body.url, events: body.events, description: body.description ?? null }
    const { made } = await jmap.call({ made: set('Webhook', { accountId, create: { webhook } }) })
    if (made.notCreated?.['webhook']?.type === 'overQuota') {
      const { message } = PROBLEMS.webhook_limit_reached
      throw new Problem('webhook_limit_reached', { details: [{ field: null, code: 'out_of_range', message }] })
    }
    const record = created(made, 'webhook', SAID)
    return { ...(await readWebhook(jmap, accountId, record.id)), secret: record.secret! }
  },
})

export const listWebhooks = endpoint({
  method: 'GET',
  path: '/v1/webhooks',
  operationId: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'List webhooks, newest first',
  description: 'A key that is limited to some mailboxes or domains sees none.',
  scope: 'webhooks:read',
  tier: 'read',
  query: object(pageQuery),
  status: 200,
  response: cursorPage(Webhook),
  errors: [],
  run: (input, jmap) => listOrganization(input, jmap, { list: 'webhooks', type: 'Webhook', show: toWebhook }),
})

export const getWebhook = endpoint({
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}',
  operationId: 'getWebhook',
  tag: 'Webhooks',
  summary: 'Get a webhook',
  scope: 'webhooks:read',
  tier: 'read',
  status: 200,
  response: Webhook,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => readWebhook(jmap, organization, knownId(params.webhook_id, 'webhook')),
})

export const updateWebhook = endpoint({
  method: 'PATCH',
  path: '/v1/webhooks/{webhook_id}',
  operationId: 'updateWebhook',
  tag: 'Webhooks',
  summary: 'Change a webhook, or switch it on and off',
  description:
    'What waits to be delivered to a webhook that is switched off fails. Switching it on forgets the failures that it had.',
  scope: 'webhooks:write',
  tier: 'write',
  body: object({
    url: optional(url),
    events: optional(events),
    description: optional(description),
    active: optional(boolean()),
  }),
  status: 200,
  response: Webhook,
  errors: ['not_found'],
  async run({ params, body, organization: accountId }, jmap) {
    const { url: to, events: types, description: words, active } = body
    if ([to, types, words, active].every((one) => one === undefined))
      throw invalid(null, 'required', 'Send url, events, description or active.')
    if (types) requireOnce(types)
    const webhookId = knownId(params.webhook_id, 'webhook')
    const patch = {
      ...(to !== undefined && { url: to }),
      ...(types !== undefined && { events: types }),
      ...(words !== undefined && { description: words }),
      ...(active !== undefined && { active }),
    }
    const { changed } = await jmap.call({ changed: set('Webhook', { accountId, update: { [webhookId]: patch } }) })
    updated(changed, webhookId, SAID)
    return readWebhook(jmap, accountId, webhookId)
  },
})

export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: '/v1/webhooks/{webhook_id}',
  operationId: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  scope: 'webhooks:write',
  tier: 'write',
  status: 204,
  response: null,
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const webhookId = knownId(params.webhook_id, 'webhook')
    const { gone } = await jmap.call({ gone: set('Webhook', { accountId, destroy: [webhookId] }) })
    destroyed(gone, webhookId, SAID)
    return null
  },
})

export const rotateWebhookSecret = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/rotate-secret',
  operationId: 'rotateWebhookSecret',
  tag: 'Webhooks',
  summary: 'Get a new secret',
  description:
    'The secret so far stays valid for 24 hours: deliveries carry a signature of each, and a receiver may accept either. Rotating again within that time ends the oldest.',
  scope: 'webhooks:write',
  tier: 'write',
  status: 200,
  response: named('WebhookSecret', object({ secret, previous_secret_expires_at: timestamp() })),
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const { id: webhookId } = await readWebhook(jmap, accountId, knownId(params.webhook_id, 'webhook'))
    const { rotated } = await jmap.call({ rotated: webhookVerb('Webhook/rotateSecret', { accountId, webhookId }) })
    return { secret: rotated.secret, previous_secret_expires_at: instant(rotated.previousSecretExpiresAt) }
  },
})

export const testWebhook = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/test',
  operationId: 'testWebhook',
  tag: 'Webhooks',
  summary: 'Send a test event',
  description:
    'Queues `webhook.test`, which is signed and tried again as any event, whatever the webhook is subscribed to, and also when it is switched off.',
  scope: 'webhooks:write',
  tier: 'write',
  status: 202,
  response: named('WebhookTest', object({ event_id: id('evt_aaaaaaaaaeaaaaaaaaaaipjaxmoq') })),
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const { id: webhookId } = await readWebhook(jmap, accountId, knownId(params.webhook_id, 'webhook'))
    const { tested } = await jmap.call({ tested: webhookVerb('Webhook/test', { accountId, webhookId }) })
    return { event_id: tested.eventId }
  },
})

/** @throws Problem 404 */
export async function readWebhook(
  jmap: JmapClient,
  accountId: string,
  webhookId: string,
): Promise<Infer<typeof Webhook>> {
  const { found } = await jmap.call({ found: get('Webhook', { accountId, ids: [webhookId] }) })
  return toWebhook(onlyOne(found, 'webhook'))
}

/** @throws Problem 409 */
export function requireActive({ active }: Pick<Infer<typeof Webhook>, 'active'>): void {
  if (!active) throw new Problem('invalid_state', { message: 'The webhook is switched off.' })
}

function requireOnce(types: readonly string[]): void {
  const at = types.findIndex((type, index) => types.indexOf(type) !== index)
  if (at >= 0) throw invalid(`events[${at}]`, 'not_allowed', `${types[at]} is named more than once.`)
}

function toWebhook(webhook: WebhookObject): Infer<typeof Webhook> {
  return {
    object: 'webhook',
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    active: webhook.active,
    description: webhook.description,
    created_at: instant(webhook.createdAt),
    updated_at: instant(webhook.updatedAt),
  }
}
