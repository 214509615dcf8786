import t from 'tap'
import { BLOB_INLINE_MAX_BYTES } from '../../../server/base/limits.ts'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail, octets } from '../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox, organization, organizationWith, key } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const other = await mailbox('other')
  const upload = (bytes: Uint8Array | string, box: TestMailbox = hello, type = 'text/plain') =>
    core.upload(box.principal, box.accountId, type, Buffer.from(bytes as string))
  const download = (box: TestMailbox, blobId: string, range?: { start: number; end: number }) =>
    core.download(box.principal, box.accountId, blobId, range)
  const text = async (box: TestMailbox, blobId: string, range?: { start: number; end: number }) => {
    const found = await download(box, blobId, range)
    return found && Buffer.from(found.bytes).toString()
  }

  t.test('an upload returns account, blobId, type and size (RFC 8620 6.1)', async (t) => {
    const result = await upload('some text')
    t.same(result, { accountId: hello.accountId, blobId: result!.blobId, type: 'text/plain', size: 9 })
    t.match(result!.blobId, /^[A-Za-z0-9_-]{1,255}$/)
  })

  t.test('an upload can be downloaded unchanged, small, large and empty (RFC 8620 6.2)', async (t) => {
    for (const size of [0, 1, BLOB_INLINE_MAX_BYTES, BLOB_INLINE_MAX_BYTES + 1, 200_000]) {
      const bytes = Buffer.alloc(size, 'octets')
      const { blobId } = (await upload(bytes))!
      const found = await download(hello, blobId)
      t.equal(found!.size, size)
      t.ok(Buffer.from(found!.bytes).equals(bytes))
    }
  })

  t.test('a range is read from a small blob and from a large one, also at its end', async (t) => {
    for (const size of [100, BLOB_INLINE_MAX_BYTES * 2]) {
      const bytes = Buffer.from(Array.from({ length: size }, (_, i) => i % 251))
      const { blobId } = (await upload(bytes))!
      for (const [start, end] of [
        [0, 10],
        [50, 60],
        [size - 5, size],
        [size - 5, size + 100],
        [size, size + 1],
      ] as const) {
        const found = await download(hello, blobId, { start, end })
        t.equal(found!.size, size)
        t.ok(Buffer.from(found!.bytes).equals(bytes.subarray(start, end)), `${start}-${end} of ${size}`)
      }
    }
  })

  t.test('the same octets uploaded again have the same blobId (RFC 8620 6.1)', async (t) => {
    t.equal((await upload('the same'))!.blobId, (await upload('the same', hello, 'application/json'))!.blobId)
    t.not((await upload('the same'))!.blobId, (await upload('another'))!.blobId)
  })

  t.test(
    'the same octets in another account have another blobId, and each account reads its own (promise J2)',
    async (t) => {
      const [mine, theirs] = [(await upload('shared octets'))!, (await upload('shared octets', other))!]
      t.not(mine.blobId, theirs.blobId)
      t.equal(await download(hello, theirs.blobId), null)
      t.equal(await download(other, mine.blobId), null)
      t.equal(await text(hello, mine.blobId), 'shared octets')
    },
  )

  t.test('a malformed id and an id of another type give nothing', async (t) => {
    const email = await hello.receive(mail())
    for (const id of ['', 'x', email, hello.accountId, hello.roles['inbox']!, '../../etc/passwd'])
      t.equal(await download(hello, id), null)
  })

  t.test('an account of others accepts no upload and gives no download', async (t) => {
    const { blobId } = (await upload('private'))!
    t.equal(await core.download(other.principal, hello.accountId, blobId), null)
    t.equal(await core.upload(other.principal, hello.accountId, 'text/plain', Buffer.from('x')), null)
    t.equal(await core.upload(hello.principal, 'nonsense', 'text/plain', Buffer.from('x')), null)
    t.equal(await core.upload(hello.principal, organization.accountId, 'text/plain', Buffer.from('x')), null)
    const foreign = await (await organizationWith('foreign.test')).mailbox('foreign')
    t.equal(await core.download(foreign.principal, hello.accountId, blobId), null)
  })

  t.test('only the uploader may read an unreferenced blob (RFC 8620 6.1)', async (t) => {
    const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
    const bytes = octets(mail({ subject: 'Unreferred' }))
    const { blobId } = (await core.upload(principal, hello.accountId, 'message/rfc822', bytes))!
    t.equal(await download(hello, blobId), null)
    t.ok(await core.download(principal, hello.accountId, blobId))
    const imported = await hello.call('Email/import', {
      emails: { e: { blobId, mailboxIds: { [hello.roles['inbox']!]: true } } },
    })
    t.match(imported.notCreated.e, { properties: ['blobId'] }, 'nor can others use it')
  })

  t.test('two uploaders of the same octets may both read them', async (t) => {
    const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
    const third = await key({ scopes: ['messages:read', 'messages:write'] })
    const { blobId } = (await upload('from two sides'))!
    const again = await core.upload(principal, hello.accountId, 'text/plain', Buffer.from('from two sides'))
    t.equal(again!.blobId, blobId)
    t.ok(await core.download(principal, hello.accountId, blobId))
    t.ok(await download(hello, blobId))
    t.equal(await core.download(third.principal, hello.accountId, blobId), null)
  })

  t.test('once an email refers to it, all users of the account may read it (RFC 8620 6.1)', async (t) => {
    const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
    const bytes = octets(mail({ subject: 'Referred' }))
    const { blobId } = (await upload(bytes))!
    t.equal(await core.download(principal, hello.accountId, blobId), null)
    await hello.call('Email/import', { emails: { e: { blobId, mailboxIds: { [hello.roles['inbox']!]: true } } } })
    t.ok(await core.download(principal, hello.accountId, blobId))
  })

  t.test('a key without the scope to read messages may download its own uploads only', async (t) => {
    const writer = (await key({ scopes: ['messages:write'] })).principal
    const email = await hello.receive(mail())
    const { blobId } = (await hello.call('Email/get', { ids: [email], properties: ['blobId'] })).list[0]
    t.equal(await core.download(writer, hello.accountId, blobId), null)
    const own = await core.upload(writer, hello.accountId, 'text/plain', Buffer.from('own'))
    t.ok(await core.download(writer, hello.accountId, own!.blobId))
    const reader = (await key({ scopes: ['messages:read'] })).principal
    t.ok(await core.download(reader, hello.accountId, blobId))
    t.equal(await core.upload(reader, hello.accountId, 'text/plain', Buffer.from('x')), null)
  })

  t.test('a key that is limited to other mailboxes reads nothing here', async (t) => {
    const email = await hello.receive(mail())
    const { blobId } = (await hello.call('Email/get', { ids: [email], properties: ['blobId'] })).list[0]
    const { principal } = await key({ scopes: ['messages:read'], mailboxIds: [other.accountId] })
    t.equal(await core.download(principal, hello.accountId, blobId), null)
  })

  t.test('the blob of an email is its message, octet for octet, of any size (RFC 8621 4.1.1)', async (t) => {
    for (const body of ['short', 'x\n'.repeat(BLOB_INLINE_MAX_BYTES)]) {
      const raw = octets(mail({ body }))
      const email = await hello.receive(raw)
      const { blobId, size } = (await hello.call('Email/get', { ids: [email], properties: ['blobId', 'size'] })).list[0]
      const found = await download(hello, blobId)
      t.ok(Buffer.from(found!.bytes).equals(raw))
      t.equal(size, raw.length)
      t.equal(found!.type, 'message/rfc822')
    }
  })

  t.test('the blob of a part is its decoded content, also in ranges (RFC 8621 4.1.4)', async (t) => {
    const content = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 7) % 256))
    const email = await hello.receive(`From: a@example.org
Subject: Parts
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

as it is
--b
Content-Type: application/octet-stream
Content-Transfer-Encoding: base64

${content.toString('base64').replaceAll(/.{76}/g, '$&\n')}
--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable
Content-Disposition: attachment

Gr=C3=BC=C3=9Fe
--b--
`)
    const { bodyStructure } = (await hello.call('Email/get', { ids: [email], properties: ['bodyStructure'] })).list[0]
    const [plain, binary, quoted] = bodyStructure.subParts
    t.equal(await text(hello, plain.blobId), 'as it is')
    t.equal(await text(hello, plain.blobId, { start: 3, end: 5 }), 'it')
    t.equal(await text(hello, plain.blobId, { start: 6, end: 100 }), 'is', 'not beyond the part')
    t.equal(await text(hello, quoted.blobId), 'Grüße')
    const whole = await download(hello, binary.blobId)
    t.ok(Buffer.from(whole!.bytes).equals(content))
    t.same([whole!.size, whole!.type], [300, 'application/octet-stream'])
    const piece = await download(hello, binary.blobId, { start: 100, end: 110 })
    t.ok(Buffer.from(piece!.bytes).equals(content.subarray(100, 110)))
    t.equal(await download(other, binary.blobId), null)
  })

  t.test('a blob stays readable after the call that removed its last reference (RFC 8620 6)', async (t) => {
    const email = await hello.receive(mail({ subject: 'Passing' }))
    const { blobId } = (await hello.call('Email/get', { ids: [email], properties: ['blobId'] })).list[0]
    const create = {
      e: {
        mailboxIds: { [hello.roles['drafts']!]: true },
        bodyStructure: { type: 'message/rfc822', blobId },
      },
    }
    await hello.call('Email/set', { destroy: [email] })
    t.ok((await hello.call('Email/set', { create })).created)
  })
})
