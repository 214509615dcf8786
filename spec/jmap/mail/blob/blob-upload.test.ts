import t from 'tap'
import { BLOB_INLINE_MAX_BYTES, BLOB_MAX_DATA_SOURCES } from '../../../../server/base/limits.ts'
import { type Result, startCore, type TestMailbox, USING } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

const base64 = (text: string | Uint8Array) => Buffer.from(text as string).toString('base64')

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox, key, request } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const upload = async (create: object, box: TestMailbox = hello) =>
    box.call('Blob/upload', { create: create as never })
  const one = async (data: unknown, more: object = {}) => {
    const { created, notCreated } = await upload({ b: { data, ...more } })
    return { created: created?.b, error: notCreated?.b }
  }
  const octets = async (blobId: string) =>
    Buffer.from((await core.download(hello.principal, hello.accountId, blobId))!.bytes)

  t.test('text and base64 become a blob, in order (RFC 9404 4.1)', async (t) => {
    const { created } = await one([{ 'data:asText': 'Grüße ' }, { 'data:asBase64': base64('von hier') }])
    t.same(created, { id: created.id, type: 'application/octet-stream', size: 16 })
    t.equal((await octets(created.id)).toString(), 'Grüße von hier')
  })

  t.test('without sources the blob is empty (RFC 9404 4.1)', async (t) => {
    const { created } = await one([])
    t.equal(created.size, 0)
    t.equal((await octets(created.id)).length, 0)
  })

  t.test('the type is stored', async (t) => {
    const { created } = await one([{ 'data:asText': '{}' }], { type: 'application/json' })
    t.equal(created.type, 'application/json')
    t.equal((await core.download(hello.principal, hello.accountId, created.id))!.type, 'application/json')
    t.equal((await one([{ 'data:asText': 'x' }], { type: null })).created.type, 'application/octet-stream')
  })

  t.test('ranges of other blobs are accepted, with an offset, a length, both or neither (RFC 9404 4.1)', async (t) => {
    const { created: source } = await one([{ 'data:asText': 'The quick brown fox' }])
    for (const [range, expected] of [
      [{}, 'The quick brown fox'],
      [{ offset: null, length: null }, 'The quick brown fox'],
      [{ offset: 4 }, 'quick brown fox'],
      [{ length: 3 }, 'The'],
      [{ offset: 4, length: 5 }, 'quick'],
      [{ offset: 0, length: 0 }, ''],
      [{ offset: 19 }, ''],
      [{ offset: 18, length: 1 }, 'x'],
    ] as const) {
      const { created } = await one([{ blobId: source.id, ...range }])
      t.equal((await octets(created.id)).toString(), expected, JSON.stringify(range))
    }
  })

  t.test('a range that the blob does not have in full is refused (RFC 9404 4.1)', async (t) => {
    const { created: source } = await one([{ 'data:asText': '12345' }])
    for (const range of [
      { offset: 6 },
      { length: 6 },
      { offset: 3, length: 3 },
      { offset: -1 },
      { offset: 1.5 },
      { length: 'x' },
    ])
      t.match(
        (await one([{ blobId: source.id, ...range }])).error,
        { type: 'invalidProperties', properties: ['data'] },
        JSON.stringify(range),
      )
  })

  t.test('a missing blob is blobNotFound (RFC 9404 4.1)', async (t) => {
    t.match((await one([{ blobId: 'nothing' }])).error, { type: 'blobNotFound', notFound: ['nothing'] })
    t.match((await one([{ blobId: '#nothing' }])).error, { type: 'blobNotFound', notFound: ['#nothing'] })
  })

  t.test('a message and its parts can be sources', async (t) => {
    const email = await hello.receive(mail({ body: 'inner words' }))
    const [{ blobId, size, textBody }] = (
      await hello.call('Email/get', { ids: [email], properties: ['blobId', 'size', 'textBody'] })
    ).list
    const { created } = await one([{ blobId: textBody[0].blobId, length: 5 }, { 'data:asText': '|' }, { blobId }])
    t.equal(created.size, 5 + 1 + size)
    t.match((await octets(created.id)).toString(), /^inner\|From: /)
  })

  t.test('creation ids refer to blobs of the same call and of earlier calls (RFC 9404 4.1.2)', async (t) => {
    const { accountId } = hello
    const [, second, third] = await request(
      [
        [
          'Blob/upload',
          { accountId, create: { b4: { data: [{ 'data:asText': 'The quick brown fox jumped over the lazy dog.' }] } } },
        ],
        [
          'Blob/upload',
          {
            accountId,
            create: {
              cat: {
                data: [
                  { 'data:asText': 'How' },
                  { blobId: '#b4', length: 7, offset: 3 },
                  { 'data:asText': 'was t' },
                  { blobId: '#b4', length: 1, offset: 1 },
                  { 'data:asBase64': 'YXQ/' },
                ],
              },
              // Refers to a later record.
              early: { data: [{ blobId: '#late' }, { 'data:asText': '!' }] },
              late: { data: [{ 'data:asText': 'late' }] },
            },
          },
        ],
        ['Blob/get', { accountId, ids: ['#cat', '#early'], properties: ['data:asText', 'size'] }],
      ],
      hello.principal,
    )
    t.equal((second![1] as Result).notCreated, null)
    const { list } = third![1] as Result
    t.match(list, [{ 'data:asText': 'How quick was that?', size: 19 }, { 'data:asText': 'late!' }])
  })

  t.test('blobs that refer to each other in a circle are refused', async (t) => {
    const { created, notCreated } = await upload({ a: { data: [{ blobId: '#b' }] }, b: { data: [{ blobId: '#a' }] } })
    t.equal(created, null)
    t.match(notCreated, { a: { type: 'blobNotFound' }, b: { type: 'blobNotFound' } })
  })

  t.test('a created blob can be imported and attached by its creation id (RFC 8620 5.3)', async (t) => {
    const { accountId, roles } = hello
    const response = await core.process(hello.principal, {
      using: USING,
      createdIds: {},
      methodCalls: [
        [
          'Blob/upload',
          {
            accountId,
            create: { m: { data: [{ 'data:asText': mail({ subject: 'Made inline' }) }], type: 'message/rfc822' } },
          },
          '0',
        ],
        ['Email/import', { accountId, emails: { e: { blobId: '#m', mailboxIds: { [roles['inbox']!]: true } } } }, '1'],
        ['Blob/upload', { accountId, create: { f: { data: [{ 'data:asText': 'a file' }] } } }, '2'],
        [
          'Email/set',
          {
            accountId,
            create: {
              d: {
                mailboxIds: { [roles['drafts']!]: true },
                subject: 'With file',
                attachments: [{ blobId: '#f', type: 'text/plain', name: 'a.txt' }],
              },
            },
          },
          '3',
        ],
        ['Email/get', { accountId, ids: ['#e', '#d'], properties: ['subject', 'attachments'] }, '4'],
      ],
    })
    const { methodResponses, createdIds } = response as Result
    t.match(methodResponses[4][1].list, [
      { subject: 'Made inline' },
      { subject: 'With file', attachments: [{ name: 'a.txt', size: 6 }] },
    ])
    t.match(Object.keys(createdIds).sort(), ['d', 'e', 'f', 'm'])
  })

  t.test('ambiguous sources are refused, one by one (RFC 9404 4.1)', async (t) => {
    for (const data of [
      null,
      'text',
      ['text'],
      [null],
      [{}],
      [{ 'data:asText': null }],
      [{ 'data:asText': 'a', 'data:asBase64': 'YQ==' }],
      [{ 'data:asText': 'a', blobId: 'b' }],
      [{ 'data:asText': 7 }],
      [{ 'data:asText': 'a', offset: 0 }],
      [{ 'data:asUrl': 'https://example.org' }],
      [{ 'data:asText': 'half a pair \ud800' }],
    ])
      t.match((await one(data)).error, { type: 'invalidProperties', properties: ['data'] }, JSON.stringify(data))
    t.match((await one(undefined)).error, { type: 'invalidProperties', properties: ['data'] }, 'without data')
    t.match((await one([], { type: 7 })).error, { type: 'invalidProperties', properties: ['type'] })
    t.match((await one([], { name: 'x' })).error, { type: 'invalidProperties', properties: ['name'] })
    t.ok(
      (await one([{ 'data:asText': 'a', 'data:asBase64': null, blobId: null }])).created,
      'null is as good as absent',
    )
  })

  t.test('invalid base64 is refused (RFC 9404 4.1)', async (t) => {
    for (const text of ['!!not base64!!', 'YQ', 'YQ=', 'Y===', 'YQ==YQ==', 'YQ==\n', 'Y-_=', 'YQ ='])
      t.match((await one([{ 'data:asBase64': text }])).error, { type: 'invalidProperties', properties: ['data'] }, text)
    for (const text of ['', 'YQ==', 'YWI=', 'YWJj']) t.ok((await one([{ 'data:asBase64': text }])).created, text)
  })

  t.test('64 sources and more are accepted, up to maxDataSources (RFC 9404 3.1)', async (t) => {
    t.ok(BLOB_MAX_DATA_SOURCES >= 64)
    const sources = Array.from({ length: BLOB_MAX_DATA_SOURCES }, (_, i) => ({ 'data:asText': String(i % 10) }))
    t.equal((await one(sources)).created.size, BLOB_MAX_DATA_SOURCES)
    t.match((await one([...sources, { 'data:asText': 'x' }])).error, {
      type: 'invalidProperties',
      properties: ['data'],
    })
  })

  t.test('more than maxSizeBlobSet is tooLarge, and is not read (RFC 9404 3.1)', async (t) => {
    const small = await startCore(t, engine, { maxSizeUpload: 100 })
    const box = await small.mailbox('small')
    const text = (length: number) => ({ data: [{ 'data:asText': 'x'.repeat(length) }] })
    const { created, notCreated } = await upload(
      { a: text(100), b: text(101), c: { data: [{ blobId: '#a' }, { 'data:asText': 'x' }] } },
      box,
    )
    t.same(Object.keys(created), ['a'])
    t.match(notCreated, { b: { type: 'tooLarge', maxSize: 100 }, c: { type: 'tooLarge', maxSize: 100 } })
  })

  t.test('blobs beyond the upload quota of one call are overQuota, and the others stay', async (t) => {
    const small = await startCore(t, engine, { uploadQuotaBytes: 250 })
    const box = await small.mailbox('small')
    const text = (letter: string) => ({ data: [{ 'data:asText': letter.repeat(100) }] })
    const { created, notCreated } = await upload({ a: text('a'), b: text('b'), c: text('c'), again: text('a') }, box)
    t.same(Object.keys(created), ['a', 'b', 'again'])
    t.match(notCreated, { c: { type: 'overQuota' } })
    for (const { id } of Object.values(created as Record<string, { id: string }>))
      t.ok(await small.core.download(box.principal, box.accountId, id))
  })

  t.test('large blobs are created like small ones', async (t) => {
    const bytes = Buffer.alloc(BLOB_INLINE_MAX_BYTES * 3, 'large ')
    const { created } = await one([{ 'data:asBase64': base64(bytes) }, { 'data:asText': '.' }])
    t.ok((await octets(created.id)).equals(Buffer.concat([bytes, Buffer.from('.')])))
  })

  t.test('only the creator may read a blob (RFC 8620 6.1), and the same octets have the same id', async (t) => {
    const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
    const { created } = await one([{ 'data:asText': 'made here' }])
    t.equal(
      (await core.upload(hello.principal, hello.accountId, 'text/plain', Buffer.from('made here')))!.blobId,
      created.id,
    )
    t.equal(await core.download(principal, hello.accountId, created.id), null)
  })

  t.test('more than maxObjectsInSet is requestTooLarge; a key needs the scope', async (t) => {
    const many = Object.fromEntries(
      Array.from({ length: core.limits.maxObjectsInSet + 1 }, (_, i) => [`b${i}`, { data: [] }]),
    )
    t.equal((await upload(many)).type, 'requestTooLarge')
    const { principal } = await key({ scopes: ['messages:read'] })
    const [answer] = await request([['Blob/upload', { accountId: hello.accountId, create: {} }]], principal)
    t.equal(answer![0], 'error')
  })
})
