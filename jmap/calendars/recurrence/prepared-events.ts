/** Prepared events that a thread keeps, so that a query need not read and compile every event again. */
import { PREPARED_OCTETS_MAX } from '../../../server/base/calendar-limits.ts'
import { type Prepared, prepare, type RuleSet } from './prepare.ts'

type Entry = { readonly revision: string | number; readonly prepared: Prepared }

const KEPT_PART = 15 / 16

/**
 * By event id and revision. A revision is whatever changes with each write of the event, such as the modseq of its row: an entry of
 * another revision is never returned, so that nobody has to remove entries, also if another node writes. The oldest ones are dropped.
 */
export class PreparedEvents {
  private readonly entries = new Map<string, Entry>()
  private readonly maxOctets: number
  private octets = 0

  constructor(maxOctets: number = PREPARED_OCTETS_MAX) {
    this.maxOctets = maxOctets
  }

  /** null: it is not kept. */
  find(id: string, revision: string | number): Prepared | null {
    const found = this.entries.get(id)
    return found !== undefined && found.revision === revision ? found.prepared : null
  }

  /** `read` gives the event if it is not kept. Throws what `prepare` throws; a failure is not kept. */
  get(id: string, revision: string | number, read: () => RuleSet): Prepared {
    const kept = this.find(id, revision)
    if (kept !== null) return kept
    const prepared = prepare(read())
    const former = this.entries.get(id)
    if (former !== undefined) this.remove(id, former)
    this.entries.set(id, { revision, prepared })
    this.octets += prepared.octets
    if (this.octets > this.maxOctets) this.dropOldest()
    return prepared
  }

  /** A part at once, because a Map keeps the slots of removed entries for a while. */
  private dropOldest(): void {
    for (const [oldest, entry] of this.entries) {
      if (this.octets <= this.maxOctets * KEPT_PART) return
      this.remove(oldest, entry)
    }
  }

  private remove(id: string, entry: Entry): void {
    this.entries.delete(id)
    this.octets -= entry.prepared.octets
  }
}
