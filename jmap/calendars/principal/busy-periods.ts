/** BusyPeriod objects (JMAP Calendars 2.2). Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import type { BusyStatus } from '../availability/claim.ts'

/** The first that applies where several overlap. */
const STRONGEST: readonly BusyStatus[] = ['confirmed', 'unavailable', 'tentative']

export interface BusyPeriod {
  /** Epoch ms; `end` is exclusive and later. */
  readonly start: number
  readonly end: number
  readonly status: BusyStatus
  /** null: no details. */
  readonly event: JsonObject | null
}

/**
 * Periods without details are merged and split, so that none of them overlap, and neighbours that touch have different statuses. By
 * their start.
 */
export function mergePeriods(periods: readonly BusyPeriod[]): BusyPeriod[] {
  const plain = periods.filter(({ event }) => event === null)
  const detailed = periods.filter(({ event }) => event !== null)
  return [...detailed, ...merged(plain)].toSorted((a, b) => a.start - b.start || a.end - b.end)
}

function merged(periods: readonly BusyPeriod[]): BusyPeriod[] {
  const found: BusyPeriod[] = []
  const counts = { confirmed: 0, unavailable: 0, tentative: 0 }
  const edges = periods.flatMap(({ start, end, status }) => [
    { at: start, status, by: 1 },
    { at: end, status, by: -1 },
  ])
  edges.sort((a, b) => a.at - b.at)
  for (const [i, { at, status, by }] of edges.entries()) {
    counts[status] += by
    const next = edges[i + 1]
    if (!next || next.at === at) continue
    const strongest = STRONGEST.find((one) => counts[one] > 0)
    if (strongest === undefined) continue
    const before = found.at(-1)
    if (before?.end === at && before.status === strongest) found[found.length - 1] = { ...before, end: next.at }
    else found.push({ start: at, end: next.at, status: strongest, event: null })
  }
  return found
}
