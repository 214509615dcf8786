/** Access tokens of server-to-server OAuth apps at Zoom. Each lives an hour and is asked for once in that time. */
import { createHash } from 'node:crypto'
import type { ZoomCredentials } from '../../jmap/type/host-ports.ts'
import type { Clock } from '../base/clock.ts'
import {
  ZOOM_ANSWER_MAX_BYTES,
  ZOOM_REQUEST_MS,
  ZOOM_TOKEN_MARGIN_MS,
  ZOOM_TOKENS_KEPT,
} from '../base/conferencing-limits.ts'
import { forgetOldest } from '../base/forget-oldest.ts'
import type { SafeFetch } from '../egress/safe-fetch.ts'
import { noAnswer, objectIn, refusal, ZoomError } from './zoom-answer.ts'

interface Token {
  readonly text: string
  /** Epoch ms after which it is not used. */
  readonly until: number
}

export interface TokenOptions {
  readonly url: string
  readonly protocols: readonly ('https:' | 'http:')[]
  readonly fetch: SafeFetch
  readonly clock: Clock
}

export class ZoomTokens {
  readonly #options: TokenOptions
  /** By a hash of the credentials: other credentials of the same account get another token. */
  readonly #tokens = new Map<string, Promise<Token>>()

  constructor(options: TokenOptions) {
    this.#options = options
  }

  /** @throws ZoomError */
  async get(credentials: ZoomCredentials): Promise<string> {
    const key = keyOf(credentials)
    const known = await this.#tokens.get(key)?.catch(() => null)
    if (known && known.until > this.#options.clock.now()) return known.text
    const asked = this.#ask(credentials)
    this.#tokens.delete(key)
    this.#tokens.set(key, asked)
    forgetOldest(this.#tokens, ZOOM_TOKENS_KEPT)
    return (await asked).text
  }

  /** Zoom does not take the token any more. */
  forget(credentials: ZoomCredentials): void {
    this.#tokens.delete(keyOf(credentials))
  }

  async #ask({ accountId, clientId, clientSecret }: ZoomCredentials): Promise<Token> {
    const { url, protocols, fetch, clock } = this.#options
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'account_credentials', account_id: accountId }).toString(),
      protocols,
      timeoutMs: ZOOM_REQUEST_MS,
      maxBytes: ZOOM_ANSWER_MAX_BYTES,
    }).catch((error: unknown) => {
      throw noAnswer(error)
    })
    if (answer.status !== 200) throw refusal(answer, clock.now())
    const { access_token: text, expires_in: seconds } = objectIn(answer.body) ?? {}
    if (typeof text !== 'string' || !/^[\x21-\x7e]{1,8000}$/.test(text) || typeof seconds !== 'number')
      throw new ZoomError('Zoom answered without a token', 502)
    return { text, until: clock.now() + seconds * 1_000 - ZOOM_TOKEN_MARGIN_MS }
  }
}

function keyOf({ accountId, clientId, clientSecret }: ZoomCredentials): string {
  return createHash('sha256')
    .update(JSON.stringify([accountId, clientId, clientSecret]))
    .digest('base64')
}
