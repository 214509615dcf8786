/** Notifications of commits, for push and the workers. A lost notification only costs time: every listener also polls. */
import type { CommittedChange } from '../../storage/ports.ts'
import type { Services } from '../type/context.ts'

/** The new states of one account after a commit. Plain data. */
export interface StateChange {
  readonly account: number
  readonly accountId: string
  /** Type name to new state, for the types that changed. */
  readonly changed: { readonly [typeName: string]: string }
  /** A credential may have expired, or may have fewer rights. */
  readonly invalidatesCredentials: boolean
}

export class StateChanges {
  readonly #listeners = new Set<(change: StateChange) => void>()

  /** Returns a function that unsubscribes. */
  subscribe(listener: (change: StateChange) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  emit(change: StateChange): void {
    for (const listener of this.#listeners) listener(change)
  }

  emitCommits(
    commits: readonly CommittedChange[],
    { ids, invalidating }: Pick<Services, 'ids' | 'invalidating'>,
  ): void {
    if (this.#listeners.size === 0) return
    for (const { account, kind, states } of commits) {
      const changed = Object.fromEntries(Object.entries(states).map(([type, state]) => [type, String(state)]))
      this.emit({
        account,
        accountId: ids.accountId(kind, account),
        changed,
        invalidatesCredentials: invalidating.credentials.some((type) => type in states),
      })
    }
  }
}

/** Calls `listener` when notifications may have been lost, so that everything must be read. Returns a function that unsubscribes. */
export function onMissedChanges({ store }: Pick<Services, 'store'>, listener: () => void): () => void {
  return store.onRemoteCommit((commits) => {
    if (commits === null) listener()
  })
}
