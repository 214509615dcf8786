/** Bodies of emails, through Email/get: RFC 8621 4.1.4 and 4.2. */
import t from 'tap'
import { type Result, startCore } from '../../support/core.ts'

const { core, mailbox } = await startCore(t)
const hello = await mailbox('hello')

async function get(raw: string | Uint8Array, properties: readonly string[], more: object = {}): Promise<Result> {
  const ids = [await hello.receive(raw)]
  return (await hello.call('Email/get', { ids, properties: [...properties], ...more })).list[0]
}

function multipart(subtype: string, boundary: string, ...parts: string[]): string {
  const body = parts.map((part) => `--${boundary}\n${part}\n`).join('')
  return `Content-Type: multipart/${subtype}; boundary=${boundary}\n\n${body}--${boundary}--\n`
}

/** A part with these header lines. */
function part(header: string, body = 'text'): string {
  return `${header}\n\n${body}`
}

/** The properties of the only part of a message. */
async function onlyPart(header: string, body = 'text', properties: readonly string[] = []): Promise<Result> {
  const more = properties.length > 0 ? { bodyProperties: [...properties] } : {}
  return (await get(part(header, body), ['bodyStructure'], more)).bodyStructure
}

/** The value of the only part of a message. */
async function onlyValue(raw: string | Uint8Array, more: object = {}): Promise<Result> {
  const { bodyValues } = await get(raw, ['bodyValues'], { fetchAllBodyValues: true, ...more })
  return Object.values(bodyValues)[0]
}

async function content(blobId: string): Promise<Buffer | null> {
  const download = await core.download(hello.principal, hello.accountId, blobId)
  return download && Buffer.from(download.bytes)
}

const WRAPPED_BY_A_LIST = multipart(
  'mixed',
  'b1',
  part('Content-Type: text/plain\nContent-Disposition: inline\nContent-ID: <A>'),
  multipart(
    'mixed',
    'b2',
    multipart(
      'alternative',
      'b3',
      multipart(
        'mixed',
        'b4',
        part('Content-Type: text/plain\nContent-Disposition: inline\nContent-ID: <B>'),
        part('Content-Type: image/jpeg\nContent-Disposition: inline\nContent-ID: <C>'),
        part('Content-Type: text/plain\nContent-Disposition: inline\nContent-ID: <D>'),
      ),
      multipart(
        'related',
        'b5',
        part('Content-Type: text/html\nContent-ID: <E>'),
        part('Content-Type: image/jpeg\nContent-ID: <F>'),
      ),
    ),
    part('Content-Type: image/jpeg\nContent-Disposition: attachment\nContent-ID: <G>'),
    part('Content-Type: application/x-excel\nContent-ID: <H>'),
    part('Content-Type: message/rfc822\nContent-ID: <J>', 'Subject: inner\n\ninner'),
  ),
  part('Content-Type: text/plain\nContent-Disposition: inline\nContent-ID: <K>'),
)

t.test('the example of the RFC gives the lists of the RFC (RFC 8621 4.1.4)', async (t) => {
  const email = await get(WRAPPED_BY_A_LIST, ['textBody', 'htmlBody', 'attachments'], { bodyProperties: ['cid'] })
  const ids = (list: { cid: string }[]) => list.map(({ cid }) => cid).join(' ')
  t.equal(ids(email.textBody), 'A B C D K')
  t.equal(ids(email.htmlBody), 'A E K')
  t.equal(ids(email.attachments), 'C F G H J')
})

t.test('partId and blobId are null for multiparts only, and each partId occurs once (RFC 8621 4.1.4)', async (t) => {
  const { bodyStructure } = await get(WRAPPED_BY_A_LIST, ['bodyStructure'])
  const partIds: string[] = []
  const walk = (one: Result) => {
    const isMultipart = one.type.startsWith('multipart/')
    t.equal(one.partId === null, isMultipart, one.type)
    t.equal(one.blobId === null, isMultipart, one.type)
    t.equal(Array.isArray(one.subParts), isMultipart, one.type)
    if (!isMultipart) partIds.push(one.partId)
    for (const sub of one.subParts ?? []) walk(sub)
  }
  walk(bodyStructure)
  t.equal(partIds.length, 10)
  t.equal(new Set(partIds).size, 10)
})

