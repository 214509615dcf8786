/**
 * Caches the states of types under the account's newest sequence number. Every change by any process moves that number, so cached
 * states are valid as long as it is the same. Looking up a state in the change log costs several times as much as reading the
 * account's row.
 */
import { forgetOldest } from '../server/base/forget-oldest.ts'
import { STATE_MEMO_MAX_ACCOUNTS } from '../server/base/limits.ts'

interface Known {
  readonly seq: number
  readonly states: Map<string, number>
}

export class StateMemo {
  readonly #accounts = new Map<number, Known>()

  /** The cached states of an account at this sequence number, by type. The caller adds to them. */
  at(account: number, seq: number): Map<string, number> {
    const known = this.#accounts.get(account)
    if (known?.seq === seq) return known.states
    const states = new Map<string, number>()
    this.#accounts.delete(account)
    this.#accounts.set(account, { seq, states })
    forgetOldest(this.#accounts, STATE_MEMO_MAX_ACCOUNTS)
    return states
  }
}

/** The states of a snapshot. Its sequence numbers do not change, so that the row of an account is read once. */
export class SnapshotStates {
  readonly #memo: StateMemo
  readonly #accounts = new Map<number, Map<string, number>>()

  constructor(memo: StateMemo) {
    this.#memo = memo
  }

  /** The cached states of an account, by type. The caller adds to them. undefined: its sequence number is not known yet. */
  of(account: number): Map<string, number> | undefined {
    return this.#accounts.get(account)
  }

  /** @param seq of the account's row in the snapshot */
  note(account: number, seq: number): Map<string, number> {
    const states = this.#memo.at(account, seq)
    this.#accounts.set(account, states)
    return states
  }
}
