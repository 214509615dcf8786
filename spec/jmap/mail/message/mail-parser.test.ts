/**
 * P1 of reliability.md: agreement with the expected results of stalwartlabs/mail-parser (../shared/corpora/mail-parser), each
 * message with LF and with CRLF. Compared: subject, From, the number of attachments, the decoded texts of all text parts, and
 * the decoded content of every part in order. What is an attachment is defined by RFC 8621 4.1.4, so two habits of mail-parser
 * are taken out of its figures first: parts that are in both bodies, and bodies that it moved only because it could not decode
 * them, are no attachments; and the text of a mailbox without an address is its `email` (RFC 8621 4.1.2.3). A message that
 * still differs is listed with every field that does and why; anything else that differs, and any listed difference that is
 * gone, fails.
 */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { decodePartBytes, decodePartText } from '../../../../jmap/mail/message/decode.ts'
import { type BodyPart, parseMessage } from '../../../../jmap/mail/message/structure.ts'
import { mailsIn, SHARED_CORPORA } from './corpus.ts'

const FOLDER = join(SHARED_CORPORA, 'mail-parser')

type Field = 'subject' | 'from' | 'attachments' | 'texts' | 'content'

interface Deviation {
  readonly fields: readonly Field[]
  readonly why: string
}

const DEVIATIONS: Readonly<Record<string, Deviation>> = {
  'malformed/000.eml': {
    fields: ['texts', 'content'],
    why: 'mail-parser finds no part, since the boundary begins with a colon; RFC 2046 5.1.1 allows that.',
  },
  'malformed/001.eml': {
    fields: ['texts', 'content'],
    why: 'mail-parser takes "--ab" for the delimiter of boundary "a"; here the whole line counts, as for Python.',
  },
  'malformed/002.eml': {
    fields: ['attachments', 'texts'],
    why: 'A multipart in which no delimiter stands: here its text is the body, so that it can be read; there it is an attachment.',
  },
  'malformed/007.eml': {
    fields: ['texts', 'content'],
    why: 'The delimiter stands right under the header: mail-parser then loses the type of the multipart.',
  },
  'malformed/016.eml': {
    fields: ['texts', 'content'],
    why: 'Boundaries that begin with one another: an outer delimiter ends the inner multiparts, whose delimiters are text after it.',
  },
  'malformed/019.eml': {
    fields: ['texts', 'content'],
    why: 'Text right under a header, without a blank line, is lost by mail-parser; here it is body.',
  },
  'malformed/021.eml': {
    fields: ['texts', 'content'],
    why: 'Two Content-Type fields: here the first counts (as for Python and mailparser), for mail-parser the last.',
  },
  'thirdparty/002.eml': {
    fields: ['texts', 'content'],
    why: 'Junk behind the padding of base64 is left out, as Dovecot, whose test this is, asks; mail-parser decodes it.',
  },
  'thirdparty/005.eml': {
    fields: ['texts', 'content'],
    why: 'mail-parser ends a part at a delimiter in the middle of a line; RFC 2046 5.1.1 has it at the beginning of one.',
  },
  'thirdparty/015.eml': {
    fields: ['attachments', 'content'],
    why: 'mail-parser loses two of three attached messages, whose header is cut off by the delimiter.',
  },
}

/** Share of messages equal in all fields below which this may not fall: the examples of the RFCs, and the broken and odd ones. */
const FLOOR_RFC = 1
const FLOOR_OTHERS = 0.66

interface Expected {
  readonly parts: readonly ExpectedPart[]
  readonly text_body: readonly number[]
  readonly html_body: readonly number[]
  readonly attachments: readonly number[]
}

interface ExpectedPart {
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

/** mail-parser gives as text whatever it cannot decode; the type is what counts. */
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

function compare(name: string, bytes: Buffer): Field[] {
  const expected: Expected = JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))
  const wanted = expectedFields(expected)
  const found = actualFields(bytes, expected)
  const fields = Object.keys(wanted) as Field[]
  return fields.filter((field) => JSON.stringify(wanted[field]) !== JSON.stringify(found[field]))
}

const options = { skip: existsSync(FOLDER) ? false : '../shared/corpora/mail-parser is not there' }

t.test('agrees with mail-parser but where the table says otherwise', options, async (t) => {
  const rfc = { equal: 0, all: 0 }
  const others = { equal: 0, all: 0 }
  for (const { name, bytes } of mailsIn(FOLDER)) {
    const lf = bytes.toString('latin1').replaceAll('\r\n', '\n')
    const differences = new Set<Field>()
    for (const [suffix, source] of [
      ['.json', lf],
      ['.crlf.json', lf.replaceAll('\n', '\r\n')],
    ] as const) {
      const different = compare(name.replace('.eml', suffix), Buffer.from(source, 'latin1'))
      for (const field of different) differences.add(field)
      const count = name.startsWith('rfc/') ? rfc : others
      count.all += 1
      count.equal += different.length === 0 ? 1 : 0
    }
    const deviation = DEVIATIONS[name]
    t.same([...differences].sort(), [...(deviation?.fields ?? [])].sort(), `${name}: ${deviation?.why ?? 'equal'}`)
  }
  t.comment(`equal in all fields: rfc ${rfc.equal} of ${rfc.all}, others ${others.equal} of ${others.all}`)
  t.ok(rfc.equal >= rfc.all * FLOOR_RFC, 'the examples of the RFCs')
  t.ok(others.equal >= others.all * FLOOR_OTHERS, 'malformed and third-party messages')
})
