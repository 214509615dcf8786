/**
 * Units of work that wait for a commit, and which of them are in the next one. Background units let all others go first; only when these come
 * without an end does one of the background follow after some commits.
 */
import { COMMIT_BATCH_MAX } from '../server/base/limits.ts'
import { BACKGROUND_AFTER_COMMITS } from '../server/base/storage-limits.ts'
import type { Work } from './commit-batch.ts'

export interface PendingUnit extends Work {
  /** It runs in a commit of its own, when no other waits. */
  readonly isBackground: boolean
}

export class PendingUnits<Pending extends PendingUnit> {
  #units: Pending[] = []
  #background: Pending[] = []
  /** Commits since a unit of the background has waited. */
  #passed = 0

  get isEmpty(): boolean {
    return this.#units.length === 0 && this.#background.length === 0
  }

  add(pending: Pending): void {
    if (pending.isBackground) this.#background.push(pending)
    else this.#units.push(pending)
  }

  /** Units of a commit that failed come first again. */
  putBack(units: readonly Pending[]): void {
    this.#units.unshift(...units)
  }

  takeAll(): Pending[] {
    return [...this.#units.splice(0), ...this.#background.splice(0)]
  }

  /**
   * The units of the next commit of a lane.
   * @param lanes how many there are
   * @param committing the accounts of commits under way in the others. The units of an account are in one lane at a time: in another lane they
   * would wait for the locked row, and so would all other units of their commit.
   */
  take(lanes: number, committing: ReadonlySet<number>): readonly Pending[] {
    const mustWait = this.#units.length > 0 && this.#passed < BACKGROUND_AFTER_COMMITS
    const next = mustWait ? undefined : this.#background.find(({ accounts }) => isFree(accounts, committing))
    if (next === undefined) {
      const batch = lanes === 1 ? this.#units.splice(0, COMMIT_BATCH_MAX) : this.#takeShare(lanes, committing)
      if (batch.length > 0 && this.#background.length > 0) this.#passed++
      return batch
    }
    this.#background.splice(this.#background.indexOf(next), 1)
    this.#passed = 0
    return [next]
  }

  /** The oldest units that can run now. */
  #takeShare(lanes: number, committing: ReadonlySet<number>): readonly Pending[] {
    const share = Math.ceil(this.#units.length / lanes)
    const taken = new Set(committing)
    const own = new Set<number>()
    const batch: Pending[] = []
    const rest: Pending[] = []
    for (const pending of this.#units) {
      const { accounts } = pending
      const room = batch.length < share || (accounts.length > 0 && accounts.every((account) => own.has(account)))
      if (batch.length < COMMIT_BATCH_MAX && room && isFree(accounts, taken)) {
        batch.push(pending)
        for (const account of accounts) own.add(account)
      } else {
        rest.push(pending)
        // Younger units of the same accounts must not overtake it.
        for (const account of accounts) taken.add(account)
      }
    }
    this.#units = rest
    return batch
  }
}

function isFree(accounts: readonly number[], taken: ReadonlySet<number>): boolean {
  return !accounts.some((account) => taken.has(account))
}
