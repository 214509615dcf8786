/** Webhook/rotateSecret, Webhook/test and WebhookDelivery/replay: vendor methods (decision D24). */
import { WEBHOOK_SECRET_GRACE_MS } from '../../../server/base/webhook-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { insertDelivery } from '../../../storage/repos/webhook-deliveries.ts'
import { findDeliveries } from '../../../storage/repos/webhook-delivery-query.ts'
import { SERVICE } from '../../capabilities.ts'
import type { MethodContext } from '../../context.ts'
import { appendTestEvent } from '../../events/append.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { defineMethod, type Method } from '../../type/method.ts'
import { p } from '../../type/property.ts'
import { eventIdOf } from './envelope.ts'
import {
  createSecret,
  findWebhook,
  keepWebhook,
  LIMITED,
  mayKnowWebhooks,
  type StoredWebhook,
  sealSecret,
} from './stored.ts'
import { WEBHOOK_SCOPES } from './webhook.type.ts'

type Verb = (
  method: MethodContext,
  unit: AccountUnit,
  args: { readonly [name: string]: string },
  webhook: { readonly number: number; readonly stored: StoredWebhook },
) => Promise<JsonObject>

/** A verb about one webhook, in a unit of its organization. */
function webhookMethod(name: string, args: Parameters<typeof defineMethod>[0]['args'], run: Verb): Method {
  return defineMethod({
    name,
    capability: SERVICE,
    accounts: 'organization',
    scope: WEBHOOK_SCOPES.write,
    writes: true,
    args: { webhookId: p.string(), ...args },
    run(method, given) {
      if (!mayKnowWebhooks(method.request.principal)) throw new MethodError('forbidden', LIMITED.description)
      const { store } = method.services
      const number = method.number('Webhook', given['webhookId'] as string) ?? 0
      const step = method.request.once?.next()
      return store.write([method.account.number], async (work) => {
        const unit = work.account(method.account.number)
        const done = await step?.recall<JsonObject>(unit)
        if (done) return done
        const stored = await findWebhook(unit, unit.account, number)
        if (!stored) throw new MethodError('notFound', 'There is no such webhook.')
        const told = await run(method, unit, given as { readonly [name: string]: string }, { number, stored })
        const answer = { accountId: method.account.id, ...told }
        await step?.keep(unit, answer)
        return answer
      })
    },
  })
}

/** The secret so far stays valid for a day; one that was before it does not any more. */
const rotateSecret: Verb = async ({ services }, unit, _args, { number, stored }) => {
  const secret = createSecret()
  const previousSecretExpiresAt = formatUTCDate(unit.now + WEBHOOK_SECRET_GRACE_MS)
  const next = {
    ...stored,
    secret: sealSecret(services.keyring, unit.account, number, secret),
    previousSecret: stored.secret,
    previousSecretExpiresAt,
    updatedAt: formatUTCDate(unit.now),
  }
  await keepWebhook(unit, number, next, ['previousSecretExpiresAt', 'updatedAt'])
  return { secret, previousSecretExpiresAt }
}

/** Whatever the webhook wants to hear, and also when it is switched off: so that it can be seen to work before. */
const test: Verb = async (method, unit, _args, { number }) => {
  const data = {
    webhook_id: method.id('Webhook', number),
    message: 'Test event',
    triggered_at: new Date(unit.now).toISOString(),
  }
  const { event, delivery } = await appendTestEvent(unit, number, data)
  return { eventId: method.id('Event', event), deliveryId: method.id('WebhookDelivery', delivery) }
}

/** The same event once more, in a delivery of its own: the record of the first stays. */
const replay: Verb = async (method, unit, { deliveryId }, { number, stored }) => {
  const [row] = await findDeliveries(unit, unit.account, [method.number('WebhookDelivery', deliveryId!) ?? 0])
  if (row?.webhook !== number) throw new MethodError('notFound', 'There is no such delivery.')
  if (!stored.active) throw new MethodError('forbidden', 'The webhook is switched off.')
  const event = { account: row.event_account, number: row.event, type: row.type }
  const id = await insertDelivery(unit, { webhook: number, event })
  return { eventId: eventIdOf(method.services.ids, row), deliveryId: method.id('WebhookDelivery', id!) }
}

export const webhookMethods: readonly Method[] = [
  webhookMethod('Webhook/rotateSecret', {}, rotateSecret),
  webhookMethod('Webhook/test', {}, test),
  webhookMethod('WebhookDelivery/replay', { deliveryId: p.string() }, replay),
]
