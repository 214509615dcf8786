import { createHash } from 'node:crypto'
import t from 'tap'
import { BLOB_GET_MAX_BYTES } from '../../../../server/base/limits.ts'
import { startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox, key, request } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const upload = async (bytes: string | Uint8Array) =>
    (await core.upload(hello.principal, hello.accountId, 'text/plain', Buffer.from(bytes as string)))!.blobId
  const fox = 'The quick brown fox jumped over the lazy dog.'
  const id = await upload(fox)
  const get = async (args: object) => hello.call('Blob/get', { ids: [id], ...args })

  t.test('without properties the data and the size are returned, and no state (RFC 9404 4.2)', async (t) => {
    t.same(await get({}), {
      accountId: hello.accountId,
      list: [{ id, 'data:asText': fox, size: fox.length }],
      notFound: [],
    })
    t.same((await get({ properties: null, offset: null, length: null })).list, [
      { id, 'data:asText': fox, size: fox.length },
    ])
  })

  t.test('only requested properties are returned', async (t) => {
    for (const [properties, expected] of [
      [['size'], { size: fox.length }],
      [['data:asText'], { 'data:asText': fox }],
      [['data:asBase64'], { 'data:asBase64': Buffer.from(fox).toString('base64') }],
      [['data'], { 'data:asText': fox }],
      [[], {}],
      [['id'], {}],
    ] as const)
      t.same((await get({ properties })).list, [{ id, ...expected }], properties.join())
  })

  t.test('digests of all supported algorithms, in base64 (RFC 9404 4.2)', async (t) => {
    const [found] = (await get({ properties: ['digest:sha', 'digest:sha-256', 'digest:sha-512'] })).list
    const digest = (name: string) => createHash(name).update(fox).digest('base64')
    t.same(found, {
      id,
      'digest:sha': digest('sha1'),
      'digest:sha-256': digest('sha256'),
      'digest:sha-512': digest('sha512'),
    })
  })

  t.test('unknown properties and unsupported digests are invalidArguments (RFC 8620 5.1)', async (t) => {
    for (const name of ['digest:md5', 'digest:SHA', 'digest:', 'digest:constructor', 'data:asHex', 'type', ''])
      t.match(await get({ properties: [name] }), { type: 'invalidArguments', arguments: ['properties'] }, name)
  })

  t.test('a range applies to data and digests; the size is that of the whole blob (RFC 9404 4.2)', async (t) => {
    const [found] = (await get({ offset: 4, length: 5, properties: ['data', 'data:asBase64', 'digest:sha', 'size'] }))
      .list
    t.same(found, {
      id,
      'data:asText': 'quick',
      'data:asBase64': Buffer.from('quick').toString('base64'),
      'digest:sha': createHash('sha1').update('quick').digest('base64'),
      size: fox.length,
    })
    t.same((await get({ offset: 40, properties: ['data:asText'] })).list, [
      { id, 'data:asText': 'dog.'.padStart(5, ' ') },
    ])
  })

  t.test('a range beyond the end is cut, and isTruncated is true (RFC 9404 4.2)', async (t) => {
    const size = fox.length
    for (const [offset, length, text, isTruncated] of [
      [0, size, fox, false],
      [0, size + 1, fox, true],
      [size - 4, 5, 'dog.', true],
      [size - 4, null, 'dog.', false],
      [size, null, '', false],
      [size, 0, '', false],
      [size, 1, '', true],
      [size + 1, null, '', true],
      [1_000_000, 0, '', true],
      [0, 0, '', false],
    ] as const) {
      const [found] = (await get({ offset, length, properties: ['data', 'size'] })).list
      t.same(found, { id, ...(isTruncated && { isTruncated }), 'data:asText': text, size }, `${offset} ${length}`)
    }
    const [found] = (await get({ length: 100, properties: ['digest:sha-256'] })).list
    t.same(found, { id, isTruncated: true, 'digest:sha-256': createHash('sha256').update(fox).digest('base64') })
  })

  t.test(
    'octets that are not UTF-8 are returned as base64, and isEncodingProblem is true (RFC 9404 4.2)',
    async (t) => {
      const bytes = Buffer.from('the \x81\x81 dog', 'latin1')
      const odd = await upload(bytes)
      const asBase64 = bytes.toString('base64')
      for (const [properties, expected] of [
        [['data'], { isEncodingProblem: true, 'data:asBase64': asBase64 }],
        [['data:asText'], { isEncodingProblem: true, 'data:asText': null }],
        [['data:asBase64'], { 'data:asBase64': asBase64 }],
        [['data:asText', 'data:asBase64'], { isEncodingProblem: true, 'data:asText': null, 'data:asBase64': asBase64 }],
        [['data', 'data:asText'], { isEncodingProblem: true, 'data:asText': null, 'data:asBase64': asBase64 }],
      ] as const)
        t.same(
          (await hello.call('Blob/get', { ids: [odd], properties })).list,
          [{ id: odd, ...expected }],
          properties.join(),
        )
      const [range] = (await hello.call('Blob/get', { ids: [odd], properties: ['data'], length: 4 })).list
      t.same(range, { id: odd, 'data:asText': 'the ' }, 'what counts is the range')
    },
  )

  t.test('a range that cuts a character is not UTF-8 (RFC 9404 4.2)', async (t) => {
    const umlauts = await upload('äöü')
    const [found] = (
      await hello.call('Blob/get', { ids: [umlauts], properties: ['data:asText'], offset: 1, length: 2 })
    ).list
    t.same(found, { id: umlauts, isEncodingProblem: true, 'data:asText': null })
    const [whole] = (await hello.call('Blob/get', { ids: [umlauts], properties: ['data'], offset: 2, length: 2 })).list
    t.same(whole, { id: umlauts, 'data:asText': 'ö' })
  })

  t.test('a byte order mark and a NUL stay', async (t) => {
    const text = '\ufeffa\u0000b'
    t.equal((await hello.call('Blob/get', { ids: [await upload(text)] })).list[0]['data:asText'], text)
  })

  t.test('messages and their parts are blobs too', async (t) => {
    const email = await hello.receive(mail({ body: 'inner words' }))
    const [{ textBody }] = (await hello.call('Email/get', { ids: [email], properties: ['textBody'] })).list
    const { list } = await hello.call('Blob/get', { ids: [textBody[0].blobId] })
    t.match(list, [{ 'data:asText': 'inner words\r\n', size: 13 }])
  })

  t.test('malformed ids, and uploads of others, are notFound; each id is answered once', async (t) => {
    const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
    const foreign = (await core.upload(principal, hello.accountId, 'text/plain', Buffer.from('theirs')))!.blobId
    const { list, notFound } = await hello.call('Blob/get', { ids: [id, 'none', foreign, id, 'none', '#none'] })
    t.equal(list.length, 1)
    t.same(notFound, ['none', foreign, '#none'])
    const [answer] = await request([['Blob/get', { accountId: hello.accountId, ids: [foreign] }]], principal)
    t.match(answer![1], { list: [{ 'data:asText': 'theirs' }] })
  })

  t.test('all blobs cannot be requested at once, nor too many or too much data', async (t) => {
    t.equal((await hello.call('Blob/get', { ids: null })).type, 'invalidArguments')
    const many = Array.from({ length: core.limits.maxObjectsInGet + 1 }, (_, i) => `b${i}`)
    t.equal((await hello.call('Blob/get', { ids: many })).type, 'requestTooLarge')
    const large = await upload(Buffer.alloc(BLOB_GET_MAX_BYTES + 1))
    t.equal((await hello.call('Blob/get', { ids: [large] })).type, 'requestTooLarge')
    const [piece] = (await hello.call('Blob/get', { ids: [large], length: 3, offset: BLOB_GET_MAX_BYTES - 2 })).list
    t.same(piece, { id: large, 'data:asText': '\0\0\0', size: BLOB_GET_MAX_BYTES + 1 })
    t.ok((await hello.call('Blob/get', { ids: [large], properties: ['size', 'digest:sha-256'] })).list[0].size)
  })

  t.test('a key needs the scope', async (t) => {
    const { principal } = await key({ scopes: ['mailboxes:read'] })
    const [answer] = await request([['Blob/get', { accountId: hello.accountId, ids: [id] }]], principal)
    t.match(answer, ['error', { type: 'forbidden' }])
  })
})
