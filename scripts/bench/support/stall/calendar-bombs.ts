/**
 * Recurrences that cost much (promise C3), as the JSON of `CalendarBomb`: the cases of the shared corpora, if they are beside the
 * checkout, and generated ones; and ordinary events of the same size.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeICalendar } from '../../../../jmap/calendars/icalendar/write-icalendar.ts'
import type { JsonObject } from '../../../../server/base/json.ts'
import { SHARED_CORPORA } from '../../../../spec/support/corpora.ts'
import { localOf, ruleOf } from '../../../interop/support/ical-components.ts'
import { bombAt } from '../../../interop/support/recurrence-bombs.ts'
import type { MailBomb } from './mail-bombs.ts'

export interface CalendarBomb {
  /** JSCalendar; null: it is no event that a client could write. */
  readonly event: JsonObject | null
  /** Its iCalendar file. */
  readonly ics: string
}

/** @param generated their number */
export function calendarBombs(generated: number): MailBomb[] {
  const made = Array.from({ length: generated }, (_, at) => bomb(`generated ${at}`, () => generatedAt(at)))
  return [...corpusBombs('libical/recur', '.json', recurrence), ...corpusBombs('libical/fuzz', '.ics', file), ...made]
}

const DESCRIPTION_MAX_WORDS = 40_000

/** An ordinary event with as many octets, up to the longest description. */
export function ordinaryEvent(octets: number): Buffer {
  const event = {
    title: 'ordinary',
    description: 'word '.repeat(Math.min(octets / 10, DESCRIPTION_MAX_WORDS)),
    start: '2026-01-05T09:00:00',
    duration: 'PT1H',
    timeZone: 'Europe/Berlin',
    recurrenceRule: { frequency: 'weekly' },
  }
  return encoded({ event, ics: icsOf(event) })
}

function corpusBombs(folder: string, ending: string, read: (text: string) => CalendarBomb): MailBomb[] {
  const path = join(SHARED_CORPORA, folder)
  if (!existsSync(path)) {
    console.log(`No recurrences of ${folder} are sent: ${path} does not exist.`)
    return []
  }
  const names = readdirSync(path).filter((name) => name.endsWith(ending))
  return names.sort().map((name) => bomb(name, () => read(readFileSync(join(path, name), 'latin1'))))
}

function recurrence(text: string): CalendarBomb {
  const { rrule, dtstart } = JSON.parse(text) as { readonly rrule: string; readonly dtstart: string }
  const lines = ['BEGIN:VEVENT', 'UID:bomb', 'DTSTAMP:20260101T000000Z', `DTSTART:${dtstart}`, `RRULE:${rrule}`]
  const ics = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n')
  return { event: eventOf(rrule, dtstart), ics }
}

function eventOf(rrule: string, dtstart: string): JsonObject | null {
  const start = localOf(dtstart)
  try {
    const rule = ruleOf(rrule, null, !dtstart.includes('T'))
    return start === null
      ? null
      : { start, timeZone: 'Etc/UTC', duration: 'PT1H', recurrenceRule: { ...rule } as never }
  } catch {
    // No iCalendar reader takes the rule either.
    return null
  }
}

function file(text: string): CalendarBomb {
  return { event: null, ics: text }
}

function generatedAt(index: number): CalendarBomb {
  const event = JSON.parse(JSON.stringify(bombAt(index))) as JsonObject
  return { event, ics: icsOf(event) }
}

function icsOf(event: JsonObject): string {
  const whole = { '@type': 'Event', uid: 'bomb', updated: '2026-01-01T00:00:00Z', ...event }
  return writeICalendar([whole], { now: '2026-01-01T00:00:00Z', prodId: '-//bench//EN' })
}

function bomb(name: string, make: () => CalendarBomb): MailBomb {
  return { name, make: () => encoded(make()) }
}

function encoded(bombed: CalendarBomb): Buffer {
  return Buffer.from(JSON.stringify(bombed))
}
