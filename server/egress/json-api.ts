/** JSON APIs of registrars and DNS providers: requests that never reject, and their failures told apart. */
import { parseIJson } from '../../jmap/protocol/i-json.ts'
import type { ProviderAnswer, ProviderFault } from '../../jmap/type/provider-answer.ts'
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import {
  PROVIDER_ANSWER_MAX_BYTES,
  PROVIDER_REQUEST_MS,
  PROVIDER_WORDS_MAX_CHARS,
} from '../base/registration-limits.ts'
import { readRetryAfter } from './retry-after.ts'
import { EgressError, type EgressRequest, type SafeFetch } from './safe-fetch.ts'

/** A request that was not fulfilled. Its message is the end of a sentence for the customer, without secrets. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly fault: ProviderFault
  /** HTTP status; null: no answer arrived. */
  readonly status: number | null

  constructor(fault: ProviderFault, status: number | null = null) {
    super(fault.reason)
    this.fault = fault
    this.status = status
  }
}

export function refusal(reason: string, status: number | null = null): ProviderError {
  return new ProviderError({ kind: 'refused', reason }, status)
}

/** The answer of some requests. */
export async function answered<T>(work: () => Promise<T>): Promise<ProviderAnswer<T>> {
  try {
    return { kind: 'done', value: await work() }
  } catch (error) {
    if (error instanceof ProviderError) return error.fault
    return { kind: 'unreachable', reason: errorMessage(error), retryAfter: null }
  }
}

export interface JsonApiOptions {
  /** URL without a slash at the end. */
  readonly base: string
  readonly fetch: SafeFetch
  readonly clock: Clock
  readonly headers: Readonly<Record<string, string>>
  readonly protocols: readonly ('https:' | 'http:')[]
  /** Name of the service, as the beginning of a sentence. */
  readonly label: string
  /** The credentials are the customer's, so that waiting does not help; else the operator may mend them. */
  readonly isDenialFinal: boolean
  /** The service's own words about a failure; null: it gives none. */
  readonly wordsOf: (answer: JsonAnswer) => string | null
}

export type JsonAnswer = { readonly [name: string]: unknown }

export interface JsonCall {
  readonly method?: EgressRequest['method']
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Statuses beside 2xx that are no failure. */
  readonly allowed?: readonly number[]
}

export class JsonApi {
  readonly #options: JsonApiOptions

  constructor(options: JsonApiOptions) {
    this.#options = options
  }

  /** @throws ProviderError */
  async call(
    path: string,
    { method = 'GET', body, headers = {}, allowed = [] }: JsonCall = {},
  ): Promise<{ readonly status: number; readonly answer: JsonAnswer }> {
    const { base, fetch, label, clock, protocols, isDenialFinal, wordsOf } = this.#options
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...this.#options.headers,
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      protocols,
      timeoutMs: PROVIDER_REQUEST_MS,
      maxBytes: PROVIDER_ANSWER_MAX_BYTES,
    }).catch((error: unknown) => {
      throw noAnswer(label, error)
    })
    const { status } = response
    const answer = objectIn(response.body)
    const isDone = status >= 200 && status < 300
    // Half an answer, or that of a login page, must not look like a zone without records.
    if (isDone && answer === null && response.body.length > 0) throw unusable(label)
    if (isDone || allowed.includes(status)) return { status, answer: answer ?? {} }
    const said = clean((answer && wordsOf(answer)) ?? '')
    const reason = `${label} answered ${status}${said === '' ? '' : ` (${said})`}`
    const retryAfter = readRetryAfter(response.headers['retry-after'], clock.now())
    const mayComeRight = status === 408 || status === 429 || status >= 500
    const isDenied = (status === 401 || status === 403) && !isDenialFinal
    const isOpen = mayComeRight || isDenied || (status >= 300 && status < 400)
    throw new ProviderError(isOpen ? { kind: 'unreachable', reason, retryAfter } : { kind: 'refused', reason }, status)
  }
}

/** An address that may not be used stays one; all else may come right. */
function noAnswer(label: string, error: unknown): ProviderError {
  const isLate = error instanceof EgressError && error.fault === 'timeout'
  const reason = isLate ? `${label} did not answer in time` : `${label} was not reached (${errorMessage(error)})`
  if (error instanceof EgressError && error.fault === 'refused') return refusal(reason)
  return new ProviderError({ kind: 'unreachable', reason, retryAfter: null })
}

/** For customers: in one line, bounded. */
export function clean(words: string): string {
  return words
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, PROVIDER_WORDS_MAX_CHARS)
}

export function unusable(label: string): ProviderError {
  return new ProviderError({ kind: 'unreachable', reason: `${label} gave an answer of no use`, retryAfter: null })
}

/** null: the body is no JSON object. A million small values take many times the memory of their octets, so they are not parsed. */
function objectIn(body: Buffer): JsonAnswer | null {
  const parsed = parseIJson(body)
  return 'value' in parsed ? asObject(parsed.value) : null
}

export function asObject(value: unknown): JsonAnswer | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonAnswer) : null
}

/** The objects of a list that an answer must have. @throws ProviderError */
export function requiredList(value: unknown, label: string): readonly JsonAnswer[] {
  if (Array.isArray(value) && value.every((one) => asObject(one) !== null)) return value as readonly JsonAnswer[]
  throw unusable(label)
}

/** The objects of a list; none if it is no list. */
export function objectsIn(value: unknown): readonly JsonAnswer[] {
  return Array.isArray(value) ? value.map(asObject).filter((one) => one !== null) : []
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}
