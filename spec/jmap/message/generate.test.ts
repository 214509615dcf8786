import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { simpleParser } from 'mailparser'
import t from 'tap'
import type { BodySpec, LeafSpec } from '../../../jmap/message/body-spec.ts'
import { decodePartBytes, decodePartText } from '../../../jmap/message/decode.ts'
import { generateMessage } from '../../../jmap/message/generate.ts'
import type { HeaderSpec } from '../../../jmap/message/header-encoding.ts'
import { parseMessage } from '../../../jmap/message/structure.ts'

const SUBJECT: HeaderSpec = { name: 'Subject', form: 'Text', value: 'Grüße' }

function generate(body: BodySpec, headers: readonly HeaderSpec[] = [SUBJECT]): Buffer {
  const result = generateMessage({ headers, body })
  if (result.error) throw new Error(`${result.error.at}: ${result.error.description}`)
  return result.bytes
}

function refusal(body: BodySpec, headers: readonly HeaderSpec[] = []): string | null {
  const result = generateMessage({ headers, body })
  return result.error ? result.error.at : null
}

function text(value: string): LeafSpec {
  return { type: 'text/plain', content: { text: value } }
}

function texts(bytes: Buffer): string[] {
  const { parts } = parseMessage(bytes).structure
  return parts.filter(({ type }) => type.startsWith('text/')).map((part) => decodePartText(bytes, part).value)
}

t.test('a text message has its fields in order, MIME-Version and the text', async (t) => {
  const bytes = generate(text('Hello\nyou'), [{ name: 'X-First', form: 'Text', value: '1' }, SUBJECT])
  t.equal(
    bytes.toString(),
    [
      'X-First: 1',
      'Subject: =?UTF-8?B?R3LDvMOfZQ==?=',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Hello',
      'you',
    ].join('\r\n'),
  )
})

for (const [what, value] of [
  ['ASCII', 'plain\n'],
  ['few characters beyond ASCII', `${'word '.repeat(40)}ä\n`],
  ['only characters beyond ASCII', '日本語'.repeat(100)],
  ['lines over 998 octets', 'x'.repeat(3_000)],
  ['white space at line ends', 'a \nb\t\n '],
  ['a carriage return of its own', 'a\rb'],
  ['NUL', 'a\0b'],
  ['lines that mail stores change', 'From me\n.\n..\n--=_\n'],
  ['nothing', ''],
  ['equals signs', '=\n=20\n=='],
] as const) {
  t.test(`text is returned unchanged: ${what}`, async (t) => {
    for (const body of [text(value), { type: 'multipart/mixed', subParts: [text(value), text('x')] }]) {
      const bytes = generate(body)
      t.equal(texts(bytes)[0], value)
      t.ok(
        bytes
          .toString('latin1')
          .split('\r\n')
          .every((line) => line.length <= 998 && /^[\t\x20-\x7e]*$/.test(line)),
      )
    }
  })
}

t.test('any text is returned unchanged, in 7-bit lines', async (t) => {
  const unit = fc.constantFrom(
    'a',
    'ä',
    '\n',
    ' ',
    '\t',
    '=',
    '.',
    'From ',
    '-',
    '\r',
    '\0',
    '😀',
    'word ',
    '\n\n',
    'x'.repeat(80),
  )
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 120 }), (units) => {
        const value = units.join('')
        const bytes = generate({ type: 'multipart/mixed', subParts: [text(value)] })
        const lines = bytes.toString('latin1').split('\r\n')
        const isSame = texts(bytes)[0] === value.replaceAll('\r\n', '\n')
        return isSame && lines.every((line) => line.length <= 998 && /^[\t\x20-\x7e]*$/.test(line))
      }),
      { numRuns: 1_000 },
    ),
  )
})

t.test('any octets are returned unchanged from an attachment', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('image/png', 'text/plain', 'application/x-y', 'message/rfc822', 'text/csv'),
        (octets, type) => {
          const part: LeafSpec = { type, disposition: 'attachment', content: { bytes: octets } }
          const bytes = generate({ type: 'multipart/mixed', subParts: [text('x'), part] })
          const found = parseMessage(bytes).structure.parts[2]
          return found !== undefined && decodePartBytes(bytes, found).equals(octets)
        },
      ),
    ),
  )
})

t.test('RFC 8621 4.1.4: all properties of a part are returned', async (t) => {
  const part: LeafSpec = {
    type: 'application/pdf',
    disposition: 'attachment',
    name: 'Übersicht "2025"; final version with a rather long name, for good measure.pdf',
    cid: 'c@example.com',
    language: ['de', 'en-GB'],
    location: 'https://example.com/a?b=c',
    content: { bytes: Buffer.from('x') },
  }
  const bytes = generate({ type: 'multipart/mixed', subParts: [text('x'), part] })
  const { content: _content, ...expected } = part
  t.match(parseMessage(bytes).structure.parts[2], expected)
})

t.test('RFC 2231: any file name is returned, with and without a disposition', async (t) => {
  const name = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 90 })
    .map((value) =>
      value
        .replace(/[\p{Cc}\p{Cs}]/gu, '')
        .normalize('NFC')
        .trim(),
    )
    .filter((value) => value !== '')
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(name, fc.constantFrom(null, 'attachment'), (value, disposition) => {
        const bytes = generate({ type: 'image/png', name: value, disposition, content: { bytes: Buffer.from('x') } })
        const part = parseMessage(bytes).structure.parts[0]
        return part?.name === value && part.disposition === disposition && !/"[^"]*=\?/.test(bytes.toString('latin1'))
      }),
      { numRuns: 500 },
    ),
  )
})

