/**
 * Signed links in mails and to pages that are not listed, which work without a login. A link names an account and a row there; the database
 * alone is not enough to make one. It ends with the row.
 */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../server/base/keyring.ts'

const NONCE_BYTES = 12
const MAC_CHARS = 27
const TOKEN = /^([0-9a-z]{1,10})\.([A-Za-z0-9_-]{1,16})\.([A-Za-z0-9_-]{27})$/

export interface SignedLink {
  readonly account: number
  /** Of the row: random, if a new link is to end older ones. At most 16 characters of base64url. */
  readonly nonce: string
}

export function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('base64url')
}

export class SignedLinks {
  readonly #purpose: string

  /** @param purpose separates the links of one kind from those of another, such as `booking links` */
  constructor(purpose: string) {
    this.#purpose = purpose
  }

  makeToken(keyring: Keyring, { account, nonce }: SignedLink): string {
    return `${account.toString(36)}.${nonce}.${macOf(keyring.derive(this.#purpose)[0]!, account, nonce)}`
  }

  /** null: this installation did not make it. It reads no store, so that forged ones cost little. */
  readToken(keyring: Keyring, token: string): SignedLink | null {
    const [, accountText, nonce, mac] = TOKEN.exec(token) ?? []
    if (accountText === undefined) return null
    const account = Number.parseInt(accountText, 36)
    if (account.toString(36) !== accountText) return null
    const isOurs = keyring.derive(this.#purpose).some((key) => isSame(macOf(key, account, nonce!), mac!))
    return isOurs ? { account, nonce: nonce! } : null
  }
}

function macOf(key: KeyObject, account: number, nonce: string): string {
  return createHmac('sha256', key).update(`${account}.${nonce}`).digest('base64url').slice(0, MAC_CHARS)
}

/** Both have MAC_CHARS characters. */
function isSame(made: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(made), Buffer.from(given))
}
