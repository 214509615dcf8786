/** What Zoom answers, told apart: what may come right by itself, and what the owner has to mend. */
import { errorMessage } from '../base/errors.ts'
import { readRetryAfter } from '../egress/retry-after.ts'
import { EgressError, type EgressResponse } from '../egress/safe-fetch.ts'

/** A request that Zoom did not fulfil. Its message is for the owner: the end of a sentence, without secrets. */
export class ZoomError extends Error {
  override readonly name = 'ZoomError'
  /** HTTP status; null: no answer arrived. */
  readonly status: number | null
  /** Milliseconds that Zoom asks to wait; null: it does not say. */
  readonly retryAfter: number | null

  constructor(message: string, status: number | null, retryAfter: number | null = null) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }

  /** No answer, too many requests, or a fault of Zoom's own. */
  get mayComeRight(): boolean {
    return this.status === null || this.status === 408 || this.status === 429 || this.status >= 500
  }

  /** It may have been fulfilled all the same. */
  get isUnsure(): boolean {
    return this.status === null || this.status === 408 || this.status >= 500
  }
}

const WORDS_MAX_CHARS = 200

/** @param now epoch ms */
export function refusal({ status, headers, body }: EgressResponse, now: number): ZoomError {
  const said = wordsIn(body)
  const words = said === null ? '' : ` (${said})`
  return new ZoomError(`Zoom answered ${status}${words}`, status, readRetryAfter(headers['retry-after'], now))
}

/** No answer arrived. A refused address or a foreign certificate is no matter of waiting, but neither is it the owner's. */
export function noAnswer(error: unknown): ZoomError {
  const isLate = error instanceof EgressError && error.fault === 'timeout'
  return new ZoomError(isLate ? 'Zoom did not answer in time' : `Zoom was not reached (${errorMessage(error)})`, null)
}

/** Zoom's own words: `message` of the API, `reason` of tokens. */
function wordsIn(body: Buffer): string | null {
  const answer = objectIn(body)
  const said = answer?.['message'] ?? answer?.['reason']
  if (typeof said !== 'string') return null
  return (
    said
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, WORDS_MAX_CHARS) || null
  )
}

/** null: the body is no JSON object. */
export function objectIn(body: Buffer): { readonly [name: string]: unknown } | null {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'))
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer)
      ? (answer as { readonly [name: string]: unknown })
      : null
  } catch {
    return null
  }
}
