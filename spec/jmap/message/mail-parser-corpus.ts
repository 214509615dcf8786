/** Compares our results for the messages of the corpus mail-parser (spec/support/corpora.ts) with the expected ones. */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodePartBytes, decodePartText } from '../../../jmap/message/decode.ts'
import { type BodyPart, parseMessage } from '../../../jmap/message/structure.ts'
import { SHARED_CORPORA } from '../../support/corpora.ts'
import { mailsIn } from './corpus.ts'

const MAIL_PARSER_FOLDER = join(SHARED_CORPORA, 'mail-parser')

export type Field = 'subject' | 'from' | 'attachments' | 'texts' | 'content'

export interface Comparison {
  readonly name: string
  /** The fields that differ when the lines of the message end with LF, and with CRLF. */
  readonly lf: Field[]
  readonly crlf: Field[]
}

/** One comparison for each message; none if the folder is absent. */
export function compareAll(): Comparison[] {
  return mailsIn(MAIL_PARSER_FOLDER).map(({ name, bytes }) => {
    const source = bytes.toString('latin1').replaceAll('\r\n', '\n')
    const expected = (ending: string): Expected =>
      JSON.parse(readFileSync(join(MAIL_PARSER_FOLDER, name.replace('.eml', ending)), 'utf8'))
    return {
      name,
      lf: compare(expected('.json'), Buffer.from(source, 'latin1')),
      crlf: compare(expected('.crlf.json'), Buffer.from(source.replaceAll('\n', '\r\n'), 'latin1')),
    }
  })
}

/** The result of mail-parser for a message, in its own form. */
export interface Expected {
  readonly parts: readonly ExpectedPart[]
  readonly text_body: readonly number[]
  readonly html_body: readonly number[]
  readonly attachments: readonly number[]
}

export interface ExpectedPart {
  readonly headers: readonly { readonly name: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly body: Readonly<Record<string, unknown>>
  readonly is_encoding_problem: boolean
}

interface ExpectedAddress {
  readonly name: string | null
  readonly address: string | null
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12)
}

function expectedContent({ body }: ExpectedPart): string {
  const [kind, value] = Object.entries(body)[0] ?? ['', null]
  if (kind === 'Multipart' || kind === 'Message') return kind
  return hash(typeof value === 'string' ? value.replaceAll('\r\n', '\n') : Buffer.from(value as number[]))
}

function expectedFields(expected: Expected): Record<Field, unknown> {
  const headers = expected.parts[0]?.headers ?? []
  const last = (name: string) => headers.findLast((header) => header.name === name)?.value
  const from = (last('from')?.['Address'] ?? {}) as {
    List?: ExpectedAddress[]
    Group?: { addresses: ExpectedAddress[] }[]
  }
  const addresses = from.List ?? from.Group?.flatMap((group) => group.addresses) ?? []
  return {
    subject: last('subject')?.['Text'] ?? null,
    from: addresses.map(({ name, address }) => (address ? [name ?? null, address] : [null, name])),
    attachments: expected.attachments.filter((index) => isAttachment(expected, index)).length,
    texts: expected.parts.filter(isText).map(expectedContent),
    content: expected.parts.map(expectedContent),
  }
}

/** mail-parser returns parts that it cannot decode as text; the type counts. */
function isText({ body, headers }: ExpectedPart): boolean {
  const type = headers.findLast(({ name }) => name === 'content_type')?.value['ContentType'] as { c_type: string }
  return ('Text' in body || 'Html' in body) && (type === undefined || type.c_type === 'text')
}

function isAttachment(expected: Expected, index: number): boolean {
  const isInBoth = expected.text_body.includes(index) && expected.html_body.includes(index)
  const part = expected.parts[index]
  const wasMoved = part?.is_encoding_problem && !part.headers.some(({ name }) => name === 'content_disposition')
  return !isInBoth && !wasMoved
}

function content(bytes: Buffer, part: BodyPart, other: ExpectedPart | undefined): string {
  if (part.subParts !== null) return 'Multipart'
  if (part.type === 'message/rfc822' && other && 'Message' in other.body) return 'Message'
  if (part.type.startsWith('text/')) return hash(decodePartText(bytes, part).value)
  const octets = decodePartBytes(bytes, part)
  return hash(other && 'Text' in other.body ? octets.toString('utf8').replaceAll('\r\n', '\n') : octets)
}

function actualFields(bytes: Buffer, expected: Expected): Record<Field, unknown> {
  const parsed = parseMessage(bytes)
  const { parts, attachments } = parsed.structure
  const contents = parts.map((part, index) => content(bytes, part, expected.parts[index]))
  return {
    subject: parsed.subject || null,
    from: (parsed.from ?? []).map(({ name, email }) => [name, email]),
    attachments: attachments.length,
    texts: contents.filter((_, index) => parts[index]?.type.startsWith('text/')),
    content: contents,
  }
}

/** @returns the fields that differ */
export function compare(expected: Expected, bytes: Buffer): Field[] {
  const wanted = expectedFields(expected)
  const found = actualFields(bytes, expected)
  const fields = Object.keys(wanted) as Field[]
  return fields.filter((field) => JSON.stringify(wanted[field]) !== JSON.stringify(found[field]))
}
