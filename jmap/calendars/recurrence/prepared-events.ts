/** Prepared events that a thread keeps, so that a query need not read and compile every event again. */
import { PREPARED_OCTETS_MAX } from '../../../server/base/calendar-limits.ts'
import { type Prepared, prepare, type RuleSet } from './prepare.ts'

type Entry = { readonly revision: string | number; readonly prepared: Prepared }

const KEPT_PART = 15 / 16

/**
 * By account, number of the event and revision. A revision is whatever changes with each write of the event, such as the modseq of its row: an
 * entry of another revision is never returned, so that nobody has to remove entries, also if another node writes. The oldest ones of the
 * account that was asked for least recently are dropped.
 */
export class PreparedEvents {
  /** In the order of their last use. */
  private readonly accounts = new Map<number, Map<number, Entry>>()
  private readonly maxOctets: number
  private octets = 0

  constructor(maxOctets: number = PREPARED_OCTETS_MAX) {
    this.maxOctets = maxOctets
  }

  ofAccount(account: number): AccountPrepared {
    return new AccountPrepared(
      () => this.entriesOf(account),
      (octets) => this.grow(octets),
    )
  }

  private entriesOf(account: number): Map<number, Entry> {
    const entries = this.accounts.get(account) ?? new Map<number, Entry>()
    this.accounts.delete(account)
    this.accounts.set(account, entries)
    return entries
  }

  /** A part at once, because a Map keeps the slots of removed entries for a while. */
  private grow(octets: number): void {
    this.octets += octets
    if (this.octets <= this.maxOctets) return
    for (const [account, entries] of this.accounts) {
      for (const [oldest, { prepared }] of entries) {
        if (this.octets <= this.maxOctets * KEPT_PART) return
        entries.delete(oldest)
        this.octets -= prepared.octets
      }
      this.accounts.delete(account)
    }
  }
}

/** Those of one account, for one query. */
export class AccountPrepared {
  private readonly present: () => Map<number, Entry>
  private readonly grow: (octets: number) => void
  private entries: Map<number, Entry>

  /** @param present the entries of the account, which may have been dropped since @param grow counts octets of new ones */
  constructor(present: () => Map<number, Entry>, grow: (octets: number) => void) {
    this.present = present
    this.grow = grow
    this.entries = present()
  }

  /** null: it is not kept. */
  find(event: number, revision: string | number): Prepared | null {
    const found = this.entries.get(event)
    return found !== undefined && found.revision === revision ? found.prepared : null
  }

  /** `read` gives the event if it is not kept. Throws what `prepare` throws; a failure is not kept. */
  get(event: number, revision: string | number, read: () => RuleSet): Prepared {
    const kept = this.find(event, revision)
    if (kept !== null) return kept
    const prepared = prepare(read())
    this.entries = this.present()
    const former = this.entries.get(event)
    this.entries.delete(event)
    this.entries.set(event, { revision, prepared })
    this.grow(prepared.octets - (former?.prepared.octets ?? 0))
    return prepared
  }
}
