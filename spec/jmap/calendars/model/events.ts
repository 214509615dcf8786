/** A calendar as a model in memory: what its events and their instances must be after each command. It knows daily events in UTC only. */
import fc from 'fast-check'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The first day of all events. */
const FIRST = Date.UTC(2026, 0, 1)

export type Command =
  | { readonly kind: 'create'; readonly title: string; readonly day: number; readonly count: number }
  | { readonly kind: 'rename'; readonly pick: number; readonly title: string }
  | { readonly kind: 'recount'; readonly pick: number; readonly count: number }
  | { readonly kind: 'renameInstance'; readonly pick: number; readonly instance: number; readonly title: string }
  | { readonly kind: 'moveInstance'; readonly pick: number; readonly instance: number; readonly hour: number }
  | { readonly kind: 'removeInstance'; readonly pick: number; readonly instance: number }
  | { readonly kind: 'restoreInstance'; readonly pick: number; readonly instance: number }
  | { readonly kind: 'destroy'; readonly pick: number }
  | { readonly kind: 'file'; readonly pick: number; readonly into: readonly Shelf[] }
  | { readonly kind: 'dropCalendar' }
  | { readonly kind: 'copy'; readonly pick: number; readonly isMoved: boolean }

/** The calendars of a sequence, of which `other` may go with its events. */
export type Shelf = 'home' | 'other'

const title = fc.constantFrom('Lunch', 'Call', 'Review', 'Müll')
const few = fc.nat({ max: 5 })

/** `pick` and `instance` are places in lists, whatever their length. */
export const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), title, day: few, count: few }) },
  fc.record({ kind: fc.constant('rename' as const), pick: few, title }),
  fc.record({ kind: fc.constant('recount' as const), pick: few, count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('renameInstance' as const), pick: few, instance: few, title }),
  fc.record({ kind: fc.constant('moveInstance' as const), pick: few, instance: few, hour: fc.nat({ max: 12 }) }),
  fc.record({ kind: fc.constant('removeInstance' as const), pick: few, instance: few }),
  fc.record({ kind: fc.constant('restoreInstance' as const), pick: few, instance: few }),
  fc.record({ kind: fc.constant('destroy' as const), pick: few }),
  fc.record({
    kind: fc.constant('file' as const),
    pick: few,
    into: fc.constantFrom<readonly Shelf[]>(['home'], ['other'], ['home', 'other']),
  }),
  fc.constant({ kind: 'dropCalendar' as const }),
  fc.record({ kind: fc.constant('copy' as const), pick: few, isMoved: fc.boolean() }),
)

interface Override {
  readonly excluded?: true
  readonly title?: string
  readonly start?: number
}

/** Times are epoch ms, which are the wall times of UTC. */
export class EventModel {
  readonly id: string
  title: string
  readonly start: number
  /** Instances; 0: it does not recur. */
  count: number
  /** By the time that the rule has. */
  readonly overrides = new Map<number, Override>()
  shelves: readonly Shelf[] = ['home']
  /** The account that copies go to has an event of its uid. */
  isCopied = false

  constructor(id: string, title: string, start: number, count: number) {
    this.id = id
    this.title = title
    this.start = start
    this.count = count
  }

  copiedAs(id: string): EventModel {
    const copy = new EventModel(id, this.title, this.start, this.count)
    for (const [at, override] of this.overrides) copy.overrides.set(at, override)
    return copy
  }

  get isRecurring(): boolean {
    return this.count > 0
  }

  #hasByRule(at: number): boolean {
    const days = (at - this.start) / DAY_MS
    return Number.isInteger(days) && days >= 0 && days < this.count
  }

  /** By the time of the rule, then title and real start. */
  instances(): { readonly at: number; readonly title: string; readonly start: number }[] {
    const byRule = Array.from({ length: this.count }, (_, i) => this.start + i * DAY_MS)
    return [...new Set([...byRule, ...this.overrides.keys()])]
      .toSorted((a, b) => a - b)
      .flatMap((at) => {
        const { excluded, title = this.title, start = at } = this.overrides.get(at) ?? {}
        return excluded ? [] : [{ at, title, start }]
      })
  }

  /** An instance keeps only what it has otherwise than the event. */
  change(at: number, to: { readonly title?: string; readonly start?: number }): void {
    const before = this.instances().find((instance) => instance.at === at)
    if (!before) return
    const { title: name, start } = { ...before, ...to }
    const override = { ...(name !== this.title && { title: name }), ...(start !== at && { start }) }
    if (this.overrides.has(at) || Object.keys(override).length > 0) this.overrides.set(at, override)
  }

  remove(at: number): void {
    if (this.#hasByRule(at)) this.overrides.set(at, { excluded: true })
    else this.overrides.delete(at)
  }
}

export function dayStart(day: number, hour = 9): number {
  return FIRST + day * DAY_MS + hour * HOUR_MS
}

export function localOf(time: number): string {
  return new Date(time).toISOString().slice(0, 19)
}
