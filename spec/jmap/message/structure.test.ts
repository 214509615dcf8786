import t from 'tap'
import { type BodyPart, parseMessage, parseStructure } from '../../../jmap/message/structure.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { message, onlyPart, parse } from './fixtures.ts'

const MIXED = message(
  'Subject: two parts',
  'Content-Type: multipart/mixed; boundary="b"',
  '',
  'preamble',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'first',
  '--b',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/html',
  '',
  '<p>second</p>',
  '--inner--',
  'epilogue of inner',
  '--b--',
  'epilogue',
)

function slice(bytes: Buffer, part: BodyPart | undefined): string {
  return bytes.toString('latin1', part?.bodyStart, part?.bodyEnd)
}

t.test('parts are numbered depth-first from the root, with offsets into the message', async (t) => {
  const { structure } = parseMessage(MIXED)
  t.same(
    structure.parts.map(({ number, partId, type, subParts }) => [number, partId, type, subParts]),
    [
      [1, null, 'multipart/mixed', [2, 3]],
      [2, '2', 'text/plain', null],
      [3, null, 'multipart/alternative', [4]],
      [4, '4', 'text/html', null],
    ],
  )
  t.equal(slice(MIXED, structure.parts[1]), 'first')
  t.equal(slice(MIXED, structure.parts[3]), '<p>second</p>')
  t.equal(structure.size, MIXED.length)
  t.equal(structure.truncated, false)
})

t.test('RFC 2046 5.1.1: preamble and epilogue are no parts, but the epilogue belongs to its multipart', async (t) => {
  const { structure } = parseMessage(MIXED)
  t.match(slice(MIXED, structure.parts[2]), /epilogue of inner$/)
  t.match(slice(MIXED, structure.parts[0]), /^preamble[\s\S]*epilogue$/)
})

