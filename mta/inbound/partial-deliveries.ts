/**
 * SMTP has one reply for all recipients of a message. When a message is stored for some recipients only, the reply is temporary, so that
 * nothing is lost and no bounce goes to a forged sender (promise S9). This class remembers the accounts that have the message, so that the
 * sender's retry does not store it twice. In memory only: after a restart a retry may store a second copy.
 */
import { createHash } from 'node:crypto'
import { PARTIAL_DELIVERIES_MAX } from '../../server/base/limits.ts'

export class PartialDeliveries {
  readonly #stored = new Map<string, Set<number>>()

  /** Accounts that have this message of this sender; null: none. The message is hashed only if any message is remembered. */
  storedFor(mailFrom: string, bytes: Buffer): ReadonlySet<number> | null {
    return this.#stored.size === 0 ? null : (this.#stored.get(keyOf(mailFrom, bytes)) ?? null)
  }

  remember(mailFrom: string, bytes: Buffer, accounts: readonly number[]): void {
    const key = keyOf(mailFrom, bytes)
    const known = this.#stored.get(key) ?? new Set()
    for (const account of accounts) known.add(account)
    this.#stored.delete(key)
    this.#stored.set(key, known)
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= PARTIAL_DELIVERIES_MAX) break
      this.#stored.delete(oldest)
    }
  }

  forget(mailFrom: string, bytes: Buffer): void {
    if (this.#stored.size > 0) this.#stored.delete(keyOf(mailFrom, bytes))
  }
}

function keyOf(mailFrom: string, bytes: Buffer): string {
  return createHash('sha256').update(mailFrom).update('\0').update(bytes).digest('base64')
}