t.test('an attached message is one part, whatever its content, and has no subParts (RFC 8621 4.1.4)', async (t) => {
  const inner = multipart('mixed', 'inner', part('Content-Type: text/plain'), part('Content-Type: image/png'))
  for (const type of ['message/rfc822', 'message/global']) {
    const raw = multipart('mixed', 'outer', part('Content-Type: text/plain'), part(`Content-Type: ${type}`, inner))
    const bodyProperties = ['type', 'subParts']
    const email = await get(raw, ['bodyStructure', 'attachments'], { bodyProperties })
    t.same(email.bodyStructure.subParts, [
      { type: 'text/plain', subParts: null },
      { type, subParts: null },
    ])
    t.same(email.attachments, [{ type }])
  }
})

t.test('the blob of a part is its decoded content, and size is its number of octets (RFC 8621 4.1.4)', async (t) => {
  for (const [encoding, body, octets] of [
    ['base64', 'aGVs\nbG8=', 'hello'],
    ['quoted-printable', 'h=C3=A4=\nllo', 'h\u00e4llo'],
    ['7bit', 'hello\nthere', 'hello\r\nthere'],
    ['x-nobody-knows', 'aGVsbG8=', 'aGVsbG8='],
    ['BASE64 (comment)', 'aGVsbG8=', 'hello'],
  ] as const) {
    const leaf = part(`Content-Type: application/x-a\nContent-Transfer-Encoding: ${encoding}`, body)
    const { attachments } = await get(multipart('mixed', 'b', leaf), ['attachments'])
    t.equal(attachments[0].size, Buffer.byteLength(octets), encoding)
    t.same(await content(attachments[0].blobId), Buffer.from(octets), encoding)
  }
})

t.test(
  'type is that of Content-Type without comments and parameters, else the implicit one (RFC 8621 4.1.4)',
  async (t) => {
    t.match(await onlyPart('Content-Type: (a) TEXT/(b)html (c); charset=utf-8 (d)'), { type: 'text/html' })
    t.match(await onlyPart('X: y'), { type: 'text/plain', charset: 'us-ascii' })
    const { bodyStructure } = await get(multipart('digest', 'd', part('', 'Subject: s\n\nhi')), ['bodyStructure'])
    t.match(bodyStructure.subParts, [{ type: 'message/rfc822' }])
  },
)

t.test('charset is the parameter, us-ascii for text and without a type, else null (RFC 8621 4.1.4)', async (t) => {
  t.equal((await onlyPart('Content-Type: text/plain; charset="ISO-8859-1"')).charset, 'ISO-8859-1')
  t.equal((await onlyPart('Content-Type: text/html')).charset, 'us-ascii')
  t.equal((await onlyPart('X: y')).charset, 'us-ascii')
  t.equal((await onlyPart('Content-Type: image/png')).charset, null)
  t.equal((await onlyPart('Content-Type: application/json; charset=utf-8')).charset, 'utf-8')
})

t.test('name is the filename by RFC 2231, else the name of the type by RFC 2047 (RFC 8621 4.1.4)', async (t) => {
  const disposition = (parameters: string) =>
    `Content-Type: a/b; name=other\nContent-Disposition: attachment; ${parameters}`
  for (const [header, name] of [
    [disposition('filename="a \\"b\\".txt"'), 'a "b".txt'],
    [disposition("filename*=utf-8'en'%e2%82%ac%20rates"), '\u20ac rates'],
    [disposition("filename*=iso-8859-1''%A3"), '\u00a3'],
    [disposition("filename*1=b.txt; filename*0*=utf-8''%C3%A4"), '\u00e4b.txt'],
    [disposition('size=1'), 'other'],
    ['Content-Type: a/b; name="=?utf-8?q?=C3=A4?= =?utf-8?q?b?="', '\u00e4b'],
    ['Content-Type: a/b', null],
  ] as const)
    t.equal((await onlyPart(header)).name, name, header)
})

t.test(
  'disposition, cid, language and location lose comments and parameters, and are null without a field (RFC 8621 4.1.4)',
  async (t) => {
    const header = [
      'Content-Disposition: (a) Inline (b); filename=x',
      'Content-ID: (a <b>) <id@x> (c)',
      'Content-Language: de (german), en-GB',
      'Content-Location: https://example.com/a',
      ' b.png',
    ].join('\n')
    t.match(await onlyPart(header), {
      disposition: 'inline',
      cid: 'id@x',
      language: ['de', 'en-GB'],
      location: 'https://example.com/ab.png',
    })
    t.match(await onlyPart('X: y'), { disposition: null, cid: null, language: null, location: null, name: null })
  },
)

t.test('a part has exactly the requested properties (RFC 8621 4.2)', async (t) => {
  t.same(await onlyPart('Content-Type: text/plain', 'x', ['type', 'size']), { type: 'text/plain', size: 1 })
  t.same(Object.keys(await onlyPart('Content-Type: text/plain')).sort(), [
    ...['blobId', 'charset', 'cid', 'disposition', 'language', 'location', 'name', 'partId', 'size', 'type'],
  ])
  t.same(await onlyPart('X: y', '', ['subParts']), { subParts: null })
})

