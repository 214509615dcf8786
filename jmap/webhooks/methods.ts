/** Webhook/rotateSecret, Webhook/test and WebhookDelivery/replay: vendor methods (decision D24). */
import { WEBHOOK_SECRET_GRACE_MS } from '../../server/base/webhook-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { insertDelivery } from '../../storage/repos/webhook-deliveries.ts'
import { findDeliveries } from '../../storage/repos/webhook-delivery-query.ts'
import { appendTestEvent } from '../events/append.ts'
import { MethodError } from '../protocol/errors.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import { SERVICE } from '../type/capabilities.ts'
import type { MethodContext } from '../type/context.ts'
import { defineMethod } from '../type/method.ts'
import { p } from '../type/property.ts'
import { EVENT_ID, eventIdOf } from './envelope.ts'
import { createSecret, findWebhook, keepWebhook, LIMITED, mayKnowWebhooks, sealSecret } from './stored.ts'
import { type StoredWebhook, WEBHOOK_SCOPES, Webhook } from './webhook.type.ts'
import { WebhookDelivery } from './webhook-delivery.type.ts'

interface Target {
  readonly method: MethodContext
  readonly unit: AccountUnit
  readonly number: number
  readonly stored: StoredWebhook
}

/** Common properties of the three methods. */
const METHOD = { capability: SERVICE, accounts: 'organization', scope: WEBHOOK_SCOPES.write, writes: true } as const

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

/** The present secret stays valid for a day. A secret from before that becomes invalid. */
export const rotateSecretMethod = defineMethod({
  name: 'Webhook/rotateSecret',
  ...METHOD,
  args: { webhookId: p.string() },
  run: (method, { webhookId }) =>
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
})

/** A test is delivered whatever event types the webhook names, and also while the webhook is switched off, so that owners can try it. */
export const testWebhookMethod = defineMethod({
  name: 'Webhook/test',
  ...METHOD,
  args: { webhookId: p.string() },
  run: (method, { webhookId }) =>
    onWebhook(method, webhookId, async ({ unit, number }) => {
      const data = {
        webhook_id: method.id(Webhook, number),
        message: 'Test event',
        triggered_at: new Date(unit.now).toISOString(),
      }
      const { event, delivery } = await appendTestEvent(unit, number, data)
      return { eventId: method.id(EVENT_ID, event), deliveryId: method.id(WebhookDelivery, delivery) }
    }),
})

/** Delivers the same event in a new delivery. The record of the first delivery stays. */
export const replayMethod = defineMethod({
  name: 'WebhookDelivery/replay',
  ...METHOD,
  args: { webhookId: p.string(), deliveryId: p.string() },
  run: (method, { webhookId, deliveryId }) =>
    onWebhook(method, webhookId, async ({ unit, number, stored }) => {
      const [row] = await findDeliveries(unit, unit.account, [method.number(WebhookDelivery, deliveryId) ?? 0])
      if (row?.webhook !== number) throw new MethodError('notFound', 'There is no such delivery.')
      if (!stored.active) throw new MethodError('forbidden', 'The webhook is switched off.')
      const event = { account: row.event_account, number: row.event, type: row.type }
      const id = await insertDelivery(unit, { webhook: number, event })
      return { eventId: eventIdOf(method.services.ids, row), deliveryId: method.id(WebhookDelivery, id!) }
    }),
})
