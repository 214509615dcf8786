/**
 * A message of an mbox as it is stored: without quoting and without fields that only its mailbox had (decision D33). One that says what its
 * exact octets are has these. Pure.
 */
import { parseDate } from '../../../jmap/message/date.ts'
import { type HeaderBlock, type HeaderField, readHeaderBlock } from '../../../jmap/message/header-block.ts'
import { textForm } from '../../../jmap/message/header-forms.ts'
import { fieldText } from '../../../jmap/message/headers.ts'
import { withoutFields } from '../../../jmap/message/without-fields.ts'
import { changedInSlices, everyLineWithCrlf, withCrlf } from '../../base/line-ends.ts'
import type { SourcePlace } from '../import-source.ts'
import { exactMessage } from './exact-octets.ts'
import { readLabels } from './gmail-labels.ts'

export interface MailboxMessage {
  readonly raw: Buffer
  readonly keywords: readonly string[]
  /** By its labels; empty: it has none. */
  readonly places: readonly SourcePlace[]
  /** It has the octets with which it was exported. */
  readonly isExact: boolean
  /** Epoch ms of the From_ line. */
  readonly fallbackDate: number | null
}

const LF = 0x0a
const GREATER = 0x3e
const QUOTED = Buffer.from('>From ')
const STATUS = ['status', 'x-status']
const LABELS = 'x-gmail-labels'
const GMAIL = 'x-gm-'
const EXACT = 'posthouse-octets'

/** @param text with the From_ line */
export async function messageOfMbox(text: Buffer): Promise<MailboxMessage> {
  const lineEnd = text.indexOf(LF)
  const head = lineEnd < 0 ? text : text.subarray(0, lineEnd)
  const rest = await changedInSlices(lineEnd < 0 ? text.subarray(text.length) : text.subarray(lineEnd + 1), unquoted)
  const fallbackDate = dateOf(head.subarray(0, 256).toString('latin1').trim())
  const exact = await exactMessage(rest)
  if (exact)
    return { raw: exact.octets, keywords: statusKeywords(exact.status), places: [], isExact: true, fallbackDate }
  const bytes = await everyLineWithCrlf(rest)
  const header = readHeaderBlock(bytes, 0, bytes.length)
  const own = ownFields(header)
  const raw = own.length === 0 ? bytes : Buffer.concat(withoutFields(bytes, isOfMailbox, { header }))
  return { raw, ...meaningOf(bytes, own), isExact: false, fallbackDate }
}

/** A message alone in a file: no mailbox has put anything into it. @param isExact the file has it as it was stored */
export async function messageOfFile(text: Buffer, isExact = false): Promise<MailboxMessage> {
  const raw = isExact ? text : await withCrlf(text)
  const own = isExact ? [] : ownFields(readHeaderBlock(raw, 0, raw.length))
  return { raw, ...meaningOf(raw, own), isExact, fallbackDate: null }
}

/** None of a header that is too large: the message is refused later. */
function ownFields({ fields, truncated }: HeaderBlock): HeaderField[] {
  return truncated ? [] : fields.filter(isOfMailbox)
}

function meaningOf(bytes: Buffer, own: readonly HeaderField[]): Pick<MailboxMessage, 'keywords' | 'places'> {
  if (own.length === 0) return { keywords: [], places: [] }
  const textOf = (name: string) => {
    const field = own.find((one) => one.name.toLowerCase() === name)
    return field ? fieldText(bytes, field) : null
  }
  const labels = textOf(LABELS)
  const read = labels === null ? null : readLabels(textForm(labels))
  const status = `${textOf('status') ?? ''}${textOf('x-status') ?? ''}`
  return { keywords: [...statusKeywords(status), ...(read?.keywords ?? [])], places: read?.places ?? [] }
}

function isOfMailbox({ name }: HeaderField): boolean {
  const lower = name.toLowerCase()
  return STATUS.includes(lower) || lower === LABELS || lower === EXACT || lower.startsWith(GMAIL)
}

const FLAGS = [
  ['R', '$seen'],
  ['A', '$answered'],
  ['F', '$flagged'],
  ['T', '$draft'],
] as const

function statusKeywords(status: string): string[] {
  return FLAGS.flatMap(([letter, keyword]) => (status.includes(letter) ? [keyword] : []))
}

/** "From sender Mon Mar 02 10:00:00 +0000 2015": the year is last. */
const ASCTIME =
  /\b[A-Z][a-z]{2} +([A-Z][a-z]{2}) +(\d{1,2}) +(\d{1,2}:\d{2}(?::\d{2})?) +(?:([+-]\d{4}|[A-Z]{1,5}) +)?(\d{4})(?: +([+-]\d{4}))?$/

function dateOf(line: string): number | null {
  const [, month, day, time, zone, year, after] = ASCTIME.exec(line) ?? []
  if (month === undefined) return null
  return parseDate(`${day} ${month} ${year} ${time} ${zone ?? after ?? '+0000'}`)?.ms ?? null
}

/** mboxrd: of a line ">From ", ">>From " one ">" is quoting. */
function unquoted(text: Buffer, from: number, to: number): Buffer {
  const near = text.subarray(from, Math.min(text.length, to + QUOTED.length - 1))
  let whole: Buffer | null = null
  let copied = 0
  let end = 0
  for (let at = near.indexOf(QUOTED); at >= 0; at = near.indexOf(QUOTED, at + 1)) {
    let start = from + at
    while (start > 0 && text[start - 1] === GREATER) start--
    if (start > 0 && text[start - 1] !== LF) continue
    whole ??= Buffer.allocUnsafeSlow(to - from)
    end += near.copy(whole, end, copied, at)
    copied = at + 1
  }
  if (whole === null) return text.subarray(from, to)
  end += near.copy(whole, end, copied, to - from)
  return whole.subarray(0, end)
}
