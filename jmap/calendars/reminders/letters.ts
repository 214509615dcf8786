/** Reminders as letters to the owner, in the owner's time zone and language. Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import { REMINDER_SUMMARY_MAX, REMINDER_TEXT_MAX_CHARS } from '../../../server/base/reminder-limits.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import type { Interval } from '../event/event-times.ts'
import { type ReminderWords, reminderWords } from './words.ts'

/** An instance to remind of. */
export interface Reminder {
  readonly event: JsonObject
  readonly instance: Interval
}

export interface LetterText {
  readonly subject: string
  readonly text: string
}

export interface LetterStyle {
  /** IANA name. */
  readonly timeZone: string
  /** A language tag; null: English. */
  readonly language: string | null
}

export function reminderLetter(reminder: Reminder, style: LetterStyle): LetterText {
  const words = reminderWords(style.language)
  const { title, when, start } = factsOf(reminder, style, words)
  const { event } = reminder
  const place = placeOf(event)
  const link = linkOf(event)
  const lines = [
    title,
    words.when(when),
    ...(place === null ? [] : [words.where(place)]),
    ...(link === null ? [] : [words.link(link)]),
    '',
    words.closing,
    '',
  ]
  return { subject: words.subject(title, start), text: lines.join('\n') }
}

/** One letter about all. */
export function summaryLetter(reminders: readonly Reminder[], style: LetterStyle): LetterText {
  const words = reminderWords(style.language)
  const named = reminders.slice(0, REMINDER_SUMMARY_MAX)
  const rest = reminders.length - named.length
  const entries = named.map((reminder) => {
    const { title, when } = factsOf(reminder, style, words)
    return `- ${title}: ${when}`
  })
  const lines = [words.summary.opening, '', ...entries, ...(rest > 0 ? [`- ${words.summary.more(rest)}`] : []), '']
  return { subject: words.summary.subject(reminders.length), text: lines.join('\n') }
}

function factsOf({ event, instance }: Reminder, { timeZone }: LetterStyle, words: ReminderWords) {
  const title = lineOf(event['title']) ?? words.untitled
  const { start, end } = instance
  if (event['showWithoutTime'] === true) {
    const format = new Intl.DateTimeFormat(words.language, { dateStyle: 'full', timeZone })
    // The end is exclusive.
    const when = words.allDay(format.formatRange(start, Math.max(start, end - 1)))
    return { title, when, start: format.format(start) }
  }
  const format = new Intl.DateTimeFormat(words.language, { dateStyle: 'full', timeStyle: 'short', timeZone })
  return { title, when: `${format.formatRange(start, end)} (${timeZone})`, start: format.format(start) }
}

function placeOf(event: JsonObject): string | null {
  const locations = membersOf(event, 'locations')
  const main = event['mainLocationId']
  const [, location] = locations.find(([id]) => id === main) ?? locations[0] ?? []
  return isObject(location) ? lineOf(location['name']) : null
}

function linkOf(event: JsonObject): string | null {
  const [[, virtual] = []] = membersOf(event, 'virtualLocations')
  return isObject(virtual) ? lineOf(virtual['uri']) : null
}

function membersOf(event: JsonObject, name: string) {
  const members = getOwn(event, name)
  return isObject(members) ? Object.entries(members) : []
}

/** One line of what others may have written; null: nothing. */
function lineOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const line = value.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  if (line === '') return null
  return line.length <= REMINDER_TEXT_MAX_CHARS ? line : `${[...line].slice(0, REMINDER_TEXT_MAX_CHARS - 1).join('')}…`
}
