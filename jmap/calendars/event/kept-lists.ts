/**
 * Lists of instances that a thread keeps, by account and window: people look at the same few weeks again and again, mostly after one event has
 * changed. A list is of the rows from which it was made (kept-times.ts). A row is another object after each change of its event, so that a
 * list is brought up to date by what the rows differ in, whatever state the reader sees.
 */
import { KEPT_LISTS_CHANGED_PART, KEPT_LISTS_OCTETS_MAX } from '../../../server/base/calendar-limits.ts'
import type { Store } from '../../../storage/ports.ts'
import type { EventRow } from './event-rows.ts'
import type { SortedEvents } from './sorted-events.ts'

interface Kept {
  /** Of events that may be in the list. */
  readonly rows: readonly EventRow[]
  readonly list: SortedEvents
  readonly octets: number
}

/** What a list needs to be that of the rows. */
export interface Difference {
  readonly list: SortedEvents
  /** Rows of the list that are no more. */
  readonly gone: ReadonlySet<EventRow>
  /** Rows that the list is not of. */
  readonly fresh: readonly EventRow[]
}

/** About what a place of a list, and a row with its places in sets and arrays, take in memory. */
const PLACE_OCTETS = 20
const ROW_OCTETS = 200

export class KeptLists {
  /** Ordered by last use. */
  readonly #lists = new Map<string, Kept>()
  readonly #maxOctets: number
  #octets = 0

  constructor(maxOctets: number = KEPT_LISTS_OCTETS_MAX) {
    this.#maxOctets = maxOctets
  }

  /** @param key of the account and of all that decides what rows list. null: there is none, or too much of it has changed */
  find(key: string, rows: readonly EventRow[]): Difference | null {
    const kept = this.#lists.get(key)
    if (!kept) return null
    this.#lists.delete(key)
    this.#lists.set(key, kept)
    if (isSame(kept.rows, rows)) return { list: kept.list, gone: new Set(), fresh: [] }
    const before = new Set(kept.rows)
    const fresh = rows.filter((row) => !before.has(row))
    if (fresh.length > rows.length * KEPT_LISTS_CHANGED_PART) return null
    for (const row of rows) before.delete(row)
    return { list: kept.list, gone: before, fresh }
  }

  keep(key: string, rows: readonly EventRow[], list: SortedEvents): void {
    this.#drop(key)
    const octets = PLACE_OCTETS * list.starts.length + ROW_OCTETS * rows.length
    if (octets > this.#maxOctets) return
    this.#lists.set(key, { rows, list, octets })
    this.#octets += octets
    for (const oldest of this.#lists.keys()) {
      if (this.#octets <= this.#maxOctets) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#octets -= this.#lists.get(key)?.octets ?? 0
    this.#lists.delete(key)
  }
}

function isSame(a: readonly EventRow[], b: readonly EventRow[]): boolean {
  return a.length === b.length && a.every((row, at) => row === b[at])
}

/** The list without rows that are gone, and with others. @param added in the order of the list */
export function merged({ list, gone }: Pick<Difference, 'list' | 'gone'>, added: SortedEvents): SortedEvents {
  const kept = list.rows.filter((row) => !gone.has(row))
  const indexes = indexesIn(list.rows, gone)
  const result = emptyList([...kept, ...added.rows], list.starts.length + added.starts.length)
  let [length, next] = [0, 0]
  const copy = (from: SortedEvents, at: number, index: number) => {
    result.rowIndexes[length] = index
    result.starts[length] = from.starts[at]!
    result.instances[length] = from.instances[at]!
    length++
  }
  const copyAdded = () => copy(added, next, kept.length + added.rowIndexes[next++]!)
  for (let at = 0; at < list.starts.length; at++) {
    const index = indexes[list.rowIndexes[at]!]!
    if (index < 0) continue
    while (next < added.starts.length && isBefore(added, next, list, at)) copyAdded()
    copy(list, at, index)
  }
  while (next < added.starts.length) copyAdded()
  return {
    rows: result.rows,
    rowIndexes: result.rowIndexes.slice(0, length),
    starts: result.starts.slice(0, length),
    instances: result.instances.slice(0, length),
  }
}

function emptyList(rows: readonly EventRow[], length: number): SortedEvents {
  const [rowIndexes, starts, instances] = [new Uint32Array(length), new Float64Array(length), new Float64Array(length)]
  return { rows, rowIndexes, starts, instances }
}

/** The index of each row without those that are gone; -1: it is gone. */
function indexesIn(rows: readonly EventRow[], gone: ReadonlySet<EventRow>): Int32Array {
  const indexes = new Int32Array(rows.length)
  let index = 0
  for (const [at, row] of rows.entries()) indexes[at] = gone.has(row) ? -1 : index++
  return indexes
}

/** In the default order (sorted-events.ts). */
function isBefore(a: SortedEvents, at: number, b: SortedEvents, other: number): boolean {
  const order =
    a.starts[at]! - b.starts[other]! ||
    a.rows[a.rowIndexes[at]!]!.id - b.rows[b.rowIndexes[other]!]!.id ||
    a.instances[at]! - b.instances[other]!
  return order < 0
}

/** Numbers of accounts are unique within a store only. */
const ofStores = new WeakMap<Store, KeptLists>()

export function keptListsOf(store: Store): KeptLists {
  const lists = ofStores.get(store) ?? new KeptLists()
  ofStores.set(store, lists)
  return lists
}
