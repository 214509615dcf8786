/** Handlers of Webhook: the URLs that get an organization's events (decision D24). */

import { WEBHOOKS_MAX } from '../../server/base/webhook-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { subscribeWebhook } from '../../storage/repos/webhook-subscriptions.ts'
import { invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import type { MethodContext } from '../type/context.ts'
import type { PrepareOutcome } from '../type/handlers.ts'
import { objectHandlers } from '../type/object-handlers.ts'
import { listStored } from '../type/object-store.ts'
import { endDeliveries } from './end-deliveries.ts'
import { createSecret, LIMITED, mayKnowWebhooks, sealSecret } from './stored.ts'
import { type StoredWebhook, Webhook } from './webhook.type.ts'

export const webhookHandlers = objectHandlers<typeof Webhook, null>(Webhook, {
  mayKnow: ({ request }) => mayKnowWebhooks(request.principal),
  prepareCreate: (method, { url }) => judgeUrl(method, url),
  prepareUpdate: (method, { url }) => judgeUrl(method, url),

  async create({ method, unit }, input) {
    if (!mayKnowWebhooks(method.request.principal)) return { error: LIMITED }
    const fault = eventsFault(input)
    if (fault) return { error: fault }
    const present = await listStored(unit, unit.account, Webhook)
    if (present.length >= WEBHOOKS_MAX)
      return { error: setError('overQuota', `An organization has at most ${WEBHOOKS_MAX} webhooks.`) }
    const number = unit.nextObject()
    const secret = createSecret()
    await subscribe(unit, number, input)
    const stored = {
      ...input,
      previousSecretExpiresAt: null,
      secret: sealSecret(method.services.keyring, unit.account, number, secret),
      previousSecret: null,
      failures: 0,
      noticedAt: null,
    }
    return { number, stored, serverSet: { secret } }
  },

  async update({ unit }, number, { next, changed, before }) {
    const fault = eventsFault(next)
    if (fault) return { error: fault }
    if (changed.includes('events') || changed.includes('active')) await subscribe(unit, number, next)
    // Pending deliveries are not made any more.
    if (before.active && !next.active) await endDeliveries(unit, number, 'webhook_disabled')
    const isRevived = !before.active && next.active
    return { stored: isRevived ? { ...next, failures: 0 } : next }
  },

  async destroy({ unit }, number) {
    await subscribeWebhook(unit, number, [])
    await endDeliveries(unit, number, 'webhook_deleted')
    return null
  },
})

type Subscribed = Pick<StoredWebhook, 'active' | 'events'>

function subscribe(unit: AccountUnit, number: number, { active, events }: Subscribed): Promise<void> {
  return subscribeWebhook(unit, number, active ? events : [])
}

function eventsFault({ events }: Subscribed): SetError | null {
  if (events.length === 0) return invalidProperties(['events'], 'A webhook has at least one event type.')
  return new Set(events).size === events.length
    ? null
    : invalidProperties(['events'], 'An event type is named more than once.')
}

/** Runs outside the transaction, because it may query DNS. */
async function judgeUrl({ services }: MethodContext, url: unknown): Promise<PrepareOutcome<null>> {
  if (typeof url !== 'string') return { prepared: null }
  const reason = formFault(url) ?? (await services.webhookTargets(url))
  return reason === null ? { prepared: null } : { error: invalidProperties(['url'], `url cannot be used: ${reason}.`) }
}

/** Other URL parsers must read the stored URL in the same way. */
function formFault(url: string): string | null {
  if (/[\u0000-\u0020\u007f\\]/.test(url)) return 'a URL has no spaces, line breaks or backslashes'
  const parsed = /^https:\/\/[^/]/i.test(url) ? URL.parse(url) : null
  if (!parsed) return 'it must be an https:// URL'
  if (parsed.username !== '' || parsed.password !== '') return 'a URL to post to has no user name or password'
  if (url.includes('#')) return 'a URL to post to has no fragment'
  return null
}
