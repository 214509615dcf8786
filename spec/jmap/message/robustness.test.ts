/** Nothing throws for any octets, and the result is consistent. */
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { decodePartBytes, decodePartText } from '../../../jmap/message/decode.ts'
import { HEADER_FORMS, headerForm } from '../../../jmap/message/header-forms.ts'
import { packStructure, unpackStructure } from '../../../jmap/message/pack.ts'
import { type BodyPart, type ParsedMessage, parseMessage } from '../../../jmap/message/structure.ts'
import { SHARED_CORPORA, sharedMissing } from '../../support/corpora.ts'
import { mailsIn, OWN_CORPUS } from './corpus.ts'

/** The inconsistency of a parsed message; '' if there is none. */
function inconsistency(bytes: Buffer, parsed: ParsedMessage): string {
  const { parts, textBody, htmlBody, attachments } = parsed.structure
  const seen = new Set([...textBody, ...htmlBody, ...attachments])
  for (const part of parts) {
    const where = `part ${part.number}: `
    const { headerStart, headerEnd, bodyStart, bodyEnd } = part
    if (!(0 <= headerStart && headerStart <= headerEnd && headerEnd <= bodyStart)) return `${where}header offsets`
    if (!(bodyStart <= bodyEnd && bodyEnd <= bytes.length)) return `${where}body offsets`
    if ((part.partId === null) !== part.type.startsWith('multipart/')) return `${where}partId`
    if (part.subParts === null && !seen.has(part.number)) return `${where}in no body and no attachment`
    if (part.subParts === null && decodePartBytes(bytes, part).length !== part.size) return `${where}size`
    for (const number of part.subParts ?? []) {
      const child = parts[number - 1] as BodyPart
      if (child.headerStart < bodyStart || child.bodyEnd > bodyEnd) return `${where}not nested`
    }
  }
  if (parsed.headers.some(({ start, end }) => start > end || end > bytes.length)) return 'field offsets'
  if (parsed.preview.length > 256 || !parsed.preview.isWellFormed()) return 'preview'
  return ''
}

function check(bytes: Buffer): string {
  const before = Buffer.from(bytes)
  const parsed = parseMessage(bytes)
  for (const part of parsed.structure.parts) decodePartText(bytes, part, { maxBytes: 20 })
  for (const field of parsed.headers) {
    for (const form of HEADER_FORMS) headerForm(bytes.subarray(field.start, field.end), form)
  }
  const stored = JSON.parse(JSON.stringify(packStructure(parsed.structure)))
  if (JSON.stringify(unpackStructure(stored)?.parts.length) !== JSON.stringify(parsed.structure.parts.length))
    return 'pack'
  if (!before.equals(bytes)) return 'octets were changed'
  return inconsistency(bytes, parsed)
}

t.test('random octets', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (octets) => check(Buffer.from(octets)) === ''),
      { numRuns: 1_000 },
    ),
  )
})

const PIECES = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\n\n',
    ' ',
    '\t',
    '--a',
    '--a--',
    '--b',
    '--b--',
    '\n--a\n',
    '\n--b\n',
    '\n--a--\n',
  ],
  'Content-Type: multipart/mixed; boundary=a\n\n',
  'Content-Type: multipart/alternative; boundary="b"\n',
  'Content-Type: multipart/digest; boundary=a\n\n--a\n',
  'Content-Type: message/rfc822\n\n',
  'Content-Type: text/html; charset=iso-2022-jp\n\n',
  'Content-Type: image/png\n\n',
  'Content-Transfer-Encoding: base64\n\n',
  'Content-Transfer-Encoding: quoted-printable\n\n',
  "Content-Disposition: attachment; filename*0*=utf-8''%C3;\n filename*1*=%A4\n",
  'Subject: =?utf-8?B?w6Q=?= =?x?Q?y?=\n',
  'From: "a, b" <c@d>, e: f@g (h);\n',
  'Date: Tue, 10 Jul 2018 03:05:08 +1000\n',
  'From me\n',
  ...['text', 'QUJD', '=C3=A4', '<b>x</b>', '&amp;', '\xe4', '\0', ':', '"', '(', '<', '=', '\x1b$B'],
]

t.test('messages joined from pieces of MIME', async (t) => {
  const source = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(''))
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(source, (text) => check(Buffer.from(text, 'latin1')) === ''),
      { numRuns: 3_000 },
    ),
  )
})

t.test('mails of the corpus with octets changed, cut, doubled and dropped', async (t) => {
  const mutation = fc.record({
    mail: fc.constantFrom(...OWN_CORPUS.map(({ bytes }) => bytes)),
    edits: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        drop: fc.integer({ min: 0, max: 80 }),
        insert: fc.oneof(
          fc.uint8Array({ maxLength: 4 }),
          fc.constantFrom(...PIECES).map((piece) => Buffer.from(piece, 'latin1')),
        ),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(mutation, ({ mail, edits }) => {
        let bytes = mail
        for (const { at, drop, insert } of edits) {
          const index = Math.floor(at * bytes.length)
          bytes = Buffer.concat([bytes.subarray(0, index), insert, bytes.subarray(index + drop)])
        }
        return check(bytes) === ''
      }),
      { numRuns: 2_000 },
    ),
  )
})

t.test('the mails of the corpus', async (t) => {
  t.ok(OWN_CORPUS.length > 20)
  for (const { name, bytes } of OWN_CORPUS) t.equal(check(bytes), '', name)
})

t.test('every available real mail', { skip: sharedMissing() }, async (t) => {
  const shared = mailsIn(SHARED_CORPORA)
  t.ok(shared.length > 1_000)
  t.same(
    shared.map(({ name, bytes }) => [name, check(bytes)]).filter(([, fault]) => fault !== ''),
    [],
  )
})
