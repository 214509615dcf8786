/** The mails that carry calendars: scheduling messages (RFC 6047) and those about bookings. The one way to write them. */
import { randomUUID } from 'node:crypto'
import { CALENDAR_SUBJECT_MAX_CHARS } from '../../../server/base/scheduling-limits.ts'
import type { EmailAddress } from '../../message/addresses.ts'
import type { BodySpec } from '../../message/body-spec.ts'
import { generateMessage } from '../../message/generate.ts'
import { domainOf } from '../../message/mail-address.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'

/** An iCalendar object, with the method of RFC 5546 that it has. */
export interface AttachedCalendar {
  readonly method: string
  readonly text: string
}

/** A file that the calendar names by its Content-ID. */
export interface CalendarFile {
  readonly cid: string
  readonly name: string | null
  /** A media type; null: unknown. */
  readonly type: string | null
  readonly bytes: Uint8Array
}

export interface CalendarMail {
  readonly from: EmailAddress
  readonly to: readonly EmailAddress[]
  readonly subject: string
  /** The text, which is shown as HTML too. Names and titles in it may be anybody's. */
  readonly paragraphs: readonly string[]
  /** null: the mail is text alone. */
  readonly calendar: AttachedCalendar | null
  readonly files?: readonly CalendarFile[]
  /** Epoch ms. */
  readonly now: number
}

export function writeCalendarMail(mail: CalendarMail): Uint8Array {
  const { from, to, subject, paragraphs, calendar, files = [], now } = mail
  const generated = generateMessage({
    headers: [
      { name: 'From', form: 'Addresses', value: [named(from)] },
      { name: 'To', form: 'Addresses', value: to.map(named) },
      { name: 'Subject', form: 'Text', value: oneLine(subject, CALENDAR_SUBJECT_MAX_CHARS) },
      { name: 'Date', form: 'Date', value: formatUTCDate(now) },
      { name: 'Message-ID', form: 'MessageIds', value: [`${randomUUID()}@${domainOf(from.email)}`] },
      // RFC 3834 5: prevents automatic replies.
      { name: 'Auto-Submitted', form: 'Raw', value: ' auto-generated' },
    ],
    body: bodyOf(paragraphs, calendar, files),
  })
  if (generated.error) throw new Error(`a calendar mail cannot be written: ${generated.error.description}`)
  return generated.bytes
}

/** RFC 6047 2.4: the calendar is an alternative to the text. Some programs only look at attachments. */
function bodyOf(
  paragraphs: readonly string[],
  calendar: AttachedCalendar | null,
  files: readonly CalendarFile[],
): BodySpec {
  const texts: BodySpec[] = [
    { type: 'text/plain', content: { text: `${paragraphs.join('\n\n').toWellFormed()}\n` } },
    { type: 'text/html', content: { text: htmlOf(paragraphs) } },
  ]
  if (calendar === null) return { type: 'multipart/alternative', subParts: texts }
  const { method, text } = calendar
  const part: BodySpec = {
    type: 'text/calendar',
    parameters: { method, component: 'VEVENT' },
    content: { text },
  }
  return {
    type: 'multipart/mixed',
    subParts: [
      { type: 'multipart/alternative', subParts: [...texts, part] },
      {
        type: 'application/ics',
        disposition: 'attachment',
        name: 'invite.ics',
        content: { bytes: Buffer.from(text) },
      },
      ...files.map(filePart),
    ],
  }
}

/** RFC 6047 4.3. Of a media type that is none, the octets alone go. */
function filePart({ cid, name, type, bytes }: CalendarFile): BodySpec {
  const isType = type !== null && /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i.test(type)
  const isWhole = isType && !/^(?:multipart|message)\//i.test(type)
  return {
    type: isWhole ? type : 'application/octet-stream',
    disposition: 'attachment',
    name: (name && oneLine(name, CALENDAR_SUBJECT_MAX_CHARS)) || 'attachment',
    cid,
    content: { bytes },
  }
}

function htmlOf(paragraphs: readonly string[]): string {
  const blocks = paragraphs.map((paragraph) => `<p>${linked(paragraph).replaceAll('\n', '<br>\n')}</p>`)
  return `<!DOCTYPE html>\n<html>\n<body>\n${blocks.join('\n')}\n</body>\n</html>\n`
}

const LINK = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]]/g

/** Text as HTML, with its web addresses as links. */
function linked(text: string): string {
  let html = ''
  let at = 0
  for (const { 0: url, index } of text.matchAll(LINK)) {
    html += `${escaped(text.slice(at, index))}<a href="${escaped(url)}">${escaped(url)}</a>`
    at = index + url.length
  }
  return (html + escaped(text.slice(at))).toWellFormed()
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function named({ name, email }: EmailAddress): EmailAddress {
  const shown = name === null ? '' : oneLine(name, CALENDAR_SUBJECT_MAX_CHARS)
  return { name: shown === '' ? null : shown, email }
}

/** A header field has no line breaks; titles of events may. */
function oneLine(text: string, max: number): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed()
}
