/**
 * SMTP has one reply for all recipients of a message. When a message is stored for some recipients only, the reply is temporary, so that
 * nothing is lost and no bounce goes to a forged sender (promise S9). This class remembers the accounts that have the message, so that the
 * sender's retry does not store it twice. In memory only: after a restart a retry may store a second copy.
 */
import { PARTIAL_DELIVERIES_MAX } from '../../server/base/smtp-limits.ts'
import { hashInTurns } from '../../server/base/turns.ts'

export interface DeliveryAttempt {
  /** Accounts that have the message of an earlier attempt. */
  readonly known: ReadonlySet<number>
  remember(accounts: readonly number[]): void
  forget(): void
}

const NONE: ReadonlySet<number> = new Set()

export class PartialDeliveries {
  readonly #stored = new Map<string, Set<number>>()

  /** The octets are not read afterwards. A message is hashed only if it may be stored for some of its recipients, or another one was. */
  async begin(mailFrom: string, bytes: Buffer, recipients: number): Promise<DeliveryAttempt> {
    const key = recipients > 1 || this.#stored.size > 0 ? await keyOf(mailFrom, bytes) : null
    return {
      known: (key !== null && this.#stored.get(key)) || NONE,
      remember: (accounts) => {
        if (key !== null) this.#remember(key, accounts)
      },
      forget: () => {
        if (key !== null) this.#stored.delete(key)
      },
    }
  }

  #remember(key: string, accounts: readonly number[]): void {
    const known = this.#stored.get(key) ?? new Set()
    for (const account of accounts) known.add(account)
    this.#stored.delete(key)
    this.#stored.set(key, known)
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= PARTIAL_DELIVERIES_MAX) break
      this.#stored.delete(oldest)
    }
  }
}

async function keyOf(mailFrom: string, bytes: Buffer): Promise<string> {
  return (await hashInTurns([Buffer.from(`${mailFrom}\0`), bytes])).toString('base64')
}
