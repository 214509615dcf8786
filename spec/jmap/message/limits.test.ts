/** Bombs (promise P4): results stay within the limits, and the octets stay readable. */
import { Buffer } from 'node:buffer'
import t from 'tap'
import { baseSubject } from '../../../jmap/message/base-subject.ts'
import { decodePartText } from '../../../jmap/message/decode.ts'
import { headerForm } from '../../../jmap/message/header-forms.ts'
import { parseMessage } from '../../../jmap/message/structure.ts'
import {
  MIME_MAX_DEPTH,
  MIME_MAX_FIELD_ITEMS,
  MIME_MAX_HEADER_BYTES,
  MIME_MAX_HEADER_FIELDS,
  MIME_MAX_PARTS,
  MIME_MAX_TRACE_BYTES,
  MIME_MAX_TRACE_FIELDS,
  PREVIEW_MAX_CHARS,
  SEARCH_TEXT_MAX_CHARS,
} from '../../../server/base/limits.ts'
import { inSmallHeap, moduleUrl } from '../../support/small-heap.ts'

function parse(source: string) {
  return parseMessage(Buffer.from(source, 'latin1'))
}

t.test('10,000 nested multiparts: MIME_MAX_DEPTH are parsed, the next is a leaf with the rest', async (t) => {
  const levels = Array.from({ length: 10_000 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`)
  const { structure } = parse(levels.join(''))
  t.equal(structure.parts.length, MIME_MAX_DEPTH + 1)
  t.equal(structure.truncated, true)
  const last = structure.parts.at(-1)
  t.match(last, { type: 'application/octet-stream', subParts: null, bodyEnd: structure.size })
  t.same(structure.attachments, [MIME_MAX_DEPTH + 1])
})

t.test('a depth at the limit is parsed whole', async (t) => {
  const levels = Array.from(
    { length: MIME_MAX_DEPTH },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`,
  )
  const { structure } = parse(`${levels.join('')}\nx`)
  t.match(structure, { truncated: false, textBody: [MIME_MAX_DEPTH + 1] })
})

t.test('100,000 parts: MIME_MAX_PARTS are listed', async (t) => {
  const { structure } = parse(`Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(100_000)}`)
  t.equal(structure.parts.length, MIME_MAX_PARTS)
  t.equal(structure.truncated, true)
  t.equal(structure.parts[0]?.bodyEnd, structure.size)
})

t.test('1,000,000 header fields: at most the allowed number is listed, and the body is found', async (t) => {
  const parsed = parse(`${'X: y\n'.repeat(1_000_000)}\nbody`)
  t.equal(parsed.headers.length, MIME_MAX_HEADER_FIELDS + MIME_MAX_TRACE_FIELDS)
  t.match(parsed, { structure: { truncated: true }, preview: 'body' })
})

t.test('a header line of 30 MB: it is read up to the limit of a header, and the body is found', async (t) => {
  const parsed = parse(`Subject: ${'a'.repeat(30_000_000)}\n\nbody`)
  t.ok((parsed.subject?.length ?? 0) <= MIME_MAX_HEADER_BYTES + MIME_MAX_TRACE_BYTES)
  t.match(parsed, { structure: { truncated: true }, preview: 'body' })
})

t.test('many lines of one part whose header never ends: the delimiter after them is found', async (t) => {
  for (const line of ['a:\n', ' a\n', '-a\n', '--c\n']) {
    const head = 'Content-Type: multipart/mixed; boundary=b\n\n--b\nX: y\n'
    const { structure } = parse(`${head}${line.repeat(500_000)}--b\n\nlast\n--b--\n`)
    t.equal(structure.parts.length, 3, line)
    t.match(structure.parts.at(-1), { size: 4 }, line)
  }
})

t.test('dashes under a hundred open boundaries: each line costs what it costs under one', async (t) => {
  const levels = Array.from({ length: 99 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`)
  const { structure } = parse(`${levels.join('')}\n${'--b\n'.repeat(1_000_000)}--b98 \n\nnext`)
  t.equal(structure.parts.length, 101)
  t.match(structure.parts.at(-1), { size: 4 })
})

t.test(
  'text behind a boundary is allowed in delimiter lines of the innermost levels, and white space in all',
  async (t) => {
    const levels = Array.from({ length: 30 }, (_, n) => {
      const boundary = `${n}${'b'.repeat(n + 1)}`
      return `Content-Type: multipart/mixed; boundary=${boundary}\n\n--${boundary}\n`
    })
    const parts = (line: string) => parse(`${levels.join('')}\nx\n${line}\n\nnext`).structure.parts.length
    const boundary = (n: number) => `--${n}${'b'.repeat(n + 1)}`
    t.equal(parts(boundary(29)), 32, 'control')
    t.equal(parts(`${boundary(25)}junk`), 32)
    t.equal(parts(`${boundary(5)}junk`), 31)
    t.equal(parts(`${boundary(5)} `), 32)
  },
)

t.test('images of many HTML bodies are searched in as much HTML as one body may have', async (t) => {
  const part = (type: string, body: string) => `--b\nContent-Type: ${type}\n\n${body}\n`
  const images = Array.from({ length: 400 }, (_, n) =>
    part(`image/png\nContent-Disposition: attachment\nContent-ID: <c${n}>`, 'x'),
  )
  const shown = part('text/html', Array.from({ length: 400 }, (_, n) => `<img src="cid:c${n}">`).join(''))
  const filler = part('text/html', '<p>'.repeat(10_000)).repeat(200)
  const message = (html: string) =>
    parse(`Content-Type: multipart/related; boundary=b\n\n${html}${images.join('')}--b--\n`)
  t.equal(message(shown).structure.hasAttachment, false)
  t.equal(message(part('text/html', 'nothing')).structure.hasAttachment, true)
  const mixed = parse(`Content-Type: multipart/mixed; boundary=b\n\n${filler}${shown}${images.join('')}--b--\n`)
  t.equal(mixed.structure.hasAttachment, true)
})

t.test('a Subject of 5 MB of encoded-words is cut and decoded', async (t) => {
  const parsed = parse(`Subject: ${'=?utf-8?Q?a?=\n '.repeat(330_000)}\n\nbody`)
  t.match(parsed.subject, /^a+/)
  t.match(parsed, { structure: { truncated: true }, preview: 'body' })
})

t.test('50 MB of base64: text for search is capped, a value is decoded only as far as asked', async (t) => {
  const line = `${'QUFB'.repeat(19)}\r\n`
  const bytes = Buffer.from(`Content-Transfer-Encoding: base64\r\n\r\n${line.repeat(640_000)}`, 'latin1')
  const parsed = parseMessage(bytes)
  const part = parsed.structure.parts[0]
  t.equal(part?.size, 640_000 * 57)
  t.equal(parsed.searchText.length, SEARCH_TEXT_MAX_CHARS)
  t.equal(parsed.preview.length, PREVIEW_MAX_CHARS)
  t.match(part && decodePartText(bytes, part, { maxBytes: 10 }), { value: 'A'.repeat(10), isTruncated: true })
})

t.test('4,000,000 lines of a text take little memory beside it', async (t) => {
  const code = `
    const { decodePartText } = await import(${moduleUrl('../../jmap/message/decode.ts')})
    const bytes = Buffer.alloc(12_000_000, 'a\\r\\n')
    const part = { type: 'text/html', charset: null, encoding: '7bit', bodyStart: 0, bodyEnd: bytes.length }
    return decodePartText(bytes, part).value.length`
  t.equal(await inSmallHeap(code), 8_000_000)
})

t.test('wherever a long text has line ends, CRLF becomes LF and a lone CR stays', async (t) => {
  for (let before = 65_530; before < 65_540; before++) {
    const body = Buffer.from(`${'x'.repeat(before)}\r\r\n\r\n\ry\r`)
    const part = { type: 'text/plain', charset: null, encoding: '7bit', bodyStart: 0, bodyEnd: body.length }
    t.equal(decodePartText(body, part).value, `${'x'.repeat(before)}\r\n\n\ry\r`, `after ${before}`)
  }
})

t.test('identity content shares the memory of the message', async (t) => {
  const bytes = Buffer.from('Content-Type: application/x-y\r\n\r\nbody', 'latin1')
  const { decodePartBytes } = await import('../../../jmap/message/decode.ts')
  const part = parseMessage(bytes).structure.parts[0]
  t.equal(part && decodePartBytes(bytes, part).buffer, bytes.buffer)
})

t.test('many addresses, ids and URLs: MIME_MAX_FIELD_ITEMS are read', async (t) => {
  t.equal(headerForm('a@b (x (y)), '.repeat(MIME_MAX_FIELD_ITEMS * 2), 'Addresses').length, MIME_MAX_FIELD_ITEMS)
  t.equal(headerForm('<a@b> '.repeat(MIME_MAX_FIELD_ITEMS * 2), 'MessageIds')?.length, MIME_MAX_FIELD_ITEMS)
  t.equal(headerForm('<a:b>, '.repeat(MIME_MAX_FIELD_ITEMS * 2), 'URLs')?.length, MIME_MAX_FIELD_ITEMS)
})

t.test('text of openings without ends is read to its end', async (t) => {
  const size = 500_000
  for (const piece of ['(', '"', '<', '[', '=?', '=?a?Q?', ':', ';', '@', '\\', '<@', ',"', '=?utf-8?Q?a?= ', 'a:']) {
    const value = piece.repeat(size / piece.length)
    for (const form of ['Text', 'GroupedAddresses', 'MessageIds', 'URLs', 'Date'] as const) {
      t.doesNotThrow(() => headerForm(value, form), `${form} of ${piece}`)
    }
  }
})

t.test('subjects of blobs and prefixes are read to their end', async (t) => {
  for (const piece of ['[', ']', '[a]', 're:', '(fwd)', '[fwd:', 're[', ' ']) {
    t.type(baseSubject(piece.repeat(200_000)), 'string', piece)
  }
})

t.test('bodies of openings without ends are read to their end', async (t) => {
  for (const piece of [
    '<',
    '<a ',
    '<!--',
    '<script>',
    '</',
    '&',
    '&#',
    '<a "',
    '<head>',
    '--',
    '--b',
    '=',
    '\r',
    ' \t',
  ]) {
    const text = piece.repeat(2_000_000 / piece.length)
    for (const type of ['text/html', 'multipart/mixed; boundary=b', 'text/plain']) {
      const source = `Content-Type: ${type}\nContent-Transfer-Encoding: quoted-printable\n\n${text}`
      t.ok(parse(source).preview.length <= PREVIEW_MAX_CHARS, `${type} of ${piece}`)
    }
  }
})

t.test('parameters of openings without ends are read to their end', async (t) => {
  for (const piece of ['(', '"', ';', '=', ';a', ';a*0', ';a="', "'", '%', ';""', ' ', '/']) {
    const value = piece.repeat(500_000 / piece.length)
    const source = `Content-Type: text/plain${value}\nContent-Disposition: ${value}\nContent-Language: ${value}\n\nx`
    t.match(parse(source).structure.parts, [{ number: 1 }], piece)
  }
})

t.test(
  'names of charsets that do not exist: as many are looked up as no mail has, and the next mail is decoded',
  async (t) => {
    const rare = '=?iso-8859-13?Q?=e0?='
    const words = (count: number) => Array.from({ length: count }, (_, n) => `=?x-none-${n}?Q?a?=`).join(' ')
    t.equal(headerForm(`${words(5_000)} ${rare}`, 'Text'), `${words(5_000)} ${rare}`)
    await Promise.resolve()
    const same = '=?x-none?Q?a?= '.repeat(5_000)
    t.equal(headerForm(`${same}${words(190)} ${rare}`, 'Text'), `${same}${words(190)} \u0105`, 'one name counts once')
  },
)
