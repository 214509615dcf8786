/**
 * The only way to write: lock the accounts' rows, do the work, write the change log, hand over to the commit queue. The lock comes
 * first on both engines, so that sequence numbers are in the order of commits.
 */
import { AccountGone } from './account-gone.ts'
import { appendChanges, type StagedChange, setState } from './change-log.ts'
import { NotLocked } from './not-locked.ts'
import type { AccountUnit, ChangeKind, CommittedChange, Sql, Unit } from './ports.ts'
import { insertAccount, lockAccount, nextAccount, saveAccount } from './repos/accounts.ts'
import type { AccountTable } from './schema/tables.ts'

/** Accounts in one transaction. Every attempt has its own. */
export class UnitOfWork implements Unit {
  readonly sql: Sql
  readonly now: number
  readonly #accounts = new Map<number, LockedAccount>()

  constructor(sql: Sql, now: number) {
    this.sql = sql
    this.now = now
  }

  /** @param accounts ascending, so that no two units wait for each other; accounts that are locked already are skipped */
  async lock(accounts: readonly number[]): Promise<void> {
    for (const account of accounts) {
      if (this.#accounts.has(account)) continue
      const row = await lockAccount(this.sql, account)
      if (!row) throw new AccountGone(account)
      this.#accounts.set(account, new LockedAccount(this.sql, this.now, account, row))
    }
  }

  account(account: number): AccountUnit {
    const found = this.#accounts.get(account)
    if (!found) throw new NotLocked(account)
    return found
  }

  async createAccount(row: Parameters<Unit['createAccount']>[0]): Promise<AccountUnit> {
    const account = await nextAccount(this.sql)
    const organization = row.organization ?? account
    const fresh = { kind: row.kind, organization, seq: 0, next_object: 1, used_bytes: 0, deleted_at: null }
    await insertAccount(this.sql, {
      id: account,
      name: row.name,
      ...fresh,
      created_at: this.now,
      suspended_at: null,
    })
    const locked = new LockedAccount(this.sql, this.now, account, fresh)
    this.#accounts.set(account, locked)
    return locked
  }

  /** Writes the change log and the accounts' rows. @returns what changed, for listeners */
  async finish(): Promise<CommittedChange[]> {
    const changes: CommittedChange[] = []
    for (const account of this.#accounts.values()) {
      const change = await account.finish()
      if (change) changes.push(change)
    }
    return changes
  }
}

type AccountNumbers = Pick<AccountTable, 'kind' | 'organization' | 'seq' | 'next_object' | 'used_bytes' | 'deleted_at'>

class LockedAccount implements AccountUnit {
  readonly sql: Sql
  readonly now: number
  readonly account: number
  readonly #row: AccountNumbers
  readonly #staged: StagedChange[] = []
  readonly #advanced = new Set<string>()
  readonly #notified = new Set<string>()
  readonly #ended = new Set<string>()
  #dirty = false
  #states: Readonly<Record<string, number>> = {}

  constructor(sql: Sql, now: number, account: number, row: AccountNumbers) {
    this.sql = sql
    this.now = now
    this.account = account
    this.#row = { ...row }
  }

  get organization(): number {
    return this.#row.organization
  }

  get isDeleted(): boolean {
    return this.#row.deleted_at !== null
  }

  get seq(): number {
    return this.#row.seq
  }

  get usedBytes(): number {
    return this.#row.used_bytes
  }

  nextObject(): number {
    this.#dirty = true
    return this.#row.next_object++
  }

  change(type: string, object: number, kind: ChangeKind, props?: readonly string[]): void {
    this.#staged.push({ type, object, kind, props: props ? props.join(',') : null })
  }

  advanceState(type: string): void {
    this.#advanced.add(type)
  }

  endHistory(type: string): void {
    this.#ended.add(type)
  }

  notify(type: string): void {
    this.#notified.add(type)
  }

  addUsedBytes(delta: number): void {
    this.#dirty = true
    this.#row.used_bytes += delta
  }

  committedState(type: string): number | undefined {
    return this.#states[type]
  }

  async finish(): Promise<CommittedChange | null> {
    const states = await appendChanges(this.sql, this.account, this.#row.seq, this.now, this.#staged)
    if (this.#advanced.size > 0 && states.last === this.#row.seq) states.last++
    for (const type of this.#advanced) {
      states.byType[type] = states.last
      await setState(this.sql, this.account, type, states.last)
    }
    for (const type of this.#ended) {
      // A state that no row of the log has would be passed over by the next look-up.
      const state = states.byType[type]
      if (state === undefined) throw new TypeError(`${type}: its history ends without a change`)
      await setState(this.sql, this.account, type, state)
    }
    if (states.last !== this.#row.seq) this.#dirty = true
    this.#row.seq = states.last
    this.#states = states.byType
    if (this.#dirty) {
      const { seq, next_object, used_bytes } = this.#row
      await saveAccount(this.sql, { id: this.account, seq, next_object, used_bytes })
    }
    for (const type of this.#notified) states.byType[type] ??= states.last
    const changed = Object.keys(states.byType).length > 0
    return changed ? { account: this.account, kind: this.#row.kind, states: states.byType } : null
  }
}
