/** Rules of Webhook: where an organization is told of what happens (decision D24). */
import { WEBHOOKS_MAX } from '../../../server/base/webhook-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { listObjects } from '../../../storage/repos/objects.ts'
import { subscribeWebhook } from '../../../storage/repos/webhook-subscriptions.ts'
import type { MethodContext } from '../../context.ts'
import { invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { objectRules } from '../../type/object-rules.ts'
import { endDeliveries } from './ending.ts'
import { createSecret, LIMITED, mayKnowWebhooks, type StoredWebhook, sealSecret } from './stored.ts'
import { Webhook } from './webhook.type.ts'

export const webhookRules = objectRules(Webhook, {
  mayKnow: ({ request }) => mayKnowWebhooks(request.principal),
  prepareCreate: judgeUrl,
  prepareUpdate: judgeUrl,

  async create({ method, unit }, input) {
    if (!mayKnowWebhooks(method.request.principal)) return { error: LIMITED }
    const fault = eventsFault(input)
    if (fault) return { error: fault }
    const present = await listObjects(unit, unit.account, Webhook.name)
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
    // What it is not to hear of any more it need not hear of late either.
    if (before['active'] === true && next['active'] === false) await endDeliveries(unit, number, 'webhook_disabled')
    const isRevived = before['active'] === false && next['active'] === true
    return { stored: isRevived ? { ...next, failures: 0 } : next }
  },

  async destroy({ unit }, number) {
    await subscribeWebhook(unit, number, [])
    await endDeliveries(unit, number, 'webhook_deleted')
    return null
  },
})

function subscribe(unit: AccountUnit, number: number, webhook: JsonObject): Promise<void> {
  const { active, events } = webhook as unknown as StoredWebhook
  return subscribeWebhook(unit, number, active ? events : [])
}

function eventsFault({ events }: JsonObject): SetError | null {
  const types = events as readonly Json[]
  if (types.length === 0) return invalidProperties(['events'], 'A webhook has at least one event type.')
  return new Set(types).size === types.length
    ? null
    : invalidProperties(['events'], 'An event type is named more than once.')
}

/** Outside of the transaction: it may ask DNS. */
async function judgeUrl(
  { services }: MethodContext,
  { url }: JsonObject,
): Promise<{ prepared: null } | { error: SetError }> {
  if (typeof url !== 'string') return { prepared: null }
  const reason = formFault(url) ?? (await services.webhookTargets(url))
  return reason === null ? { prepared: null } : { error: invalidProperties(['url'], `It cannot be used: ${reason}.`) }
}

/** Whatever else parsers make of it, a URL that is kept is the one that was written. */
function formFault(url: string): string | null {
  if (/[\u0000-\u0020\u007f\\]/.test(url)) return 'a URL has no spaces, line breaks or backslashes'
  const parsed = /^https:\/\/[^/]/i.test(url) ? URL.parse(url) : null
  if (!parsed) return 'it must be an https:// URL'
  if (parsed.username !== '' || parsed.password !== '') return 'a URL to post to has no user name or password'
  if (url.includes('#')) return 'a URL to post to has no fragment'
  return null
}
