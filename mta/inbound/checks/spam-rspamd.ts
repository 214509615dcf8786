/**
 * Rspamd instead of the built-in spam filter: the message is sent by HTTP (`POST /checkv2`), and the answer becomes the verdict. When there is
 * no answer, or it cannot be parsed, the check has no finding and the built-in filter counts.
 */
import type { SpamSymbol, SpamVerdict } from '../../../jmap/delivery/spam/verdict.ts'
import type { Clock } from '../../../server/base/clock.ts'
import { errorMessage } from '../../../server/base/errors.ts'
import type { Logger } from '../../../server/base/logger.ts'
import {
  RSPAMD_MAX_ANSWER_BYTES,
  RSPAMD_REST_MS,
  RSPAMD_SYMBOLS_MAX,
  RSPAMD_TIMEOUT_MS,
  SPAM_DETAIL_MAX_CHARS,
} from '../../../server/base/spam-limits.ts'
import { type CheckedMessage, type InboundCheck, PASS } from './check.ts'

/** HTTP to an address that the operator has configured (server/egress/safe-fetch.ts). */
export type FilterFetch = (
  url: string,
  request: {
    readonly method: 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array
    readonly protocols: readonly ('https:' | 'http:')[]
    readonly timeoutMs: number
    readonly maxBytes: number
  },
) => Promise<{ readonly status: number; readonly body: Uint8Array }>

export interface Rspamd {
  /** URL of its normal worker, such as `http://127.0.0.1:11333`. */
  readonly url: string
  readonly fetch: FilterFetch
}

export interface RspamdOptions extends Rspamd {
  readonly clock: Clock
  readonly log: Logger
}

export function rspamdCheck({ url, fetch, clock, log }: RspamdOptions): InboundCheck {
  const address = new URL('checkv2', url.endsWith('/') ? url : `${url}/`).href
  /** Epoch ms. */
  let pausedUntil = 0
  return {
    name: 'rspamd',
    // An answer, or the timeout, can come before the end of the request.
    mayStillSend: true,
    async run(checked, { authentication }) {
      // After a failure Rspamd is not asked for a while, so that each message does not wait for the timeout.
      if (clock.now() < pausedUntil) return PASS
      try {
        const { status, body } = await fetch(address, {
          method: 'POST',
          headers: headersFor(checked, authentication?.iprev.name ?? null),
          body: checked.message.bytes,
          protocols: ['http:', 'https:'],
          timeoutMs: RSPAMD_TIMEOUT_MS,
          maxBytes: RSPAMD_MAX_ANSWER_BYTES,
        })
        if (status !== 200) throw new Error(`it answered ${status}`)
        const outside = readAnswer(Buffer.from(body).toString())
        return outside ? { verdict: { outside } } : PASS
      } catch (error) {
        pausedUntil = clock.now() + RSPAMD_REST_MS
        log.warn({ error: errorMessage(error) }, 'Rspamd failed; the built-in spam filter counts')
        return PASS
      }
    },
  }
}

function headersFor({ message }: CheckedMessage, hostname: string | null): Record<string, string> {
  const { session, mailFrom, recipients, id } = message
  const values: readonly (readonly [string, string | null])[] = [
    ['ip', session.remoteAddress],
    ['helo', session.helo],
    ['hostname', hostname],
    ['from', mailFrom === '' ? '<>' : mailFrom],
    ['rcpt', recipients[0]?.address ?? null],
    ['queue-id', id],
  ]
  const headers: Record<string, string> = { 'content-type': 'application/octet-stream' }
  for (const [name, value] of values) if (value && /^[\x21-\x7e]{1,500}$/.test(value)) headers[name] = value
  return headers
}

/** null: Rspamd has not scanned the message. @throws Error for an invalid answer */
function readAnswer(text: string): SpamVerdict | null {
  const answer = JSON.parse(text) as unknown
  if (!isRecord(answer)) throw new Error('its answer is no object')
  const { score, symbols, action } = answer
  // A message that a pre-filter decided about (such as the GTUBE test message) is marked as skipped too, but has an action.
  if (answer['is_skipped'] === true && (action === undefined || action === 'no action')) return null
  if (typeof score !== 'number' || !Number.isFinite(score)) throw new Error('its answer has no score')
  const found = isRecord(symbols) ? Object.entries(symbols).map(([name, symbol]) => readSymbol(name, symbol)) : []
  const scored = found.filter((symbol) => symbol !== null && symbol.score !== 0) as SpamSymbol[]
  scored.sort((a, b) => Math.abs(b.score) - Math.abs(a.score))
  return { score: hundredths(score), symbols: scored.slice(0, RSPAMD_SYMBOLS_MAX), engine: 'rspamd' }
}

function readSymbol(name: string, symbol: unknown): SpamSymbol | null {
  if (!isRecord(symbol)) return null
  const { score, description, options } = symbol
  if (typeof score !== 'number' || !Number.isFinite(score)) return null
  const detail = Array.isArray(options) ? options.filter((option) => typeof option === 'string').join(', ') : ''
  return {
    name: name.slice(0, SPAM_DETAIL_MAX_CHARS),
    score: hundredths(score),
    description: typeof description === 'string' && description !== '' ? description.slice(0, 200) : name.slice(0, 200),
    ...(detail !== '' && { detail: detail.slice(0, SPAM_DETAIL_MAX_CHARS) }),
  }
}

function hundredths(points: number): number {
  return Math.round(points * 100) / 100
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
