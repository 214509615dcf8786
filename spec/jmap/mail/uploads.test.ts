import t from 'tap'
import { BLOB_ID } from '../../../jmap/mail/blob/blobs.ts'
import { DEFAULT_LIMITS } from '../../../jmap/type/limits.ts'
import { BLOB_INLINE_MAX_BYTES, UPLOAD_LIFETIME_MS } from '../../../server/base/limits.ts'
import type { Principal } from '../../../server/base/principal.ts'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail, octets } from '../mails.ts'

const HOUR = 3_600_000

await forEachEngine(t, async (t, engine) => {
  const limited = await startCore(t, engine, { uploadQuotaBytes: 1_000, uploadQuotaBlobs: 5 })
  const { core, clock, store, key } = limited
  const BOTH = { scopes: ['messages:read', 'messages:write'] }
  /** 400 octets of a letter. */
  const upload = async (box: TestMailbox, letter: string, who: Principal = box.principal, size = 400) => {
    clock.advance(1)
    return (await core.upload(who, box.accountId, 'text/plain', Buffer.alloc(size, letter)))!.blobId
  }
  const isThere = async (box: TestMailbox, blobId: string, who: Principal = box.principal) =>
    (await core.download(who, box.accountId, blobId)) !== null
  const those = async (box: TestMailbox, blobIds: readonly string[], who: Principal = box.principal) =>
    Promise.all(blobIds.map((blobId) => isThere(box, blobId, who)))

  t.test('an upload over quota deletes the oldest ones until it fits (RFC 8620 6)', async (t) => {
    const box = await limited.mailbox('full')
    const [a, b] = [await upload(box, 'a'), await upload(box, 'b')]
    t.same(await those(box, [a, b]), [true, true])
    const c = await upload(box, 'c')
    t.same(await those(box, [a, b, c]), [false, true, true])
    const d = await upload(box, 'd', box.principal, 1_000)
    t.same(await those(box, [b, c, d]), [false, false, true])
  })

  t.test('uploading again makes it the newest (RFC 8620 6)', async (t) => {
    const box = await limited.mailbox('again')
    const [a, b] = [await upload(box, 'a'), await upload(box, 'b')]
    t.equal(await upload(box, 'a'), a)
    const c = await upload(box, 'c')
    t.same(await those(box, [a, b, c]), [true, false, true])
  })

  t.test('many small uploads also delete the oldest', async (t) => {
    const box = await limited.mailbox('many')
    const ids: string[] = []
    for (const letter of 'abcdefg') ids.push(await upload(box, letter, box.principal, 1))
    t.same(await those(box, ids), [false, false, true, true, true, true, true])
  })

  t.test('an upload larger than the quota is stored alone', async (t) => {
    const box = await limited.mailbox('large')
    const a = await upload(box, 'a')
    const b = await upload(box, 'b', box.principal, 2_000)
    t.same(await those(box, [a, b]), [false, true])
  })

  t.test('each credential has a separate quota in each account (RFC 8620 6)', async (t) => {
    const [box, other] = [await limited.mailbox('shared'), await limited.mailbox('elsewhere')]
    const { principal } = await key(BOTH)
    const mine = [await upload(box, 'a'), await upload(box, 'b')]
    const theirs = [await upload(box, 'c', principal), await upload(box, 'd', principal)]
    const there = [await upload(other, 'e', principal), await upload(other, 'f', principal)]
    t.same(await those(box, mine), [true, true])
    t.same(await those(box, theirs, principal), [true, true])
    t.same(await those(other, there, principal), [true, true])
  })

  t.test('a blob of two uploaders is removed for the one over quota, and stays for the other', async (t) => {
    const box = await limited.mailbox('two')
    const { principal } = await key(BOTH)
    const a = await upload(box, 'a')
    t.equal(await upload(box, 'a', principal), a)
    await upload(box, 'b', principal)
    await upload(box, 'c', principal)
    t.equal(await isThere(box, a, principal), false)
    t.equal(await isThere(box, a), true)
  })

  t.test('blobs that an email uses neither count nor are deleted', async (t) => {
    const box = await limited.mailbox('imported')
    const raw = octets(mail({ body: 'x'.repeat(900) }))
    const { blobId } = (await core.upload(box.principal, box.accountId, 'message/rfc822', raw))!
    await box.call('Email/import', { emails: { e: { blobId, mailboxIds: { [box.roles['inbox']!]: true } } } })
    const [a, b] = [await upload(box, 'a'), await upload(box, 'b')]
    t.equal((await core.upload(box.principal, box.accountId, 'message/rfc822', raw))!.blobId, blobId)
    const c = await upload(box, 'c')
    t.same(await those(box, [blobId, a, b, c]), [true, false, true, true])
  })

  t.test('the quota has room for the attachments of the largest message (RFC 8620 6)', async (t) => {
    const { uploadQuotaBytes, maxSizeAttachmentsPerEmail, maxSizeUpload } = DEFAULT_LIMITS
    t.ok(uploadQuotaBytes >= maxSizeAttachmentsPerEmail)
    t.ok(uploadQuotaBytes >= maxSizeUpload)
  })

  t.test('the size of a blob is returned without reading it (RFC 9404 4.2)', async (t) => {
    const box = await limited.mailbox('sizes')
    const size = BLOB_INLINE_MAX_BYTES + 1
    const id = await upload(box, 's', box.principal, size)
    const { read } = store.blobs
    t.teardown(() => Object.assign(store.blobs, { read }))
    let reads = 0
    Object.assign(store.blobs, {
      read: (...args: Parameters<typeof read>) => {
        reads++
        return read(...args)
      },
    })
    const get = async (properties: readonly string[]) => (await box.call('Blob/get', { ids: [id], properties })).list[0]
    t.equal((await get(['size'])).size, size)
    t.equal(reads, 0)
    t.equal((await get(['size', 'data'])).size, size)
    t.equal(reads, 1)
  })

  t.test('uploads are kept for at least an hour (RFC 8620 6)', async (t) => {
    t.ok(UPLOAD_LIFETIME_MS >= HOUR)
    const box = await limited.mailbox('hour')
    const a = await upload(box, 'a')
    clock.advance(HOUR)
    await core.sweep()
    t.ok(await isThere(box, a))
  })

  t.test('the message of a destroyed email is readable by the owner only (RFC 8620 6.1)', async (t) => {
    const box = await limited.mailbox('gone')
    const { principal } = await key(BOTH)
    const email = await box.receive(mail({ subject: 'To go' }))
    const [{ blobId }] = (await box.call('Email/get', { ids: [email], properties: ['blobId'] })).list
    t.ok(await isThere(box, blobId, principal), 'while the email is there')
    await box.call('Email/set', { destroy: [email] })
    t.notOk(await isThere(box, blobId, principal))
    t.ok(await isThere(box, blobId))
  })

  t.test('a user who uploads the octets of a destroyed message can read the upload', async (t) => {
    const box = await limited.mailbox('regained')
    const { principal } = await key(BOTH)
    const raw = octets(mail({ subject: 'Regained' }))
    const email = await box.receive(raw)
    await box.call('Email/set', { destroy: [email] })
    const { blobId } = (await core.upload(principal, box.accountId, 'message/rfc822', raw))!
    t.ok(await isThere(box, blobId, principal))
  })

  t.test('one call may destroy an email and create another from its parts (RFC 8620 6)', async (t) => {
    const box = await limited.mailbox('replace')
    const draft = await box.receive(mail({ body: 'carried over' }))
    const [{ textBody }] = (await box.call('Email/get', { ids: [draft], properties: ['textBody'] })).list
    const create = {
      e: {
        mailboxIds: { [box.roles['drafts']!]: true },
        attachments: [{ blobId: textBody[0].blobId, type: 'text/plain', name: 'old.txt' }],
      },
    }
    const { created, destroyed } = await box.call('Email/set', { create, destroy: [draft] })
    t.same(destroyed, [draft])
    const { list } = await box.call('Email/get', { ids: [created.e.id], properties: ['attachments'] })
    const found = await core.download(box.principal, box.accountId, list[0].attachments[0].blobId)
    t.match(Buffer.from(found!.bytes).toString(), /^carried over/)
  })

  t.test('an email made from blobs returns their ids in it (RFC 8620 6)', async (t) => {
    const box = await limited.mailbox('tells')
    const blobId = await upload(box, 'a')
    const other = { mailboxIds: { [box.roles['drafts']!]: true } }
    const file = { blobId, type: 'application/pdf', name: 'a.pdf' }
    const text = { partId: 't', type: 'text/plain' }
    const bodyValues = { t: { value: 'text' } }
    const bodyStructure = { type: 'multipart/mixed', subParts: [text, file] }
    const { created } = await box.call('Email/set', {
      create: {
        parts: { ...other, bodyValues, textBody: [text], attachments: [file] },
        tree: { ...other, bodyValues, bodyStructure },
        plain: { ...other, bodyValues, textBody: [text] },
      },
    })
    const known = ['blobId', 'id', 'size', 'threadId']
    t.same(Object.keys(created.plain).sort(), known, 'nothing more where there are none')
    t.same(Object.keys(created.parts).sort(), [...known, 'attachments'].sort())
    t.same(Object.keys(created.tree).sort(), [...known, 'bodyStructure'].sort())
    for (const { blobId: changed } of [created.parts.attachments[0], created.tree.bodyStructure.subParts[1]]) {
      t.not(changed, blobId)
      const found = await core.download(box.principal, box.accountId, changed)
      t.ok(Buffer.from(found!.bytes).equals(Buffer.alloc(400, 'a')))
    }
    const { list } = await box.call('Email/get', { ids: [created.parts.id], properties: ['attachments'] })
    t.same(list[0].attachments, created.parts.attachments)
  })

  t.test('an import returns the id of its blob (RFC 8620 6)', async (t) => {
    const box = await limited.mailbox('import-tells')
    const raw = octets(mail({ subject: 'Imported' }))
    const { blobId } = (await core.upload(box.principal, box.accountId, 'message/rfc822', raw))!
    const emails = { e: { blobId, mailboxIds: { [box.roles['inbox']!]: true } } }
    const { created } = await box.call('Email/import', { emails })
    const { list } = await box.call('Email/get', { ids: [created.e.id], properties: ['blobId'] })
    t.equal(list[0].blobId, created.e.blobId)
  })

  t.test("the media type is that of the uploader's last upload, and others cannot change it", async (t) => {
    const box = await limited.mailbox('types')
    const { principal } = await key(BOTH)
    const typeOf = async (blobId: string) => (await core.download(box.principal, box.accountId, blobId))!.type
    const send = async (type: string, who: Principal) =>
      (await core.upload(who, box.accountId, type, Buffer.from('typed')))!
    const first = await send('text/plain', box.principal)
    t.equal(first.type, 'text/plain')
    t.equal((await send('text/markdown', box.principal)).type, 'text/markdown')
    t.equal(await typeOf(first.blobId), 'text/markdown')
    t.equal((await send('text/html', principal)).type, 'text/html')
    t.equal(await typeOf(first.blobId), 'text/markdown')
  })

  t.test('octets that another user has stored are stored and answered like new ones (promise J2)', async (t) => {
    const [box, other] = [await limited.mailbox('curious'), await limited.mailbox('secretive')]
    const secret = Buffer.alloc(BLOB_INLINE_MAX_BYTES + 1, 'secret')
    const unknown = Buffer.alloc(BLOB_INLINE_MAX_BYTES + 1, 'unknown')
    await core.upload(other.principal, other.accountId, 'text/plain', secret)
    const { put } = store.blobs
    t.teardown(() => Object.assign(store.blobs, { put }))
    const puts: number[] = []
    Object.assign(store.blobs, {
      put: (blobs: Parameters<typeof put>[0]) => {
        puts.push(blobs[0]!.bytes.length)
        return put(blobs)
      },
    })
    const numberOf = (blobId: string) => core.ids.decode(BLOB_ID, blobId)!.object
    const known = (await core.upload(box.principal, box.accountId, 'text/plain', secret))!
    const fresh = (await core.upload(box.principal, box.accountId, 'text/plain', unknown))!
    t.same(puts, [secret.length, unknown.length], 'both are written')
    t.equal(numberOf(fresh.blobId), numberOf(known.blobId) + 1, 'both get the next number')
    t.same({ ...known, blobId: '' }, { ...fresh, blobId: '' })
  })
})
