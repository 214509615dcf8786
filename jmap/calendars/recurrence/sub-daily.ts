/** Occurrences of rules of hours, minutes and seconds. */
import type { CompiledRule } from './compile-rule.ts'
import { alignUp, eachMatchingDay } from './day-walk.ts'
import { DAY_SECONDS } from './local-time.ts'
import { keptIndices } from './times-of-day.ts'
import type { Work } from './work.ts'

/** Seconds of a period; null: a day or longer. */
export function unitSeconds({ frequency }: CompiledRule): number | null {
  if (frequency === 'hourly') return 3_600
  if (frequency === 'minutely') return 60
  return frequency === 'secondly' ? 1 : null
}

/** Visits occurrences from `from` to `to` (local seconds, not before the start) until `visit` returns false. */
export function eachSubDaily(
  rule: CompiledRule,
  unit: number,
  from: number,
  to: number,
  work: Work,
  visit: (local: number) => boolean,
): void {
  const offsets = offsetsInUnit(rule, unit)
  if (offsets.length === 0) return
  const units = DAY_SECONDS / unit
  const start = Math.floor(rule.start / unit)
  const { interval } = rule
  const allowed = inPhase(allowedUnits(rule, unit, work), start, interval, units)
  if (allowed?.length === 0) return
  const table = allowed === null ? null : tableOf(allowed, units)
  // Either the allowed periods of a day are compared with the interval, or the other way round: what is less.
  const isSparse = allowed !== null && allowed.length <= units / interval
  const align = (day: number) => (interval <= units ? day : Math.floor(alignUp(day * units, start, interval) / units))

  function emit(period: number): boolean {
    for (const offset of offsets) {
      const local = period * unit + offset
      if (local > to) return false
      if (local >= from && !visit(local)) return false
    }
    return true
  }
  function visitDay(day: number): boolean {
    const midnight = day * units
    const first = Math.max(midnight, Math.floor(from / unit))
    const last = Math.min(midnight + units - 1, Math.floor(to / unit))
    if (isSparse) {
      work.spend(2 * allowed.length + 10)
      for (const index of allowed) {
        const period = midnight + index
        if (period < first || (period - start) % interval !== 0) continue
        if (period > last) break
        if (!emit(period)) return false
      }
      return true
    }
    for (let period = alignUp(first, start, interval); period <= last; period += interval) {
      work.spend(2)
      if (table !== null && table[period - midnight] === 0) continue
      work.spend(2 * offsets.length)
      if (!emit(period)) return false
    }
    return true
  }
  eachMatchingDay(rule, Math.floor(from / DAY_SECONDS), Math.floor(to / DAY_SECONDS), align, work, visitDay)
}

/** Seconds within a period at which the rule recurs, after bySetPosition. */
function offsetsInUnit({ minutes, seconds, positions }: CompiledRule, unit: number): number[] {
  let offsets = [0]
  if (unit === 60) offsets = [...(seconds ?? [])]
  if (unit === 3_600)
    offsets = (minutes ?? []).flatMap((minute) => (seconds ?? []).map((second) => minute * 60 + second))
  return positions === null ? offsets : keptIndices(positions, offsets.length).map((index) => offsets[index]!)
}

/** The periods of a day that byHour, byMinute and bySecond allow, in order; null: all. */
function allowedUnits({ hours, minutes, seconds }: CompiledRule, unit: number, work: Work): number[] | null {
  if (unit === 3_600) return hours === null ? null : [...hours]
  if (hours === null && minutes === null && (unit === 60 || seconds === null)) return null
  const inMinutes = (hours ?? upTo(24)).flatMap((hour) => (minutes ?? upTo(60)).map((minute) => hour * 60 + minute))
  work.spend(inMinutes.length)
  if (unit === 60) return inMinutes
  const inSeconds = inMinutes.flatMap((minute) => (seconds ?? upTo(60)).map((second) => minute * 60 + second))
  work.spend(inSeconds.length)
  return inSeconds
}

/** Without the periods of a day that the interval never meets, on whatever day. */
function inPhase(allowed: number[] | null, start: number, interval: number, units: number): number[] | null {
  const step = greatestDivisor(interval, units)
  if (allowed === null || step === 1) return allowed
  return allowed.filter((index) => (index - start) % step === 0)
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}

function tableOf(allowed: readonly number[], units: number): Uint8Array {
  const table = new Uint8Array(units)
  for (const index of allowed) table[index] = 1
  return table
}
