/** Times. Answers have ISO 8601 in UTC with milliseconds; requests may have any RFC 3339 time. */
import { parseDate } from '../../jmap/protocol/primitives.ts'

const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/

const WHOLE_SECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

/** Epoch ms; null: no time. Digits past milliseconds are cut off. */
export function parseTime(text: string): number | null {
  const [, seconds, digits = '', offset] = TIME.exec(text) ?? []
  if (seconds === undefined) return null
  // RFC 8620 1.4: a JMAP date leaves a fraction of zero out.
  const fraction = digits.replace(/0+$/, '')
  return parseDate(`${seconds}${fraction && '.'}${fraction}${offset}`)
}

/** @param date a UTCDate of JMAP, which leaves a fraction of zero out */
export function instant(date: string): string {
  return WHOLE_SECONDS.test(date) ? `${date.slice(0, -1)}.000Z` : new Date(date).toISOString()
}

export function instantOrNull(date: string | null): string | null {
  return date === null ? null : instant(date)
}
