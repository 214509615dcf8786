/**
 * Rspamd instead of our own spam score: the message goes to its HTTP protocol (`POST /checkv2`), what it says becomes the verdict. When
 * it does not answer, or in words that cannot be read, nothing is said, and our own score counts.
 */
import type { SpamSymbol, SpamVerdict } from '../../../jmap/mail/spam/facts.ts'
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
import { type CheckedMail, type InboundCheck, PASS } from './check.ts'

/** The way to an address that the operator has written (server/egress/safe-fetch.ts). */
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
  /** Of its normal worker, such as `http://127.0.0.1:11333`. */
  readonly url: string
  readonly fetch: FilterFetch
}

export interface RspamdOptions extends Rspamd {
  readonly clock: Clock
  readonly log: Logger
}

export function rspamdCheck({ url, fetch, clock, log }: RspamdOptions): InboundCheck {
  const address = new URL('checkv2', url.endsWith('/') ? url : `${url}/`).href
  let restsUntil = 0
  return {
    name: 'rspamd',
    async run(checked, { authentication }) {
      // While it is down nobody's mail waits for it again and again.
      if (clock.now() < restsUntil) return PASS
      try {
        const { status, body } = await fetch(address, {
          method: 'POST',
          headers: headersFor(checked, authentication?.iprev.name ?? null),
          body: checked.mail.bytes,
          protocols: ['http:', 'https:'],
          timeoutMs: RSPAMD_TIMEOUT_MS,
          maxBytes: RSPAMD_MAX_ANSWER_BYTES,
        })
        if (status !== 200) throw new Error(`it answered ${status}`)
        const outside = readAnswer(Buffer.from(body).toString())
        return outside ? { verdict: { outside } } : PASS
      } catch (error) {
        restsUntil = clock.now() + RSPAMD_REST_MS
        log.warn({ error: errorMessage(error) }, 'Rspamd was not to be had; our own spam score counts')
        return PASS
      }
    },
  }
}

function headersFor({ mail }: CheckedMail, hostname: string | null): Record<string, string> {
  const { session, mailFrom, recipients, id } = mail
  const named: readonly (readonly [string, string | null])[] = [
    ['ip', session.remoteAddress],
    ['helo', session.helo],
    ['hostname', hostname],
    ['from', mailFrom === '' ? '<>' : mailFrom],
    ['rcpt', recipients[0]?.address ?? null],
    ['queue-id', id],
  ]
  const headers: Record<string, string> = { 'content-type': 'application/octet-stream' }
  for (const [name, value] of named) if (value && /^[\x21-\x7e]{1,500}$/.test(value)) headers[name] = value
  return headers
}

/** null: it has not looked at the message. @throws for what is no answer of Rspamd's */
function readAnswer(text: string): SpamVerdict | null {
  const answer = JSON.parse(text) as unknown
  if (!isRecord(answer)) throw new Error('its answer is no object')
  const { score, symbols, action } = answer
  // What one of its first filters has judged counts as skipped too, but has an action: the test message of spam filters among them.
  if (answer['is_skipped'] === true && (action === undefined || action === 'no action')) return null
  if (typeof score !== 'number' || !Number.isFinite(score)) throw new Error('its answer has no score')
  const found = isRecord(symbols) ? Object.entries(symbols).map(([name, symbol]) => readSymbol(name, symbol)) : []
  const telling = found.filter((symbol) => symbol !== null && symbol.score !== 0) as SpamSymbol[]
  telling.sort((a, b) => Math.abs(b.score) - Math.abs(a.score))
  return { score: hundredths(score), symbols: telling.slice(0, RSPAMD_SYMBOLS_MAX), engine: 'rspamd' }
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
