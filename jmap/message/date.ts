/** RFC 5322 3.3 dates: written, and read leniently (obsolete forms of 4.3 and common deviations). */

/** An instant with its zone. */
export interface MailDate {
  /** Epoch milliseconds. */
  readonly ms: number
  /** Minutes east of UTC. */
  readonly offset: number
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH_NUMBERS = new Map(MONTHS.map((name, index) => [name.toLowerCase(), index]))

/** RFC 5322 4.3, and other names in use; any other name counts as -0000. Minutes east of UTC. */
const ZONES: ReadonlyMap<string, number> = new Map([
  ...['ut', 'utc', 'gmt', 'z', 'wet'].map((name): [string, number] => [name, 0]),
  ...['bst', 'west', 'cet', 'met', 'mez'].map((name): [string, number] => [name, 60]),
  ...['cest', 'mest', 'mesz', 'eet'].map((name): [string, number] => [name, 120]),
  ...['eest', 'msk'].map((name): [string, number] => [name, 180]),
  ['msd', 240],
  ['jst', 540],
  ['kst', 540],
  ['edt', -240],
  ['est', -300],
  ['cdt', -300],
  ['cst', -360],
  ['mdt', -360],
  ['mst', -420],
  ['pdt', -420],
  ['pst', -480],
])

/** Only this much of a field is read: no date is longer, however many comments it has. */
const MAX_LENGTH = 256

interface Fields {
  day: number
  month: number
  year: number
  hour: number
  minute: number
  second: number
  offset: number | null
}

/** Reads a date-time; null: day, month, year or time is missing or does not exist. */
export function parseDate(text: string): MailDate | null {
  const tokens = tokenize(text.slice(0, MAX_LENGTH))
  const fields: Fields = { day: -1, month: -1, year: -1, hour: -1, minute: 0, second: 0, offset: null }
  let halfDay: string | null = null
  for (const token of tokens) {
    const lower = token.toLowerCase()
    if (lower === 'am' || lower === 'pm') halfDay = lower
    else if (!takeTime(fields, token) && !takeZone(fields, token, lower)) takeDate(fields, token, lower)
  }
  if (halfDay === 'pm' && fields.hour < 12) fields.hour += 12
  if (halfDay === 'am' && fields.hour === 12) fields.hour = 0
  return toDate(fields)
}

function tokenize(text: string): string[] {
  let bare = ''
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string
    if (char === '\\') index++
    else if (char === '(') depth++
    else if (char === ')') {
      depth = Math.max(0, depth - 1)
      bare += ' '
    } else if (depth === 0) bare += char
  }
  // RFC 5322 4.3: white space around colons. ISO 8601 dates occur, also `12-Jan-2020`, and a zone directly after the time.
  return bare
    .replace(/(\d)\s{0,64}:\s{0,64}(?=\d)/g, '$1:')
    .replace(/(\d{4})-(\d\d)-(\d\d)[Tt ]+(?=\d\d:)/, (_match, year, month, day) => {
      return ` ${day} ${MONTHS[Number(month) - 1] ?? '?'} ${year} `
    })
    .replace(/(\d{1,2})[-/.]([A-Za-z]{3,9})[-/.](\d{2,4})/, ' $1 $2 $3 ')
    .replace(/(:\d\d(?:\.\d{1,9})?)([-+]\d|[A-Za-z])/, '$1 $2')
    .split(/[\s,]+/)
    .filter((token) => token !== '')
}

function takeTime(fields: Fields, token: string): boolean {
  const match = /^(\d{1,2})[:.](\d{1,2})(?:[:.](\d{1,2})(?:[.,]\d{1,9})?)?$/.exec(token)
  if (!match || fields.hour >= 0) return false
  fields.hour = Number(match[1])
  fields.minute = Number(match[2])
  fields.second = Number(match[3] ?? 0)
  return true
}

function takeZone(fields: Fields, token: string, lower: string): boolean {
  if (fields.hour < 0 || fields.offset !== null) return false
  const match = /^(?:gmt|utc|ut)?([-+])(\d{1,2}):?(\d\d)?$/i.exec(token)
  if (match) {
    const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0)
    fields.offset = match[1] === '-' ? -minutes : minutes
    return true
  }
  const named = ZONES.get(lower)
  if (named !== undefined) fields.offset = named
  return named !== undefined
}

function takeDate(fields: Fields, token: string, lower: string): void {
  const month = MONTH_NUMBERS.get(lower.slice(0, 3))
  if (month !== undefined && fields.month < 0 && /^[a-z]+\.?$/.test(lower)) {
    fields.month = month
    return
  }
  if (!/^\d{1,4}(?:st|nd|rd|th)?$/.test(lower)) return
  const number = Number.parseInt(token, 10)
  if (fields.day < 0 && number <= 31 && token.length <= 4) fields.day = number
  else if (fields.year < 0 && /^\d+$/.test(token)) fields.year = fullYear(number, token.length)
}

// RFC 5322 4.3: two digits are 2000 to 2049 or 1950 to 1999; three digits have 1900 added.
function fullYear(year: number, digits: number): number {
  if (digits <= 2) return year < 50 ? 2000 + year : 1900 + year
  return digits === 3 ? 1900 + year : year
}

function toDate(fields: Fields): MailDate | null {
  const { day, month, year, hour, minute, second } = fields
  if (day < 1 || month < 0 || year < 0 || hour < 0 || hour > 24 || minute > 59 || second > 60) return null
  const offset = fields.offset ?? 0
  if (Math.abs(offset) >= 100 * 60) return null
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  if (date.getUTCMonth() !== month) return null
  // RFC 5322 3.3: a leap second is 60; RFC 3339 dates of JMAP take 59.
  date.setUTCHours(hour, minute, Math.min(second, 59))
  const ms = date.getTime() - offset * 60_000
  // RFC 5322 3.3 allows zones of up to 99 hours, RFC 3339 dates of JMAP less than a day: other zones are converted to UTC.
  const isTold = Math.abs(offset) < 24 * 60
  const year4 = isTold ? date.getUTCFullYear() : new Date(ms).getUTCFullYear()
  return year4 >= 0 && year4 <= 9999 ? { ms, offset: isTold ? offset : 0 } : null
}

/** RFC 8621 4.1.2.6 and RFC 8620 1.4: the Date type, in the zone that the message gives. */
export function formatJmapDate(date: MailDate): string {
  const local = new Date(date.ms + date.offset * 60_000).toISOString()
  const second = local.slice(0, 19)
  return date.offset === 0 ? `${second}Z` : `${second}${zone(date.offset, ':')}`
}

/** RFC 5322 3.3 date-time of an instant (epoch ms), in the zone `offsetMinutes` east of UTC. */
export function formatDate(ms: number, offsetMinutes = 0): string {
  const local = new Date(ms + offsetMinutes * 60_000)
  const date = `${DAYS[local.getUTCDay()]}, ${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]}`
  const year = String(local.getUTCFullYear()).padStart(4, '0')
  return `${date} ${year} ${local.toISOString().slice(11, 19)} ${zone(offsetMinutes, '')}`
}

function zone(offset: number, separator: string): string {
  const minutes = Math.abs(offset)
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${hours}${separator}${String(minutes % 60).padStart(2, '0')}`
}
