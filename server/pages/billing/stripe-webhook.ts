/** The endpoint of Stripe's webhooks. An event is answered when it is durable; what follows from it comes after (jmap/billing/settle.ts). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from '../../../jmap/services.ts'
import { STRIPE_WEBHOOK_MAX_BYTES } from '../../base/billing-limits.ts'
import { methodNotAllowed, problem, sendJson } from '../../http/problem.ts'
import { publicBodies } from '../public-bodies.ts'

const PATH = '/billing/stripe/webhook'

export interface StripeWebhookDeps {
  readonly core: { readonly billing: Pick<Core['billing'], 'receive'> }
  /** Checks the signature of a body (server/billing/stripe-signature.ts). */
  readonly verify: (
    body: Uint8Array,
    signature: string,
  ) => Promise<
    | { readonly kind: 'event'; readonly event: Parameters<Core['billing']['receive']>[0] }
    | { readonly kind: 'wrong' | 'other' }
  >
}

const reader = publicBodies(STRIPE_WEBHOOK_MAX_BYTES)

export class StripeWebhook {
  readonly #deps: StripeWebhookDeps

  constructor(deps: StripeWebhookDeps) {
    this.#deps = deps
  }

  owns(path: string): boolean {
    return path === PATH
  }

  /** @throws HttpProblem, and failures of the store, after which Stripe sends it again */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') throw methodNotAllowed(['POST'])
    const signature = request.headers['stripe-signature']
    if (typeof signature !== 'string') throw problem(400, 'There is no Stripe-Signature.')
    const tooLarge = () => problem(413, 'The event is too large.')
    const body = await reader.read(request, STRIPE_WEBHOOK_MAX_BYTES, tooLarge)
    const verified = await this.#deps.verify(body, signature)
    if (verified.kind === 'wrong') throw problem(400, 'The signature is wrong or too old.')
    const receipt = 'event' in verified ? await this.#deps.core.billing.receive(verified.event) : 'ignored'
    sendJson(response, 200, JSON.stringify({ received: receipt }))
  }
}
