/** Compares the offsets that are kept for zones and years with those of luxon, at every hour around transitions and every day else. */
import { IANAZone } from 'luxon'
import { Work } from '../../../jmap/calendars/recurrence/work.ts'
import { zoneOffsets } from '../../../jmap/calendars/recurrence/zone-offsets.ts'

const DAY = 86_400
const FIRST = Date.UTC(1970, 0) / 1_000
const LAST = Date.UTC(2038, 0) / 1_000

export function compareZones(count: number): { zones: number; times: number; differences: string[] } {
  const names = Intl.supportedValuesOf('timeZone').slice(0, count)
  const differences: string[] = []
  let times = 0
  for (const name of names) {
    const zone = zoneOffsets(name)
    const other = IANAZone.create(name)
    const work = new Work(Number.MAX_SAFE_INTEGER)
    const compare = (at: number) => {
      times++
      const wanted = Math.round(other.offset(at * 1_000) * 60)
      if (zone.offsetAt(at, work) !== wanted)
        differences.push(`${name} at ${new Date(at * 1_000).toISOString()}: ${wanted} wanted`)
      return wanted
    }
    let last = compare(FIRST)
    for (let at = FIRST + DAY; at < LAST; at += DAY) {
      const offset = compare(at)
      if (offset !== last) for (let hour = at - DAY; hour < at; hour += 1_800) compare(hour)
      last = offset
    }
  }
  return { zones: names.length, times, differences }
}
