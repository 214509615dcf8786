/** TZID to a name of the IANA database (the conversion draft, 2.1.4). */
import { ICALENDAR_MAX_COMPARED_ZONES, ICALENDAR_MAX_ZONES } from '../../../server/base/icalendar-limits.ts'
import { quote } from '../../protocol/json-object.ts'
import { isTimeZone } from '../recurrence/zone-offsets.ts'
import { type Faults, ICalendarError } from './faults.ts'
import { type Component, textOf } from './jcal.ts'
import { fromMs, toMs } from './local-time.ts'
import { ianaOfDisplayName, ianaOfWindows, PREFERRED_ZONES } from './windows-zones.ts'
import { canonicalZone, offsetAt, toUtc } from './zone-clock.ts'
import { zoneRules } from './zone-rules.ts'

/** A local time with its zone; `zone` null: floating. */
export interface ZonedTime {
  readonly local: string
  readonly zone: string | null
}

/** The zone of a TZID: an IANA name; the rules of a VTIMEZONE that no zone has; null: nothing is known. */
type Resolved = { readonly zone: string } | { readonly rules: (utcMs: number) => number } | null

/** The time zones of one calendar. */
export class Zones {
  readonly #components = new Map<string, Component>()
  readonly #resolved = new Map<string, Resolved>()
  readonly #faults: Faults
  readonly #year: number
  #compared = 0

  /** @param year around which zones are compared by their rules: that of the first event */
  constructor(calendar: Component, year: number, faults: Faults) {
    this.#faults = faults
    this.#year = year
    for (const component of calendar.components) {
      const tzid = component.name === 'vtimezone' ? textProperty(component, 'tzid') : null
      if (tzid !== null) this.#components.set(tzid, component)
    }
  }

  /** A local time of a TZID. If no IANA zone has the rules of its VTIMEZONE the time is given in UTC; without any rules it is floating. */
  timeOf(tzid: string, local: string, line: number): ZonedTime {
    const resolved = this.#resolve(tzid, line)
    if (resolved === null) return { local, zone: null }
    if ('zone' in resolved) return { local, zone: resolved.zone }
    return { local: fromMs(utcByRules(local, resolved.rules)), zone: 'Etc/UTC' }
  }

  #resolve(tzid: string, line: number): Resolved {
    const known = this.#resolved.get(tzid)
    if (known !== undefined) return known
    if (this.#resolved.size >= ICALENDAR_MAX_ZONES) {
      throw new ICalendarError(`The calendar has times in more than ${ICALENDAR_MAX_ZONES} time zones.`)
    }
    const resolved = this.#find(tzid)
    if (resolved === null) {
      this.#faults.property(line, `The time zone '${quote(tzid)}' is not known; its times have no zone.`)
    } else if ('rules' in resolved) {
      this.#faults.property(line, `No zone has the rules of '${quote(tzid)}'; its times are converted to UTC.`)
    }
    this.#resolved.set(tzid, resolved)
    return resolved
  }

  #find(tzid: string): Resolved {
    const component = this.#components.get(tzid) ?? null
    const named = ianaOfName(tzid) ?? (component === null ? null : ianaOfHints(component))
    if (named !== null) return { zone: named }
    const rules = component === null ? null : zoneRules(component)
    if (rules === null) {
      const offset = zoneOfOffset(tzid)
      return offset === null ? null : { zone: offset }
    }
    const same = this.#compared++ < ICALENDAR_MAX_COMPARED_ZONES ? zoneWithRules(rules, this.#year) : null
    return same === null ? { rules } : { zone: same }
  }
}

function textProperty(component: Component, name: string): string | null {
  const property = component.properties.find((candidate) => candidate.name === name)
  return property === undefined ? null : textOf(property)
}

/** Of what is looked up. What programs show of a zone has some 100 characters. */
const NAME_MAX_CHARS = 255

/** The IANA name that a name stands for, without looking at rules. */
export function ianaOfName(tzid: string): string | null {
  if (tzid.length > NAME_MAX_CHARS) return null
  const name = tzid.trim().replace(/^"(.*)"$/, '$1')
  if (isTimeZone(name)) return properCase(name)
  if (/^tzone:\/\/microsoft\/utc$/i.test(name)) return 'Etc/UTC'
  // RFC 5545 3.8.3.1: names that begin with a slash are of a registry, such as /mozilla.org/20050126_1/Europe/Berlin.
  const segments = name.split('/')
  for (let from = Math.max(1, segments.length - 3); from < segments.length; from++) {
    const tail = segments.slice(from).join('/')
    if (tail.length > 2 && isTimeZone(tail)) return properCase(tail)
  }
  return ianaOfWindows(name) ?? ianaOfDisplayName(name)
}

/** Intl finds a name in any case; the database's own is kept. */
function properCase(name: string): string {
  const canonical = canonicalZone(name)
  return canonical.toLowerCase() === name.toLowerCase() ? canonical : name
}

/** What a VTIMEZONE says besides its rules. */
function ianaOfHints(component: Component): string | null {
  const location = textProperty(component, 'x-lic-location')
  if (location !== null && isTimeZone(location)) return properCase(location)
  const url = textProperty(component, 'tzurl')?.replace(/\.ics$/i, '')
  return url === undefined ? null : ianaOfName(`/${url.split('/').slice(-3).join('/')}`)
}

/** Names that are an offset, such as `GMT+0100`: Etc/GMT-1, if it is of whole hours. */
function zoneOfOffset(name: string): string | null {
  const [, sign, hours, minutes] = /([+-])(\d{1,2}):?(\d\d)?/.exec(name) ?? []
  if (sign === undefined || Number(minutes ?? 0) !== 0 || Number(hours) > 14) return null
  if (Number(hours) === 0) return 'Etc/UTC'
  // In these names the sign is that of POSIX: west is positive.
  const zone = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`
  return isTimeZone(zone) ? zone : null
}

function utcByRules(local: string, rules: (utcMs: number) => number): number {
  const ms = toMs(local)
  const early = ms - rules(ms - 86_400_000)
  return early + rules(early) === ms ? early : ms - rules(early)
}

/** The first zone with the same offsets, twice a month for two years. */
function zoneWithRules(rules: (utcMs: number) => number, year: number): string | null {
  const start = Math.min(Math.max(year, 1970), 2100)
  const samples = Array.from({ length: 48 }, (_, index) =>
    Date.UTC(start, Math.floor(index / 2), index % 2 === 0 ? 3 : 18, 12),
  )
  const wanted = samples.map((at) => rules(at))
  const hours = Array.from({ length: 27 }, (_, index) => `Etc/GMT${index - 14 < 0 ? '' : '+'}${index - 14}`)
  const candidates = [...PREFERRED_ZONES, ...Intl.supportedValuesOf('timeZone'), 'Etc/UTC', ...hours]
  return (
    candidates.find((zone) => isTimeZone(zone) && samples.every((at, index) => offsetAt(zone, at) === wanted[index])) ??
    null
  )
}

/** The milliseconds of a time in UTC; a floating time counts as UTC. */
export function instantOf({ local, zone }: ZonedTime): number {
  return zone === null ? toMs(local) : toUtc(local, zone)
}
