/**
 * Signed tokens in URLs of the session, for what cannot send Authorization: EventSource, `<img>` and `<a download>` of browsers. A token
 * stands for one credential, with the secret that it has now, and for one use. Nothing is stored (decision 0030).
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../server/base/keyring.ts'
import { URL_TOKEN_SECONDS } from '../../server/base/login-limits.ts'
import type { Principal } from '../../server/base/principal.ts'
import type { Services } from './context.ts'

/** What a token may be used for. */
export type UrlUse = keyof typeof URL_TOKEN_SECONDS

export interface UrlToken {
  readonly credential: string
  /** Epoch ms. */
  readonly expiresAt: number
  /** Of the stamp that the credential had. */
  readonly stampTag: string
}

/** null: the principal has no secret that the token could end with. */
export function makeUrlToken(
  { keyring, clock }: Pick<Services, 'keyring' | 'clock'>,
  { credential, stamp }: Principal,
  use: UrlUse,
): string | null {
  if (stamp === undefined) return null
  const key = keysOf(keyring)[0]!
  const expires = Math.floor(clock.now() / 1000) + URL_TOKEN_SECONDS[use]
  const content = `${credential}.${expires.toString(36)}.${macOf(key, ['stamp', stamp]).slice(0, 22)}`
  return `${content}.${macOf(key, [use, content])}`
}

/** A token that this installation made for this use, expired or not. It reads no store, so that forged ones cost little. */
export function readUrlToken(keyring: Keyring, token: string, use: UrlUse): UrlToken | null {
  const [, content, credential, expires, stampTag, mac] = TOKEN.exec(token) ?? []
  if (!keysOf(keyring).some((key) => isSame(macOf(key, [use, content!]), mac))) return null
  return { credential: credential!, expiresAt: Number.parseInt(expires!, 36) * 1000, stampTag: stampTag! }
}

/** Whether the secret of the credential is the one that it was when the token was made. */
export function isTokenOf(keyring: Keyring, { stampTag }: UrlToken, { stamp }: Principal): boolean {
  if (stamp === undefined) return false
  return keysOf(keyring).some((key) => isSame(macOf(key, ['stamp', stamp]).slice(0, 22), stampTag))
}

const TOKEN = /^(([A-Za-z0-9_-]{1,100})\.([0-9a-z]{1,8})\.([A-Za-z0-9_-]{22}))\.([A-Za-z0-9_-]{43})$/

function keysOf(keyring: Keyring): readonly KeyObject[] {
  return keyring.derive('url tokens')
}

function macOf(key: KeyObject, parts: readonly string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
}

function isSame(made: string, given: string | undefined): boolean {
  const [a, b] = [Buffer.from(made), Buffer.from(given ?? '')]
  return a.length === b.length && timingSafeEqual(a, b)
}
