/** Times as the API writes them: ISO 8601 in UTC with milliseconds. In requests any RFC 3339 time is taken. */
import { parseDate } from '../../jmap/protocol/primitives.ts'

const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/

const WHOLE_SECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

/** Epoch ms, or null for what is no time. Digits past milliseconds are cut off. */
export function parseTime(text: string): number | null {
  const match = TIME.exec(text)
  if (!match) return null
  // RFC 8620 1.4: JMAP knows no fraction of zero, which our own times have.
  const fraction = (match[2] ?? '').replace(/0+$/, '')
  return parseDate(`${match[1]}${fraction && '.'}${fraction}${match[3]}`)
}

/** Of a JMAP UTCDate, which leaves a fraction of zero out. */
export function instant(date: string): string {
  return WHOLE_SECONDS.test(date) ? `${date.slice(0, -1)}.000Z` : new Date(date).toISOString()
}

export function instantOrNull(date: string | null): string | null {
  return date === null ? null : instant(date)
}
