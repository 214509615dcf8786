/** The sections of a report: its words, its fields, and the message that it returns. Pure, and total. */
import { REPORT_LINE_CHARS, REPORT_NOTICE_CHARS, REPORT_PART_BYTES } from '../../../server/base/report-limits.ts'
import { asBuffer } from '../../message/charset.ts'
import { decodePartHead } from '../../message/decode.ts'
import { htmlToText } from '../../message/html-text.ts'
import type { BodyPart, ParsedMessage } from '../../message/structure.ts'

export interface ReportSections {
  /** The text for readers, in lines. */
  readonly notice: readonly string[]
  /** Fields about the delivery (RFC 3464 2.1), wherever they are. */
  readonly status: string | null
  /** RFC 5965 3.1: fields of a feedback report. */
  readonly feedback: string | null
  /** The reported message or its header, as far as it was returned. */
  readonly returned: string | null
}

const STATUS_TYPE = /^message\/(global-)?delivery-status$/
const RETURNED_TYPE = /^(message\/(rfc822|global|partial|rfc822-headers|global-headers)|text\/rfc822-headers)$/

export function readSections(bytes: Uint8Array, { structure }: ParsedMessage): ReportSections {
  const leaves = structure.parts.filter((part) => part.subParts === null)
  const text = (part: BodyPart | undefined) => (part ? textOf(bytes, part) : null)
  const feedback = text(leaves.find(({ type }) => type === 'message/feedback-report'))
  const status = text(leaves.find(({ type }) => STATUS_TYPE.test(type)))
  const returned = text(leaves.find(({ type }) => RETURNED_TYPE.test(type)))
  const plain = wordsOf(bytes, leaves, 'text/plain')
  const readable = plain.trim() === '' ? wordsOf(bytes, leaves, 'text/html') : plain
  // Some old systems announce parts and write none.
  const all = readable.trim() === '' && leaves.every(({ size }) => size === 0) ? rawBody(bytes) : readable
  const { notice, rest } = cutReturned(linesOf(all))
  return {
    notice,
    // Some servers write the fields into the text, or use another media type.
    status: status ?? strayStatus(bytes, leaves, all),
    feedback,
    returned: returned ?? (rest.length > 0 ? rest.join('\n') : null),
  }
}

function rawBody(bytes: Uint8Array): string {
  const text = asBuffer(bytes).toString('latin1', 0, REPORT_PART_BYTES).replaceAll('\r\n', '\n')
  const end = text.indexOf('\n\n')
  return end < 0 ? '' : text.slice(end + 2)
}

function wordsOf(bytes: Uint8Array, leaves: readonly BodyPart[], wanted: string): string {
  let all = ''
  for (const part of leaves.filter(({ type }) => type === wanted))
    if (all.length < REPORT_PART_BYTES) all += `${all === '' ? '' : '\n'}${textOf(bytes, part)}`
  return all
}

function strayStatus(bytes: Uint8Array, leaves: readonly BodyPart[], words: string): string | null {
  const texts = [words, ...leaves.filter(({ type }) => !type.startsWith('text/')).map((part) => textOf(bytes, part))]
  for (const text of texts) {
    const from = text.search(/^(?:Reporting-MTA|(?:Final|Original)-Recipient):/im)
    if (from >= 0) return text.slice(from)
  }
  return null
}

export function textOf(bytes: Uint8Array, part: BodyPart): string {
  const value = decodePartHead(bytes, part, REPORT_PART_BYTES)
  const plain = part.type === 'text/html' ? htmlToText(value, REPORT_NOTICE_CHARS) : value
  // Old systems end lines by CR alone.
  return plain.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
}

function linesOf(text: string): string[] {
  return text
    .slice(0, REPORT_NOTICE_CHARS)
    .split('\n')
    .map((line) => line.slice(0, REPORT_LINE_CHARS))
}

/** Words with which notices announce the returned message. */
const ANNOUNCED =
  /^[\s*=>|-]*(?:(?:begin(?:ning)? of |start of |below (?:this line )?is |enclosed is |attached is |following is |this is )?(?:a |the )?(?:copy of (?:the|your) (?:original )?(?:message|mail)|(?:your )?(?:original|returned|unsent|undelivered|failed|bounced) (?:message|mail|e-?mail)(?: headers?)?|(?:message|mail) headers?(?: follows?)?|(?:unsent|returned) message(?: follows)?)\b.{0,60}|(?:the )?(?:headers?|body|text) of (?:the |your )?(?:original )?message.{0,40}|(?:received|original) headers?|non-delivered message|(?:message|mail) (?:text|contents?|body)(?: follows)?|text follows|forwarded message.{0,20}|below this line is a copy of the message\.?|enclosed is a copy of the message\.?|included is a copy of the message header:?)[\s:.=*-]*$/i
/** Fields at the start of a message's header. */
const HEADER_START =
  /^(?:Return-Path:\s*<|Received:\s+(?:from|by|\()|DKIM-Signature:\s|X-Received:\s|Delivered-To:\s|Message-ID:\s*<|Arc-Seal:)/i

/** The words of the server, and the index from which the returned message follows. */
function cutReturned(lines: readonly string[]): { notice: string[]; rest: string[] } {
  const end = lines.findIndex((line, i) => {
    if (HEADER_START.test(line)) return true
    return ANNOUNCED.test(line) && followedByHeader(lines, i)
  })
  if (end < 0) return { notice: [...lines], rest: [] }
  const rest = lines.slice(HEADER_START.test(lines[end]!) ? end : end + 1)
  return {
    notice: lines.slice(0, end),
    rest: rest.slice(
      Math.max(
        0,
        rest.findIndex((line) => line.trim() !== ''),
      ),
    ),
  }
}

/** An announcement is at the end, or a header follows it. A heading above the addresses is not one. */
function followedByHeader(lines: readonly string[], at: number): boolean {
  const next = lines.slice(at + 1).find((line) => line.trim() !== '')
  return (
    next === undefined ||
    /^[\s>]*[A-Za-z][\w-]{1,60}:(?:\s|$)/.test(next) ||
    /^--/.test(next) ||
    /^From \S+@/.test(next)
  )
}
