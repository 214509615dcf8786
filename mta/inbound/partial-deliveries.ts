/**
 * SMTP has one reply for all recipients of a message. When a message is stored for some recipients only, the reply is temporary, so that
 * nothing is lost and no bounce goes to a forged sender (promise S9). This class remembers the accounts that have the message, so that the
 * sender's retry does not store it twice. In memory only: after a restart a retry may store a second copy.
 */
import { PARTIAL_DELIVERIES_MAX } from '../../server/base/limits.ts'
import { hashInTurns } from '../../server/base/turns.ts'

export class PartialDeliveries {
  readonly #stored = new Map<string, Set<number>>()

  /** Accounts that have this message of this sender; null: none. The message is hashed only if any message is remembered. */
  async storedFor(mailFrom: string, bytes: Buffer): Promise<ReadonlySet<number> | null> {
    return this.#stored.size === 0 ? null : (this.#stored.get(await keyOf(mailFrom, bytes)) ?? null)
  }

  async remember(mailFrom: string, bytes: Buffer, accounts: readonly number[]): Promise<void> {
    const key = await keyOf(mailFrom, bytes)
    const known = this.#stored.get(key) ?? new Set()
    for (const account of accounts) known.add(account)
    this.#stored.delete(key)
    this.#stored.set(key, known)
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= PARTIAL_DELIVERIES_MAX) break
      this.#stored.delete(oldest)
    }
  }

  async forget(mailFrom: string, bytes: Buffer): Promise<void> {
    if (this.#stored.size > 0) this.#stored.delete(await keyOf(mailFrom, bytes))
  }
}

async function keyOf(mailFrom: string, bytes: Buffer): Promise<string> {
  return (await hashInTurns([Buffer.from(`${mailFrom}\0`), bytes])).toString('base64')
}