const VARIOUS = multipart(
  'mixed',
  'v',
  multipart(
    'alternative',
    'w',
    part('Content-Type: text/plain', 'plain'),
    part('Content-Type: text/html', '<b>html</b>'),
  ),
  part('Content-Type: text/x-markdown; charset=bogus; name=a.md\nContent-Disposition: attachment', '# mark'),
  part('Content-Type: text/calendar', 'BEGIN:VCALENDAR'),
  part('Content-Type: application/json', '{}'),
  part('Content-Type: message/rfc822', 'Subject: inner\n\ninner'),
)

t.test(
  'bodyValues has the text parts of the requested lists, and all of them with fetchAll (RFC 8621 4.2)',
  async (t) => {
    const values = async (more: object) =>
      Object.values((await get(VARIOUS, ['bodyValues'], more)).bodyValues).map(({ value }: Result) => value)
    t.same(await values({}), [])
    t.same(await values({ fetchTextBodyValues: true }), ['plain'])
    t.same(await values({ fetchHTMLBodyValues: true }), ['<b>html</b>'])
    t.same(await values({ fetchTextBodyValues: true, fetchHTMLBodyValues: true }), ['plain', '<b>html</b>'])
    t.same(await values({ fetchAllBodyValues: true }), ['plain', '<b>html</b>', '# mark', 'BEGIN:VCALENDAR'])
  },
)

t.test('the only version of a text is in bodyValues whichever list is requested (RFC 8621 4.2)', async (t) => {
  for (const type of ['text/plain', 'text/html']) {
    for (const more of [{ fetchTextBodyValues: true }, { fetchHTMLBodyValues: true }]) {
      const { bodyValues } = await get(part(`Content-Type: ${type}`, 'only'), ['bodyValues'], more)
      t.match(Object.values(bodyValues), [{ value: 'only' }])
    }
  }
})

t.test('arguments of another type, and unknown properties of parts, are invalidArguments (RFC 8621 4.2)', async (t) => {
  const ids = [await hello.receive(VARIOUS)]
  for (const more of [
    { bodyProperties: 'type' },
    { bodyProperties: null },
    { bodyProperties: ['type', 'preview'] },
    { bodyProperties: [7] },
    { fetchTextBodyValues: 'yes' },
    { fetchHTMLBodyValues: 1 },
    { fetchAllBodyValues: null },
    { maxBodyValueBytes: -1 },
    { maxBodyValueBytes: 1.5 },
    { maxBodyValueBytes: '1' },
  ])
    t.match(
      await hello.call('Email/get', { ids, ...more }),
      { type: 'invalidArguments', arguments: Object.keys(more) },
      JSON.stringify(more),
    )
  const { list } = await hello.call('Email/get', { ids, properties: ['textBody'], bodyProperties: [] })
  t.same(list[0].textBody, [{}], 'control')
})

t.test('bodyValues is keyed by partId (RFC 8621 4.1.4)', async (t) => {
  const more = { fetchAllBodyValues: true }
  const { textBody, htmlBody, bodyValues } = await get(VARIOUS, ['textBody', 'htmlBody', 'bodyValues'], more)
  t.equal(bodyValues[textBody[0].partId].value, 'plain')
  t.equal(bodyValues[htmlBody[0].partId].value, '<b>html</b>')
})

t.test('a value is decoded, with LF for CRLF (RFC 8621 4.1.4)', async (t) => {
  const flags = { isEncodingProblem: false, isTruncated: false }
  const latin = 'Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable'
  t.same(await onlyValue(part(latin, 'Gr=FC=DFe\na\n')), { value: 'Gr\u00fc\u00dfe\na\n', ...flags })
  const bare = Buffer.from('Content-Type: text/plain\r\n\r\na\r\nb\nc\rd\r\n')
  t.same(await onlyValue(bare), { value: 'a\nb\nc\rd\n', ...flags })
})

t.test(
  'isEncodingProblem is true only for malformed text, unknown charsets and unknown encodings (RFC 8621 4.1.4)',
  async (t) => {
    const octets = (header: string, body: string) => Buffer.from(`${header}\r\n\r\n${body}`, 'latin1')
    const utf8 = 'Content-Type: text/plain; charset=utf-8'
    t.match(await onlyValue(octets(utf8, 'a\xffb')), { value: 'a\ufffdb', isEncodingProblem: true })
    t.match(await onlyValue(octets('Content-Type: text/x-markdown; charset=bogus', 'a')), {
      value: 'a',
      isEncodingProblem: true,
    })
    t.match(await onlyValue(octets(`${utf8}\r\nContent-Transfer-Encoding: x-odd`, 'a=20b')), {
      value: 'a=20b',
      isEncodingProblem: true,
    })
    t.match(await onlyValue(octets(utf8, 'a\xc3\xa4')), { value: 'a\u00e4', isEncodingProblem: false })
  },
)

