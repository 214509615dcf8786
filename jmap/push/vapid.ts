/** RFC 8292: signed tokens that identify this server to push services. The key pair is made once per installation (RFC 9749 3). Pure. */

import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Clock } from '../../server/base/clock.ts'
import { forgetOldest } from '../../server/base/forget-oldest.ts'
import { VAPID_LIFETIME_MS, VAPID_RENEW_MS, VAPID_TOKENS_MAX } from '../../server/base/push-limits.ts'
import type { VapidKeys } from '../type/context.ts'

export function createVapidKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** @param pem as createVapidKeys made it */
export function readVapidKeys(pem: string): VapidKeys {
  const { x, y } = createPrivateKey(pem).export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')])
  return { publicKey: point.toString('base64url'), privateKey: pem }
}

/** Signed tokens, one for each push service, renewed before they expire. */
export class Vapid {
  readonly #clock: Clock
  readonly #contact: string
  readonly #publicKey: string
  readonly #key: KeyObject
  /** By origin. */
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>()

  /** @param contact mailto: or https: address of the operator (RFC 8292 2.1) */
  constructor({ publicKey, privateKey }: VapidKeys, contact: string, clock: Clock) {
    this.#clock = clock
    this.#contact = contact
    this.#publicKey = publicKey
    this.#key = createPrivateKey(privateKey)
  }

  /** Value of the Authorization field of a push to this URL: RFC 8292 3. */
  authorization(url: string): string {
    return `vapid t=${this.#token(new URL(url).origin)}, k=${this.#publicKey}`
  }

  #token(origin: string): string {
    const now = this.#clock.now()
    const known = this.#tokens.get(origin)
    if (known && known.until - now > VAPID_RENEW_MS) return known.token
    const until = now + VAPID_LIFETIME_MS
    const token = this.#sign({ aud: origin, exp: Math.floor(until / 1000), sub: this.#contact })
    this.#tokens.delete(origin)
    this.#tokens.set(origin, { token, until })
    forgetOldest(this.#tokens, VAPID_TOKENS_MAX)
    return token
  }

  /** RFC 7515 with ES256. */
  #sign(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`
    const signature = sign('sha256', Buffer.from(text), { key: this.#key, dsaEncoding: 'ieee-p1363' })
    return `${text}.${signature.toString('base64url')}`
  }
}
