/** Webhook/rotateSecret, Webhook/test and WebhookDelivery/replay: vendor methods (decision D24). */
import { WEBHOOK_SECRET_GRACE_MS } from '../../server/base/webhook-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { insertDelivery } from '../../storage/repos/webhook-deliveries.ts'
import { findDeliveries } from '../../storage/repos/webhook-delivery-query.ts'
import { appendTestEvent } from '../events/append.ts'
import { MethodError } from '../protocol/errors.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { MethodContext } from '../type/context.ts'
import { implement } from '../type/method.ts'
import { EVENT_ID, eventIdOf } from './envelope.ts'
import { createSecret, findWebhook, keepWebhook, LIMITED, mayKnowWebhooks, sealSecret } from './stored.ts'
import { type StoredWebhook, Webhook, WebhookRotateSecret, WebhookTest } from './webhook.type.ts'
import { WebhookDelivery, WebhookDeliveryReplay } from './webhook-delivery.type.ts'

interface Target {
  readonly method: MethodContext
  readonly unit: AccountUnit
  readonly number: number
  readonly stored: StoredWebhook
}

/** Runs one change to a webhook in a unit of work of its organization. */
async function onWebhook<T extends object>(
  method: MethodContext,
  webhookId: string,
  run: (target: Target) => Promise<T>,
): Promise<T & { readonly accountId: string }> {
  if (!mayKnowWebhooks(method.request.principal)) throw new MethodError('forbidden', LIMITED.description)
  const number = method.number(Webhook, webhookId) ?? 0
  const step = method.request.steps?.next()
  return method.services.store.write([method.account.number], async (work) => {
    const unit = work.account(method.account.number)
    const done = await step?.recall<T & { readonly accountId: string }>(unit)
    if (done) return done
    const stored = await findWebhook(unit, unit.account, number)
    if (!stored) throw new MethodError('notFound', 'There is no such webhook.')
    const answer = { accountId: method.account.id, ...(await run({ method, unit, number, stored })) }
    await step?.keep(unit, answer)
    return answer
  })
}

export const rotateSecretMethod = implement(WebhookRotateSecret, (method, { webhookId }) =>
  onWebhook(method, webhookId, async ({ unit, number, stored }) => {
    const secret = createSecret()
    const previousSecretExpiresAt = formatUTCDate(unit.now + WEBHOOK_SECRET_GRACE_MS)
    const next = {
      ...stored,
      secret: sealSecret(method.services.keyring, unit.account, number, secret),
      previousSecret: stored.secret,
      previousSecretExpiresAt,
      updatedAt: formatUTCDate(unit.now),
    }
    await keepWebhook(unit, number, next, ['previousSecretExpiresAt', 'updatedAt'])
    return { secret, previousSecretExpiresAt }
  }),
)

export const testWebhookMethod = implement(WebhookTest, (method, { webhookId }) =>
  onWebhook(method, webhookId, async ({ unit, number }) => {
    const data = {
      webhook_id: method.id(Webhook, number),
      message: 'Test event',
      triggered_at: new Date(unit.now).toISOString(),
    }
    const { event, delivery } = await appendTestEvent(unit, number, data)
    return { eventId: method.id(EVENT_ID, event), deliveryId: method.id(WebhookDelivery, delivery) }
  }),
)

export const replayMethod = implement(WebhookDeliveryReplay, (method, { webhookId, deliveryId }) =>
  onWebhook(method, webhookId, async ({ unit, number, stored }) => {
    const [row] = await findDeliveries(unit, unit.account, [method.number(WebhookDelivery, deliveryId) ?? 0])
    if (row?.webhook !== number) throw new MethodError('notFound', 'There is no such delivery.')
    if (!stored.active) throw new MethodError('forbidden', 'The webhook is switched off.')
    const event = { account: row.event_account, number: row.event, type: row.type }
    const id = await insertDelivery(unit, { webhook: number, event })
    return { eventId: eventIdOf(method.services.ids, row), deliveryId: method.id(WebhookDelivery, id!) }
  }),
)
