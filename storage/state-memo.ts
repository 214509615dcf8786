/**
 * The states of types, remembered under the account's newest sequence number: every change moves that, so as long as it stands they
 * stand, whoever wrote. Looking a state up in the log costs several times as much as the account's row.
 */
import { forgetOldest } from '../server/base/forget-oldest.ts'
import { STATE_MEMO_MAX_ACCOUNTS } from '../server/base/limits.ts'

interface Known {
  readonly seq: number
  readonly states: Map<string, number>
}

export class StateMemo {
  readonly #accounts = new Map<number, Known>()

  /** What is known of an account at this number, by type; to be added to. */
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