t.test('RFC 2046 5.1.1: the line break before a delimiter is not content', async (t) => {
  const bytes = message('Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'text', '', '--b--', '')
  t.equal(slice(bytes, parseMessage(bytes).structure.parts[1]), 'text\r\n')
})

for (const [name, ending] of [
  ['LF', '\n'],
  ['CR', '\r'],
  ['CR CRLF', '\r\r\n'],
] as const) {
  t.test(`a message whose lines end with ${name} has the same parts`, async (t) => {
    const bytes = Buffer.from(MIXED.toString('latin1').replaceAll('\r\n', ending), 'latin1')
    const parsed = parseMessage(bytes)
    t.equal(parsed.subject, 'two parts')
    t.same(
      parsed.structure.parts.map(({ type }) => type),
      parseMessage(MIXED).structure.parts.map(({ type }) => type),
    )
    t.equal(slice(bytes, parsed.structure.parts[1]).trim(), 'first')
  })
}

t.test('RFC 2046 5.1.5: a part of multipart/digest is message/rfc822 by default', async (t) => {
  const { structure } = parse(
    'Content-Type: multipart/digest; boundary=d',
    '',
    '--d',
    '',
    'Subject: inner',
    '',
    'hi',
    '--d',
    'Content-Type: text/plain',
    '',
    'said',
    '--d--',
  )
  t.same(
    structure.parts.slice(1).map(({ type, charset }) => [type, charset]),
    [
      ['message/rfc822', 'us-ascii'],
      ['text/plain', 'us-ascii'],
    ],
  )
})

t.test('RFC 8621 4.1.4: message/rfc822 is a leaf, even with a multipart inside', async (t) => {
  const { structure } = parse(
    'Content-Type: message/rfc822',
    '',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    '--x',
    '',
    'a',
    '--x--',
  )
  t.same(
    structure.parts.map(({ type, subParts }) => [type, subParts]),
    [['message/rfc822', null]],
  )
})

t.test('RFC 2045 5.2: without Content-Type a part is text/plain in us-ascii', async (t) => {
  t.match(onlyPart(['Subject: x'], 'text'), { type: 'text/plain', charset: 'us-ascii', encoding: '7bit' })
})

t.test('RFC 8621 4.1.4: charset is null for a type that is not text and names none', async (t) => {
  t.equal(onlyPart(['Content-Type: image/png']).charset, null)
  t.equal(onlyPart(['Content-Type: application/json; charset=utf-8']).charset, 'utf-8')
  t.equal(onlyPart(['Content-Type: text/plain; charset="ISO-8859-1"']).charset, 'ISO-8859-1')
})

t.test('RFC 8621 4.1.4: type loses comments and parameters', async (t) => {
  t.equal(onlyPart(['Content-Type: (a) Text (b) / HTML (c); charset=utf-8 (d)']).type, 'text/html')
})

t.test('an unreadable Content-Type counts as text/plain', async (t) => {
  t.equal(onlyPart(['Content-Type: nonsense']).type, 'text/plain')
})

t.test('a boundary after a missing semicolon is found', async (t) => {
  const { structure } = parse('Content-Type: multipart/mixed', '\tboundary="b"', '', '--b', '', 'x', '--b--')
  t.equal(structure.parts.length, 2)
})

t.test('RFC 8621 4.1.4: name is the filename of Content-Disposition, else the name of Content-Type', async (t) => {
  t.equal(
    onlyPart(['Content-Type: a/b; name=type.txt', 'Content-Disposition: attachment; filename="disp.txt"']).name,
    'disp.txt',
  )
  t.equal(onlyPart(['Content-Type: a/b; name=type.txt', 'Content-Disposition: attachment']).name, 'type.txt')
  t.equal(onlyPart(['Content-Type: a/b']).name, null)
})

t.test('RFC 2231: a continued, encoded filename is joined', async (t) => {
  const part = onlyPart([
    "Content-Disposition: attachment; filename*1=second.txt; filename*0*=utf-8'en'%C3%A4%20",
    ' ; filename=plain.txt',
  ])
  t.equal(part.name, 'ä second.txt')
})

t.test('an encoded-word in a filename is decoded, in quotes or not', async (t) => {
  t.equal(onlyPart(['Content-Disposition: attachment; filename="=?utf-8?Q?=C3=A4?=.txt"']).name, 'ä.txt')
  t.equal(onlyPart(['Content-Type: a/b; name==?utf-8?B?w6Q=?=']).name, 'ä')
})

t.test('RFC 8621 4.1.4: cid loses angle brackets and comments, language is a list, location a URI', async (t) => {
  const part = onlyPart([
    'Content-ID: (c <d>) <id@example.com>',
    'Content-Language: de, en-GB (british)',
    'Content-Location: https://example.com/',
    ' a.png',
    'Content-Disposition: INLINE; size=1',
  ])
  t.match(part, {
    cid: 'id@example.com',
    language: ['de', 'en-GB'],
    location: 'https://example.com/a.png',
    disposition: 'inline',
  })
  t.match(onlyPart(['Subject: x']), { cid: null, language: null, location: null, disposition: null })
})

t.test('RFC 8621 4.1.4: size counts octets after transfer decoding', async (t) => {
  t.equal(onlyPart(['Content-Transfer-Encoding: base64'], 'aGVs\r\nbG8=').size, 5)
  t.equal(onlyPart(['Content-Transfer-Encoding: Quoted-Printable'], 'a=C3=A4 \r\nb=').size, 6)
  t.equal(onlyPart(['Content-Transfer-Encoding: x-uuencode'], 'raw').size, 3)
})

t.test('without an end delimiter the last part runs to the end', async (t) => {
  const bytes = message('Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'one', '--b', '', 'two')
  const { parts } = parseMessage(bytes).structure
  t.same([slice(bytes, parts[1]), slice(bytes, parts[2])], ['one', 'two'])
})

t.test('an outer delimiter ends unclosed inner multiparts', async (t) => {
  const bytes = message(
    'Content-Type: multipart/mixed; boundary=o',
    '',
    '--o',
    'Content-Type: multipart/mixed; boundary=i',
    '',
    '--i',
    '',
    'in',
    '--o',
    '',
    'out',
    '--o--',
  )
  const { parts } = parseMessage(bytes).structure
  t.same(parts[0]?.subParts, [2, 4])
  t.same([slice(bytes, parts[2]), slice(bytes, parts[3])], ['in', 'out'])
})

t.test('a boundary that begins with another one is distinguished from it', async (t) => {
  const { structure } = parse(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: multipart/mixed; boundary=bb',
    '',
    '--bb',
    '',
    'x',
    '--bb--',
    '--b--',
  )
  t.same(
    structure.parts.map(({ subParts }) => subParts),
    [[2], [3], null],
  )
})

t.test('white space after a delimiter belongs to it, and none before it', async (t) => {
  const { structure } = parse('Content-Type: multipart/mixed; boundary=b', '', '--b \t', '', 'x', ' --b', 'y', '--b-- ')
  t.equal(structure.parts.length, 2)
  t.equal(structure.parts[1]?.size, 'x\r\n --b\r\ny'.length)
})

t.test('RFC 2046 5.1.1: a line that begins with the boundary is a delimiter, whatever follows', async (t) => {
  const bytes = message(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b: one',
    '',
    'x',
    '--bb',
    '',
    'y',
    '--b-->',
    'epilogue',
  )
  const { parts } = parseMessage(bytes).structure
  t.same([slice(bytes, parts[1]), slice(bytes, parts[2])], ['x', 'y'])
  t.equal(parts.length, 3)
})

t.test('RFC 2046 5.1.1: if several boundaries match, the longest is meant', async (t) => {
  const bytes = message(
    'Content-Type: multipart/mixed; boundary=bb',
    '',
    '--bb',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'inner',
    '--bb x',
    '',
    'outer',
    '--bb--',
  )
  const { parts } = parseMessage(bytes).structure
  t.same(parts[0]?.subParts, [2, 4])
  t.same([slice(bytes, parts[2]), slice(bytes, parts[3])], ['inner', 'outer'])
})

t.test('an attached message keeps its own delimiters that begin like an outer one', async (t) => {
  const inner = ['Content-Type: multipart/mixed; boundary=b2', '', '--b2', '', 'x', '--b2--']
  const { parts } = parse(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    ...inner,
    '--b--',
  ).structure
  t.same(
    parts.map(({ type, size }) => [type, size]),
    [
      ['multipart/mixed', parts[0]?.size],
      ['message/rfc822', inner.join('\r\n').length],
    ],
  )
})

t.test('a delimiter inside a header block ends the part', async (t) => {
  const bytes = message(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '--b',
    '',
    'x',
  )
  const { parts } = parseMessage(bytes).structure
  t.same(
    parts.slice(1).map((part) => [part.type, slice(bytes, part)]),
    [
      ['text/html', ''],
      ['text/plain', 'x'],
    ],
  )
})

t.test('a multipart without boundary, or without any delimiter line, is shown as text', async (t) => {
  for (const type of ['multipart/mixed', 'multipart/mixed; boundary=never']) {
    const { structure } = parse(`Content-Type: ${type}`, '', 'the text')
    t.match(structure.parts, [{ type: 'text/plain', partId: '1', size: 8 }])
    t.same(structure.textBody, [1])
  }
})

t.test('a multipart that ends without a part is shown as its text', async (t) => {
  const bytes = message('Content-Type: multipart/mixed; boundary=b', '', 'the text', '--b--', 'and more')
  const { structure } = parseMessage(bytes)
  t.match(structure.parts, [{ type: 'text/plain', partId: '1', subParts: null }])
  t.match(slice(bytes, structure.parts[0]), /^the text[\s\S]*and more$/)
  t.same(structure.textBody, [1])
})

t.test('a delimiter with a colon directly after the header is not a field', async (t) => {
  const bytes = message(
    'Content-Type: multipart/mixed; boundary="b:1"',
    '--b:1',
    'Content-Type: text/html',
    '',
    'x',
    '--b:1--',
  )
  const { headers, structure } = parseMessage(bytes)
  t.equal(headers.length, 1)
  t.match(structure.parts, [{ type: 'multipart/mixed' }, { type: 'text/html' }])
  t.equal(slice(bytes, structure.parts[1]), 'x')
})

t.test('RFC 8621 4.1.3: of several fields with one name the last counts', async (t) => {
  t.equal(parse('Subject: one', 'subject: two', '', '').subject, 'two')
})

t.test('header values that ingest needs are decoded; absent ones are null', async (t) => {
  const parsed = parse(
    'From: =?utf-8?Q?J=C3=B6rg?= <j@example.com>',
    'To: a@example.com, b@example.com',
    'Date: Tue, 10 Jul 2018 03:05:08 +1000',
    'Message-ID: <m@example.com>',
    'References: <a@x>',
    ' <b@x>',
    '',
    '',
  )
  t.match(parsed, {
    from: [{ name: 'Jörg', email: 'j@example.com' }],
    sentAt: { ms: Date.UTC(2018, 6, 9, 17, 5, 8), offset: 600 },
    messageId: ['m@example.com'],
    references: ['a@x', 'b@x'],
  })
  t.equal(parsed.to?.length, 2)
  t.same([parsed.cc, parsed.subject, parsed.inReplyTo, parsed.sender], [null, null, null, null])
})

t.test('the separately parsed structure equals that of the whole', async (t) => {
  t.same(parseStructure(MIXED), parseMessage(MIXED).structure)
})

t.test('the result is plain JSON', async (t) => {
  const parsed = parseMessage(MIXED)
  t.same(JSON.parse(JSON.stringify(parsed)), parsed)
})

t.test('an empty message has one empty text part', async (t) => {
  const parsed = parseMessage(Buffer.alloc(0))
  matchWhole(t, parsed, { subject: null, preview: '', searchText: '', headers: [] })
  t.match(parsed.structure.parts, [{ type: 'text/plain', size: 0 }])
})
