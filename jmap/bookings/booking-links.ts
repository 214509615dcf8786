/**
 * Signed links by which an invitee manages a booking. A link names the mailbox's account and a random number of the booking; the database
 * alone is not enough to make one. It ends with the booking, because the row says whether it still stands.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../server/base/keyring.ts'

const NONCE_BYTES = 12
const MAC_CHARS = 27

export interface BookingLink {
  /** Account of the mailbox. */
  readonly account: number
  readonly nonce: string
}

export function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('base64url')
}

export function makeToken(keyring: Keyring, { account, nonce }: BookingLink): string {
  return `${account.toString(36)}.${nonce}.${macOf(keysOf(keyring)[0]!, account, nonce)}`
}

/** null: this installation did not make it. It reads no store, so that forged ones cost little. */
export function readToken(keyring: Keyring, token: string): BookingLink | null {
  const [, accountText, nonce, mac] = TOKEN.exec(token) ?? []
  if (accountText === undefined) return null
  const account = Number.parseInt(accountText, 36)
  return keysOf(keyring).some((key) => isSame(macOf(key, account, nonce!), mac!)) ? { account, nonce: nonce! } : null
}

const TOKEN = /^([0-9a-z]{1,10})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{27})$/

const known = new WeakMap<Keyring, readonly Uint8Array[]>()

/** Deriving takes longer than signing. */
function keysOf(keyring: Keyring): readonly Uint8Array[] {
  const keys = known.get(keyring) ?? keyring.derive('booking links')
  known.set(keyring, keys)
  return keys
}

function macOf(key: Uint8Array, account: number, nonce: string): string {
  return createHmac('sha256', key).update(`${account}.${nonce}`).digest('base64url').slice(0, MAC_CHARS)
}

/** Both have MAC_CHARS characters. */
function isSame(made: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(made), Buffer.from(given))
}