t.test('parameters of the type are written', async (t) => {
  const bytes = generate({
    type: 'text/calendar',
    parameters: { method: 'REQUEST', component: 'VEVENT' },
    content: { text: 'BEGIN:VCALENDAR' },
  })
  t.match(bytes.toString(), 'Content-Type: text/calendar; charset=utf-8; method=REQUEST; component=VEVENT')
})

t.test('RFC 2046 5.1.1: no part can forge the boundary', async (t) => {
  const first = generate({ type: 'multipart/mixed', subParts: [text('a'), text('b')] })
  const boundary = /boundary="([^"]+)"/.exec(first.toString())?.[1] ?? ''
  const forged = generate({
    type: 'multipart/mixed',
    subParts: [text('a'), text(`--${boundary}\n\nforged\n`), text('b')],
  })
  t.equal(parseMessage(forged).structure.parts.length, 4)
  const forwarded: LeafSpec = { type: 'message/rfc822', content: { bytes: first } }
  const outer = generate({ type: 'multipart/mixed', subParts: [text('a'), text('b'), forwarded] })
  t.equal(parseMessage(outer).structure.parts.length, 4)
})

t.test(
  'RFC 2046 5.2.1: an attached eight-bit message is not encoded again, and the parts around it are 8bit',
  async (t) => {
    const inner = Buffer.from('Subject: x\r\n\r\nä\r\n', 'utf8')
    const result = generateMessage({
      headers: [],
      body: { type: 'multipart/mixed', subParts: [{ type: 'message/rfc822', content: { bytes: inner } }] },
    })
    t.equal(result.error ? null : result.is8bit, true)
    t.equal(result.bytes?.toString().match(/Content-Transfer-Encoding: 8bit/g)?.length, 2)
    const plain = generateMessage({ headers: [SUBJECT], body: text('ä') })
    t.equal(plain.error ? null : plain.is8bit, false)
  },
)

t.test('RFC 2387 3.1: multipart/related names the type of its root', async (t) => {
  const bytes = generate({ type: 'multipart/related', subParts: [{ type: 'text/html', content: { text: 'x' } }] })
  t.match(bytes.toString(), /multipart\/related; type="text\/html"/)
})

t.test('mailparser reads written messages', async (t) => {
  const bytes = generate(
    {
      type: 'multipart/mixed',
      subParts: [
        {
          type: 'multipart/alternative',
          subParts: [
            { type: 'text/plain', content: { text: 'Grüße\n' } },
            { type: 'text/html', content: { text: '<b>Grüße</b>' } },
          ],
        },
        { type: 'application/pdf', disposition: 'attachment', name: 'Ü 1.pdf', content: { bytes: Buffer.from('pdf') } },
      ],
    },
    [SUBJECT, { name: 'From', form: 'Addresses', value: [{ name: 'Jörg, X', email: 'j@example.com' }] }],
  )
  const mail = await simpleParser(bytes)
  t.match(mail, { subject: 'Grüße', text: 'Grüße\n', html: '<b>Grüße</b>' })
  t.match(mail.from?.value, [{ name: 'Jörg, X', address: 'j@example.com' }])
  t.match(mail.attachments, [{ filename: 'Ü 1.pdf', content: Buffer.from('pdf') }])
})

for (const [what, body, at] of [
  ['a type that is none', { ...text('x'), type: 'text' }, 'body'],
  ['an injected type', { ...text('x'), type: 'text/plain\r\nX: y' }, 'body'],
  ['an injected disposition', { ...text('x'), disposition: 'inline\r\nX: y' }, 'body'],
  ['an injected cid', { ...text('x'), cid: 'a>\r\nX: y' }, 'body'],
  ['an injected location', { ...text('x'), location: 'a\r\nX: y' }, 'body'],
  ['an injected language', { ...text('x'), language: ['de\r\nX: y'] }, 'body'],
  ['an injected name', { ...text('x'), name: 'a\r\nX: y' }, 'body'],
  ['an injected parameter', { ...text('x'), parameters: { a: 'b\r\nX: y' } }, 'body'],
  ['an injected charset', { type: 'text/plain', content: { bytes: Buffer.from('x'), charset: 'a\r\nX: y' } }, 'body'],
  ['a multipart without parts', { type: 'multipart/mixed', subParts: [] }, 'body'],
  ['a leaf that says multipart', { ...text('x'), type: 'multipart/mixed' }, 'body'],
  ['parts in what is no multipart', { type: 'text/plain', subParts: [text('x')] }, 'body'],
  [
    'a bad part inside',
    { type: 'multipart/mixed', subParts: [text('x'), { ...text('y'), type: '?' }] },
    'body/subParts/1',
  ],
  [
    'a transfer encoding of the caller',
    { ...text('x'), headers: [{ name: 'Content-Transfer-Encoding', form: 'Text', value: '7bit' }] },
    'body',
  ],
] as const) {
  t.test(`refuses ${what}`, async (t) => {
    t.equal(refusal(body as BodySpec), at)
  })
}

t.test('refuses a field that cannot be written, by name', async (t) => {
  t.equal(refusal(text('x'), [SUBJECT, { name: 'X-Bad', form: 'Text', value: 'a\nb' }]), 'X-Bad')
  t.equal(refusal(text('x'), [SUBJECT]), null)
})

t.test('refuses parts that are nested too deep and too many parts', async (t) => {
  let deep: BodySpec = text('x')
  for (let level = 0; level < 200; level++) deep = { type: 'multipart/mixed', subParts: [deep] }
  t.match(refusal(deep), /^body\/subParts/)
  t.equal(refusal({ type: 'multipart/mixed', subParts: Array.from({ length: 2_000 }, () => text('x')) }), 'body')
})