t.test('a value has at most maxBodyValueBytes octets, whole characters, whole tags (RFC 8621 4.2)', async (t) => {
  const text = part('Content-Type: text/plain; charset=utf-8', '\u{1f600}\u00e4b')
  const html = part('Content-Type: text/html; charset=utf-8', 'ab<a href="x>y">link</a>')
  for (const [raw, maxBodyValueBytes, value] of [
    [text, 3, ''],
    [text, 5, '\u{1f600}'],
    [text, 6, '\u{1f600}\u00e4'],
    [html, 1, 'a'],
    [html, 12, 'ab'],
    [html, 17, 'ab<a href="x>y">l'],
    [html, 22, 'ab<a href="x>y">link'],
  ] as const)
    t.same(await onlyValue(raw, { maxBodyValueBytes }), { value, isEncodingProblem: false, isTruncated: true })
  for (const maxBodyValueBytes of [0, 7, 1_000])
    t.match(await onlyValue(text, { maxBodyValueBytes }), { value: '\u{1f600}\u00e4b', isTruncated: false })
})

t.test('hasAttachment counts attachments, not inline parts and images in the HTML (RFC 8621 4.1.4)', async (t) => {
  const text = part('Content-Type: text/plain')
  const has = async (raw: string) => (await get(raw, ['hasAttachment'])).hasAttachment
  const pdf = (disposition: string) => part(`Content-Type: application/pdf\nContent-Disposition: ${disposition}`)
  t.equal(await has(multipart('mixed', 'b', text, pdf('attachment'))), true)
  t.equal(await has(multipart('mixed', 'b', text, part('Content-Type: application/pdf'))), true)
  t.equal(await has(multipart('mixed', 'b', text, pdf('inline; filename=a.pdf'))), false)
  const image = part('Content-Type: image/png\nContent-ID: <i@x>')
  const shown = part('Content-Type: text/html', '<img src="cid:i@x">')
  t.equal(await has(multipart('related', 'b', shown, image)), false)
  t.equal(await has(multipart('related', 'b', part('Content-Type: text/html', 'no'), image)), true)
  t.equal(await has(part('Content-Type: text/plain')), false)
})

t.test(
  'a preview is plain text of the body, at most 256 characters, without quotes and markup (RFC 8621 4.1.4)',
  async (t) => {
    const preview = async (raw: string) => (await get(raw, ['preview'])).preview
    t.equal(await preview(part('X: y', '> quoted\n\nMy\n  answer\n-- \nMe')), 'My answer')
    t.equal(
      await preview(part('Content-Type: text/html', '<p>One &amp; <b>two</b></p><script>x</script>')),
      'One & two',
    )
    const long = await preview(part('Content-Type: text/plain; charset=utf-8', '\u{1f600}'.repeat(300)))
    t.ok(long.length > 200 && long.length <= 256)
    t.ok(long.isWellFormed(), 'no half of a character')
    t.equal(await preview(part('Content-Type: image/png')), '')
  },
)

t.test('messages of any depth and size of structure get an answer (pitfall 18)', async (t) => {
  const levels = Array.from({ length: 500 }, (_, n) => `Content-Type: multipart/mixed; boundary=x${n}x\n\n--x${n}x\n`)
  const { bodyStructure } = await get(`${levels.join('')}\ndeep`, ['bodyStructure', 'textBody', 'bodyValues'])
  t.equal(bodyStructure.type, 'multipart/mixed')
  const wide = multipart(
    'mixed',
    'w',
    ...Array.from({ length: 3_000 }, (_, n) => part('Content-Type: text/plain', `${n}`)),
  )
  t.ok((await get(wide, ['textBody'])).textBody.length > 900)
})

t.test('an attached message in base64 can be read (pitfall 18)', async (t) => {
  const inner = 'Subject: inner\r\n\r\nhi'
  const leaf = part(
    'Content-Type: message/rfc822\nContent-Transfer-Encoding: base64',
    Buffer.from(inner).toString('base64'),
  )
  const { attachments } = await get(multipart('mixed', 'b', leaf), ['attachments'])
  t.match(attachments, [{ type: 'message/rfc822', size: inner.length }])
  t.same(await content(attachments[0].blobId), Buffer.from(inner))
})
