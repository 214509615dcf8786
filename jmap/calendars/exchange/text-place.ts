/** Where the next page of a calendar's text begins. Clients pass it back as they got it. */
import { EXPORT_MIN_ZONE_YEAR, EXPORT_ZONE_YEARS_AHEAD } from '../../../server/base/calendar-exchange-limits.ts'
import type { Json } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'

export interface TextPlace {
  /** Number of the last event that was written. */
  readonly event: number
  /** Zones that were written. */
  readonly zones: readonly string[]
  /** First and last year that the zones describe. */
  readonly years: readonly [first: number, last: number]
}

/** @param starts epoch ms of the first and the last start of an event; null: there is none */
export function firstPlace(starts: { readonly first: number; readonly last: number } | null, now: number): TextPlace {
  const yearOf = (time: number) => new Date(time).getUTCFullYear()
  const present = yearOf(now)
  const within = (year: number) => Math.min(Math.max(year, EXPORT_MIN_ZONE_YEAR), present + EXPORT_ZONE_YEARS_AHEAD)
  const years = starts ? ([within(yearOf(starts.first)), within(yearOf(starts.last))] as const) : [present, present]
  return { event: 0, zones: [], years: [years[0]!, years[1]!] }
}

export function writePlace({ event, zones, years }: TextPlace): string {
  return Buffer.from(JSON.stringify({ event, zones, years })).toString('base64url')
}

/** null: this server did not make it. A wrong one spoils only the text of who made it. */
export function readPlace(text: string): TextPlace | null {
  const value = parse(text)
  if (!isObject(value)) return null
  const { event, zones, years } = value
  if (!isCount(event) || !Array.isArray(zones) || !Array.isArray(years)) return null
  const [first, last] = years
  if (!isYear(first) || !isYear(last) || first > last) return null
  return { event, zones: zones.map(String), years: [first, last] }
}

function parse(text: string): Json {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isYear(value: Json | undefined): value is number {
  return isCount(value) && value >= EXPORT_MIN_ZONE_YEAR && value <= EXPORT_MIN_ZONE_YEAR + 200
}
