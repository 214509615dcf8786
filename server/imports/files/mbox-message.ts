/** A message of an mbox as it is stored: without quoting and without fields that only its mailbox had (decision D33). Pure. */
import { parseDate } from '../../../jmap/message/date.ts'
import { type HeaderField, readWholeHeader } from '../../../jmap/message/header-block.ts'
import { textForm } from '../../../jmap/message/header-forms.ts'
import { fieldText } from '../../../jmap/message/headers.ts'
import { withoutFields } from '../../../jmap/message/without-fields.ts'
import { everyLineWithCrlf } from '../../base/line-ends.ts'
import type { SourcePlace } from '../import-source.ts'
import { readLabels } from './gmail-labels.ts'

export interface MailboxMessage {
  readonly raw: Buffer
  readonly keywords: readonly string[]
  /** By its labels; empty: it has none. */
  readonly places: readonly SourcePlace[]
  /** Epoch ms of the From_ line. */
  readonly fallbackDate: number | null
}

const LF = 0x0a
const GREATER = 0x3e
const QUOTED = Buffer.from('>From ')
const STATUS = ['status', 'x-status']
const LABELS = 'x-gmail-labels'
const GMAIL = 'x-gm-'

/** @param text with the From_ line */
export function messageOfMbox(text: Buffer): MailboxMessage {
  const lineEnd = text.indexOf(LF)
  const head = lineEnd < 0 ? text : text.subarray(0, lineEnd)
  const rest = lineEnd < 0 ? text.subarray(text.length) : text.subarray(lineEnd + 1)
  return { ...messageOfFile(unquoted(rest)), fallbackDate: dateOf(head.subarray(0, 256).toString('latin1').trim()) }
}

/** A message alone in a file. */
export function messageOfFile(text: Buffer): Omit<MailboxMessage, 'fallbackDate'> {
  const bytes = everyLineWithCrlf(text)
  const header = readWholeHeader(bytes)
  const own = header.fields.filter(isOfMailbox)
  if (own.length === 0) return { raw: bytes, keywords: [], places: [] }
  const textOf = (name: string) => {
    const field = own.find((one) => one.name.toLowerCase() === name)
    return field ? fieldText(bytes, field) : null
  }
  const labels = textOf(LABELS)
  const read = labels === null ? null : readLabels(textForm(labels))
  const status = `${textOf('status') ?? ''}${textOf('x-status') ?? ''}`
  const raw = Buffer.concat(withoutFields(bytes, isOfMailbox, { header }))
  return { raw, keywords: [...statusKeywords(status), ...(read?.keywords ?? [])], places: read?.places ?? [] }
}

function isOfMailbox({ name }: HeaderField): boolean {
  const lower = name.toLowerCase()
  return STATUS.includes(lower) || lower === LABELS || lower.startsWith(GMAIL)
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
function unquoted(text: Buffer): Buffer {
  const cuts: number[] = []
  for (let at = text.indexOf(QUOTED); at >= 0; at = text.indexOf(QUOTED, at + 1)) {
    let start = at
    while (start > 0 && text[start - 1] === GREATER) start--
    if (start === 0 || text[start - 1] === LF) cuts.push(start)
  }
  if (cuts.length === 0) return text
  const pieces = cuts.map((cut, index) => text.subarray(index === 0 ? 0 : cuts[index - 1]! + 1, cut))
  return Buffer.concat([...pieces, text.subarray(cuts.at(-1)! + 1)])
}
