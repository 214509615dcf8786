/** One push to one push service: RFC 8620 7.2, as an application server of RFC 8030, with RFC 8291 encryption and RFC 8292 identity. */
import { encryptPush } from '../../../jmap/push/encryption.ts'
import type { PushReport, QueuedPush } from '../../../jmap/push/subscription/deliveries.ts'
import type { Vapid } from '../../../jmap/push/vapid.ts'
import type { Clock } from '../../base/clock.ts'
import { errorMessage } from '../../base/errors.ts'
import type { Logger } from '../../base/logger.ts'
import { PUSH_REQUEST_MS, PUSH_TTL_SECONDS } from '../../base/push-limits.ts'
import { readRetryAfter } from '../../egress/retry-after.ts'
import type { EgressRequest, SafeFetch } from '../../egress/safe-fetch.ts'

export interface PostOptions {
  readonly fetch: SafeFetch
  readonly vapid: Vapid
  readonly clock: Clock
  readonly logger: Logger
}

/** Never rejects. Its messages are posted at the same time; if one is refused, all are posted again. */
export async function postPush(options: PostOptions, push: QueuedPush): Promise<PushReport> {
  const { account, id, lease, told, hasMore } = push
  const posted = await Promise.all(push.bodies.map((body) => post(options, push, body)))
  const result = posted.find(({ outcome }) => outcome !== 'taken') ?? { outcome: 'taken', retryAfter: null }
  return { account, id, lease, told, hasMore, ...result }
}

type Result = Pick<PushReport, 'outcome' | 'retryAfter'>

async function post({ fetch, vapid, clock, logger }: PostOptions, push: QueuedPush, body: string): Promise<Result> {
  const { account, id } = push
  try {
    const { status, headers } = await fetch(push.url, requestOf(push, body, vapid))
    // RFC 8030 5.1 demands 201; services that are not Web Push may answer any 2xx.
    if (status >= 200 && status < 300) return { outcome: 'taken', retryAfter: null }
    logger.info({ account, subscription: id, status }, 'a push was refused')
    const retryAfter = readRetryAfter(headers['retry-after'], clock.now())
    // RFC 8030 7.3
    if (status === 404 || status === 410) return { outcome: 'gone', retryAfter }
    return { outcome: status === 429 ? 'tooMany' : 'failed', retryAfter }
  } catch (error) {
    logger.info({ account, subscription: id, error: errorMessage(error) }, 'a push failed')
    return { outcome: 'failed', retryAfter: null }
  }
}

function requestOf({ url, keys }: QueuedPush, body: string, vapid: Vapid): EgressRequest {
  const message = Buffer.from(body)
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ttl: String(PUSH_TTL_SECONDS),
      urgency: 'normal',
      // RFC 9749 4: also for verifications.
      authorization: vapid.authorization(url),
      // RFC 8188 2: the octets are sent without further encoding.
      ...(keys && { 'content-encoding': 'aes128gcm' }),
    },
    body: keys ? encryptPush(message, keys) : message,
    timeoutMs: PUSH_REQUEST_MS,
  }
}
