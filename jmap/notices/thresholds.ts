/** The usage thresholds at which the owner is informed (decision D27). Pure. */
import type { QuotaReached } from '../protocol/errors.ts'

export type Resource = QuotaReached['resource']
export type Usage = { readonly [resource in Resource]: { readonly used: number; readonly limit: number | null } }

export interface Threshold {
  readonly resource: Resource
  readonly percent: number
}

/** For each resource the highest reached threshold is reported, and the lower ones count as reported. */
const THRESHOLDS: readonly Threshold[] = [
  { resource: 'sends', percent: 80 },
  { resource: 'sends', percent: 100 },
  { resource: 'mailboxes', percent: 90 },
  { resource: 'mailboxes', percent: 100 },
  { resource: 'aliases', percent: 100 },
]

export function nameOf({ resource, percent }: Threshold): string {
  return `${resource}_${percent}`
}

/** Reached thresholds that were not reported. A plan without any of a resource is not used up. */
export function untold(usage: Usage, told: ReadonlySet<string>): Threshold[] {
  return THRESHOLDS.filter((threshold) => {
    const { used, limit } = usage[threshold.resource]
    if (limit === null || limit === 0 || told.has(nameOf(threshold))) return false
    return used * 100 >= limit * threshold.percent
  })
}

/** One line for each resource. */
export function highest(thresholds: readonly Threshold[]): Threshold[] {
  return thresholds.filter(
    ({ resource, percent }) => !thresholds.some((other) => other.resource === resource && other.percent > percent),
  )
}
