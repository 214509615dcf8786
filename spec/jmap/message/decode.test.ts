import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { decodePartBytes, decodePartHead, decodePartText } from '../../../jmap/message/decode.ts'
import { type BodyPart, parseMessage } from '../../../jmap/message/structure.ts'

interface Given {
  readonly type?: string
  readonly encoding?: string
  readonly body: string | Uint8Array
}

function single({ type = 'text/plain; charset=utf-8', encoding = '8bit', body }: Given) {
  const header = Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`)
  const bytes = Buffer.concat([header, typeof body === 'string' ? Buffer.from(body, 'utf8') : body])
  const part = parseMessage(bytes).structure.parts[0] as BodyPart
  return { bytes, part }
}

function text(given: Given, maxBytes?: number) {
  const { bytes, part } = single(given)
  return decodePartText(bytes, part, maxBytes === undefined ? {} : { maxBytes })
}

function content(given: Given): string {
  const { bytes, part } = single(given)
  return decodePartBytes(bytes, part).toString('utf8')
}

for (const [what, encoding, body, expected] of [
  ['base64', 'base64', 'aGVs\r\nbG8=', 'hello'],
  ['base64 without padding', 'BASE64', 'aGVsbG8', 'hello'],
  ['RFC 2045 6.8: base64 with characters outside the alphabet', 'base64', 'aGV*sbG8gd29ybGQ=', 'hello world'],
  ['base64 in padded segments', 'base64', 'aGVsbG8=\r\nIHdvcmxk', 'hello world'],
  ['base64 with a footer behind its padding', 'base64', 'aGVsbG8=\r\n____\r\nlist footer', 'hello'],
  ['base64 with one character too many', 'base64', 'aGVsbG8hx', 'hello!'],
  [
    'text that claims to be base64',
    'base64',
    'Dear Jane, this is plain text. -- Bob',
    'Dear Jane, this is plain text. -- Bob',
  ],
  ['quoted-printable', 'quoted-printable', 'a=3Db=C3=A4=\r\nc', 'a=bäc'],
  ['RFC 2045 6.7: lower-case hexadecimal', 'quoted-printable', '=c3=a4', 'ä'],
  ['RFC 2045 6.7 (3): white space at line ends', 'quoted-printable', 'a \t\r\nb=20\r\nc  ', 'a\r\nb \r\nc'],
  ['a soft line break with white space behind it', 'quoted-printable', 'a= \t\r\nb', 'ab'],
  ['an equals sign that encodes nothing', 'quoted-printable', 'a=zz=4 ==41', 'a=zz=4 =A'],
  ['quoted-printable with LF', 'quoted-printable', 'a=\nb\nc', 'ab\nc'],
  ['identity', 'binary', 'a=20b', 'a=20b'],
  ['RFC 8621 4.1.4: an unknown encoding as none', 'x-uuencode', 'begin 644 x', 'begin 644 x'],
  ['an encoding with a comment', '(c) base64', 'aGk=', 'hi'],
] as const) {
  t.test(`decodes ${what}`, async (t) => {
    t.equal(content({ encoding, body }), expected)
  })
}

t.test('size is the length of the decoded content, for any body', async (t) => {
  const body = fc.array(fc.constantFrom('a', '=', 'A4', ' ', '\r', '\n', '\r\n', '*', 'QUJD', '3D', '_', '\t'))
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(body, fc.constantFrom('base64', 'quoted-printable', '7bit'), (pieces, encoding) => {
        const { bytes, part } = single({ encoding, body: pieces.join('') })
        return decodePartBytes(bytes, part).length === part.size
      }),
      { numRuns: 2_000 },
    ),
  )
})

t.test('base64 decodes to the original octets', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (octets) => {
        const { bytes, part } = single({ encoding: 'base64', body: Buffer.from(octets).toString('base64') })
        return decodePartBytes(bytes, part).equals(octets)
      }),
    ),
  )
})

t.test('large content has its memory to itself, so that it can be given away', async (t) => {
  const text = Buffer.from('Grüße = '.repeat(200_000))
  const quoted = text.toString('latin1').replace(/[^ -<>-~]|=/g, (char) => `=${char.charCodeAt(0).toString(16)}`)
  const lines = (encoded: string) => encoded.replace(/[^=]{60}/g, (line) => `${line}=\r\n`)
  const bodies = {
    base64: text.toString('base64').replace(/.{76}/g, '$&\r\n'),
    'quoted-printable': lines(quoted),
  }
  for (const [encoding, body] of Object.entries(bodies)) {
    const bytes = Buffer.from(body, 'latin1')
    const content = decodePartBytes(bytes, { bodyStart: 0, bodyEnd: bytes.length, encoding })
    t.ok(content.equals(text.subarray(0, content.length)) && content.length >= text.length - 1, encoding)
    t.equal(content.buffer.byteLength, content.length, encoding)
  }
})

t.test('a part is decoded from a range of the message', async (t) => {
  const { bytes, part } = single({ encoding: 'base64', body: 'aGVsbG8=' })
  const range = bytes.subarray(part.bodyStart, part.bodyEnd)
  t.equal(decodePartBytes(range, part, part.bodyStart).toString(), 'hello')
  t.equal(decodePartText(range, part, { offset: part.bodyStart }).value, 'hello')
})

t.test('RFC 8621 4.1.4: CRLF becomes LF', async (t) => {
  t.same(text({ body: 'a\r\nb\nc' }), { value: 'a\nb\nc', isEncodingProblem: false, isTruncated: false })
  t.equal(text({ body: 'a\rb\r\n\nc' }).value, 'a\rb\n\nc')
})

for (const [charset, octets, expected] of [
  ['utf-8', [0xc3, 0xa4], 'ä'],
  ['UTF8', [0xc3, 0xa4], 'ä'],
  ['iso-8859-1', [0xe4], 'ä'],
  ['iso-8859-15', [0xa4], '€'],
  ['windows-1251', [0xcc], 'М'],
  ['koi8-r', [0xed], 'М'],
  ['gb2312', [0xc4, 0xe3], '你'],
  ['big5', [0xa7, 0x41], '你'],
  ['shift_jis', [0x93, 0xfa], '日'],
  ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], '日'],
  ['euc-kr', [0xc7, 0xd1], '한'],
  ['utf-16', [0xfe, 0xff, 0x00, 0xe4], 'ä'],
  ['utf-16le', [0xe4, 0x00], 'ä'],
  ['cp850', [0x84], 'ä'],
  ['macintosh', [0x8a], 'ä'],
] as const) {
  t.test(`decodes ${charset}`, async (t) => {
    const value = text({ type: `text/plain; charset=${charset}`, body: Uint8Array.from(octets) })
    t.same(value, { value: expected, isEncodingProblem: false, isTruncated: false })
  })
}

t.test('adjacent escape sequences of ISO-2022-JP are no problem', async (t) => {
  const [jis, ascii] = ['\x1b$B', '\x1b(B']
  const body = Buffer.from(`${jis}F|${ascii}${jis}K\\${ascii}${jis}${ascii} a`, 'latin1')
  t.match(text({ type: 'text/plain; charset=iso-2022-jp', body }), { value: '日本 a', isEncodingProblem: false })
})

t.test('a byte order mark is not text', async (t) => {
  t.equal(text({ body: '\ufeffa' }).value, 'a')
})

t.test('RFC 8621 4.1.4: malformed sections become U+FFFD and are reported', async (t) => {
  t.match(text({ body: Uint8Array.from([0x61, 0xff, 0x62]) }), { value: 'a\ufffdb', isEncodingProblem: true })
})

t.test('RFC 8621 4.1.4: UTF-8 in a wrong charset is read as UTF-8, and reported', async (t) => {
  for (const charset of ['iso-2022-jp', 'euc-jp', 'euc-kr'])
    t.same(text({ type: `text/plain; charset=${charset}`, body: '日本 ü' }), {
      value: '日本 ü',
      isEncodingProblem: true,
      isTruncated: false,
    })
  const eucJp = Uint8Array.from([0xc6, 0xfc, 0xcb, 0xdc])
  for (const charset of ['iso-2022-jp', 'euc-jp'])
    t.match(text({ type: `text/plain; charset=${charset}`, body: eucJp }), { value: '日本' }, charset)
})

t.test('RFC 8621 4.1.4: half a surrogate pair becomes U+FFFD', async (t) => {
  for (const charset of ['utf-16', 'utf-16be', 'utf-16le', 'utf-32']) {
    const octets = charset === 'utf-32' ? [0, 0, 0xd8, 0, 0, 0, 0, 0x62] : [0xd8, 0xd8, 0, 0x62]
    const { value } = text({ type: `text/plain; charset=${charset}`, body: Uint8Array.from(octets) })
    t.ok(value.isWellFormed(), charset)
    t.match(value, /\ufffd/, charset)
  }
})

t.test('RFC 8621 4.1.4: a U+FFFD of the sender is no problem', async (t) => {
  t.match(text({ body: '\ufffd' }), { value: '\ufffd', isEncodingProblem: false })
})

t.test('RFC 8621 4.1.4: an unknown charset is a problem, even for ASCII; its text is guessed', async (t) => {
  t.match(text({ type: 'text/plain; charset=klingon', body: 'ä' }), { value: 'ä', isEncodingProblem: true })
  t.match(text({ type: 'text/plain; charset=klingon', body: 'a' }), { value: 'a', isEncodingProblem: true })
})

t.test('us-ascii with eight-bit octets is UTF-8 if valid, else windows-1252 and a problem', async (t) => {
  t.match(text({ type: 'text/plain', body: 'ä' }), { value: 'ä', isEncodingProblem: false })
  t.match(text({ type: 'text/plain', body: Uint8Array.from([0xe4]) }), { value: 'ä', isEncodingProblem: true })
})

t.test('RFC 8621 4.1.4: an unknown transfer encoding is a problem, a known one is not', async (t) => {
  t.match(text({ encoding: 'x-foo', body: 'a' }), { value: 'a', isEncodingProblem: true })
  t.match(text({ encoding: 'Binary', body: 'a' }), { value: 'a', isEncodingProblem: false })
})

t.test('UTF-7 is not decoded: it hides markup', async (t) => {
  t.match(text({ type: 'text/plain; charset=utf-7', body: '+ADw-b+AD4-' }), {
    value: '+ADw-b+AD4-',
    isEncodingProblem: true,
  })
})

t.test('RFC 8621 4.2: maxBodyValueBytes counts octets of UTF-8 and keeps code points whole', async (t) => {
  t.same(text({ body: 'aäb' }, 2), { value: 'a', isEncodingProblem: false, isTruncated: true })
  t.same(text({ body: 'aäb' }, 3), { value: 'aä', isEncodingProblem: false, isTruncated: true })
  t.same(text({ body: 'aäb' }, 4), { value: 'aäb', isEncodingProblem: false, isTruncated: false })
  t.equal(text({ body: '😀😀' }, 7).value, '😀')
  t.equal(text({ body: '😀' }, 3).value, '')
})

t.test('RFC 8621 4.2: 0 does not truncate', async (t) => {
  t.match(text({ body: 'x'.repeat(5_000) }, 0), { isTruncated: false })
})

t.test('RFC 8621 4.2: HTML is not cut inside a tag', async (t) => {
  const html = { type: 'text/html; charset=utf-8', body: 'abc<a href="x">d</a>' }
  t.equal(text(html, 10).value, 'abc')
  t.equal(text(html, 15).value, 'abc<a href="x">')
  t.equal(text({ ...html, body: '1 < 2 and more' }, 9).value, '1 < 2 and')
  t.equal(text({ type: 'text/plain', body: 'abc<a href="x">' }, 10).value, 'abc<a href')
  for (const [tag, length] of [
    ['<a title="1<b" href="x">', 12],
    ['<a title="1>0" href="x">', 14],
    ['<!-- a > b -->', 9],
    ['</a>', 2],
    ['<br>', 1],
  ] as const)
    t.equal(text({ ...html, body: `abc${tag}def` }, 3 + length).value, 'abc', tag)
})

t.test('a truncated value has the same beginning for a short and a very long part', async (t) => {
  const short = 'ä\r\n'.repeat(400)
  for (const encoding of ['8bit', 'base64']) {
    const body = (value: string) => (encoding === 'base64' ? Buffer.from(value).toString('base64') : value)
    const head = text({ encoding, body: body(short) }, 301)
    const long = text({ encoding, body: body(short.repeat(20)) }, 301)
    t.same(long, head)
    t.match(head, { value: 'ä\n'.repeat(100), isEncodingProblem: false, isTruncated: true })
  }
})

t.test('RFC 8621 4.1.4: the cut of a value is no encoding problem', async (t) => {
  const body = Buffer.from(`a${'\xc4\xe3'.repeat(4_000)}`, 'latin1')
  for (const maxBytes of [30, 31, 32, 33]) {
    t.match(text({ type: 'text/plain; charset=gb2312', body }, maxBytes), {
      value: `a${'你'.repeat(Math.floor((maxBytes - 1) / 3))}`,
      isEncodingProblem: false,
      isTruncated: true,
    })
  }
})

t.test('the beginning of a large body is decoded without its end, even if the end is malformed', async (t) => {
  const bytes = Buffer.from(`${'QUFB'.repeat(5_000)}${'!'.repeat(100_000)}`)
  const part = { bodyStart: 0, bodyEnd: bytes.length, encoding: 'base64', type: 'text/plain', charset: 'us-ascii' }
  t.equal(decodePartHead(bytes, part, 1_000), 'A'.repeat(1_000))
  const unknown = { ...part, encoding: 'x-unknown' }
  t.equal(decodePartHead(bytes.subarray(0, 10_000), unknown, 1_000), 'QUFB'.repeat(250), 'the rest is not read')
})

t.test('a value is never longer than requested', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 1, max: 80 }), (body, maxBytes) => {
        const { value, isTruncated } = text({ body }, maxBytes)
        return Buffer.byteLength(value) <= maxBytes && (isTruncated || value === text({ body }).value)
      }),
    ),
  )
})
