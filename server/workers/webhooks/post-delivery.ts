/** One attempt at a delivery: spec/contract.tsv, Signature verification and Delivery and retry; decision D24. */
import type { DeliveryReport } from '../../../jmap/webhooks/outcome.ts'
import type { QueuedDelivery } from '../../../jmap/webhooks/queue.ts'
import type { Clock } from '../../base/clock.ts'
import { errorMessage } from '../../base/errors.ts'
import type { Logger } from '../../base/logger.ts'
import { WEBHOOK_ANSWER_KEPT_BYTES, WEBHOOK_ANSWER_MAX_BYTES, WEBHOOK_REQUEST_MS } from '../../base/webhook-limits.ts'
import { signatureHeaders } from '../../base/webhook-signature.ts'
import { EgressError, type EgressResponse, type SafeFetch } from '../../egress/safe-fetch.ts'

export interface PostDeliveryOptions {
  readonly fetch: SafeFetch
  /** Prefix of the signature's header fields, such as `X-Service`. */
  readonly headerPrefix: string
  readonly clock: Clock
  readonly logger: Logger
}

type Ending = Pick<DeliveryReport, 'result' | 'status' | 'error' | 'answer'>

/** Never rejects. */
export async function postDelivery(options: PostDeliveryOptions, delivery: QueuedDelivery): Promise<DeliveryReport> {
  const { account, number, organization, webhook, lease } = delivery
  const ending = await attempt(options, delivery)
  const { result, status, error } = ending
  if (result !== 'delivered')
    options.logger.info({ organization, webhook, status, error }, 'a webhook was not delivered')
  return { account, number, organization, lease, ...ending }
}

async function attempt({ fetch, headerPrefix, clock }: PostDeliveryOptions, delivery: QueuedDelivery): Promise<Ending> {
  try {
    const response = await fetch(delivery.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders(headerPrefix, delivery.secrets, delivery.body, clock.now()),
      },
      body: Buffer.from(delivery.body),
      timeoutMs: WEBHOOK_REQUEST_MS,
      maxBytes: WEBHOOK_ANSWER_MAX_BYTES,
      isStatusEnough: true,
    })
    return endingOf(response)
  } catch (error) {
    // A refused URL or a wrong certificate is a configuration error of the receiver: another attempt would not help.
    const fault = error instanceof EgressError ? error.fault : 'failed'
    const result = fault === 'refused' || fault === 'wrongName' ? 'refused' : 'failed'
    return { result, status: null, error: errorMessage(error), answer: null }
  }
}

function endingOf({ status, body }: EgressResponse): Ending {
  const answer = body.length === 0 ? null : textOf(body.subarray(0, WEBHOOK_ANSWER_KEPT_BYTES))
  if (status >= 200 && status < 300) return { result: 'delivered', status, error: null, answer }
  return { result: status === 410 ? 'gone' : 'failed', status, error: `the receiver answered ${status}`, answer }
}

/** PostgreSQL cannot store NUL in texts. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\ufffd')
}
