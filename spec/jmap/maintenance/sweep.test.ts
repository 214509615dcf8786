import t from 'tap'
import { BLOB_INLINE_MAX_BYTES, BLOB_KEEP_MS, UPLOAD_LIFETIME_MS } from '../../../server/base/limits.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail, octets } from '../mails.ts'

const HOUR = 3_600_000
const NOTHING = {
  mailboxes: 0,
  references: 0,
  contents: 0,
  memories: 0,
  answers: 0,
  policies: 0,
  movedBlobs: 0,
  signUps: 0,
  freedBytes: 0,
}

await forEachEngine(t, async (t, engine) => {
  const { core, store, clock, mailbox } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const upload = async (text: string) =>
    (await core.upload(hello.principal, hello.accountId, 'text/plain', Buffer.from(text)))!.blobId
  const isThere = async (blobId: string) => (await core.download(hello.principal, hello.accountId, blobId)) !== null
  const locations = async () => {
    const found: string[] = []
    for await (const { location } of store.blobs.list()) found.push(location)
    return found
  }
  const large = (text: string) => text.padEnd(BLOB_INLINE_MAX_BYTES + 1, 'x')
  const contents = () =>
    store.read(async (reader) => (await reader.sql.query((db) => db.selectFrom('blob').select('hash'))).length)

  t.test('nothing young is deleted', async (t) => {
    const blobId = await upload('young')
    t.same(await core.sweep(), NOTHING)
    t.same(await core.maintenance.run(), { mailboxes: 0, strays: 0, trimmedAccounts: 0, deliveries: 0, events: 0 })
    t.ok(await isThere(blobId))
  })

  t.test('an unreferenced upload is kept for its time, then deleted with its octets (RFC 8620 6)', async (t) => {
    const [small, big] = [await upload('forgotten'), await upload(large('forgotten'))]
    const before = { contents: await contents(), locations: (await locations()).length }
    clock.advance(UPLOAD_LIFETIME_MS)
    await core.sweep()
    t.ok(await isThere(small), 'not before its time')
    clock.advance(1)
    const report = await core.sweep()
    t.ok(report.references >= 2)
    t.ok(report.contents >= 2)
    t.notOk((await isThere(small)) || (await isThere(big)))
    t.ok((await contents()) <= before.contents - 2)
    t.equal((await locations()).length, before.locations - 1)
  })

  t.test('uploading the same octets again resets the time (RFC 8620 6)', async (t) => {
    const blobId = await upload('renewed')
    clock.advance(UPLOAD_LIFETIME_MS - HOUR)
    await upload('renewed')
    clock.advance(2 * HOUR)
    await core.sweep()
    t.ok(await isThere(blobId))
    clock.advance(UPLOAD_LIFETIME_MS)
    await core.sweep()
    t.notOk(await isThere(blobId))
  })

  t.test('the message of an email stays at any age', async (t) => {
    const ids = [await hello.receive(mail({ body: 'kept' })), await hello.receive(mail({ body: large('kept') }))]
    clock.advance(400 * 24 * HOUR)
    await core.sweep()
    const { list } = await hello.call('Email/get', { ids, properties: ['blobId'] })
    for (const { blobId } of list) t.ok(await isThere(blobId))
  })

  t.test('the message of a destroyed email is deleted after a day', async (t) => {
    const id = await hello.receive(mail({ body: large('destroyed') }))
    const { blobId } = (await hello.call('Email/get', { ids: [id], properties: ['blobId'] })).list[0]
    clock.advance(UPLOAD_LIFETIME_MS + 1)
    await core.sweep()
    t.ok(await isThere(blobId))
    await hello.call('Email/set', { destroy: [id] })
    await core.sweep()
    t.notOk(await isThere(blobId))
  })

  t.test('octets that another account refers to stay', async (t) => {
    const other = await mailbox('other')
    const raw = octets(mail({ body: large('shared') }))
    const mine = await hello.receive(raw)
    const theirs = await other.receive(raw)
    await hello.call('Email/set', { destroy: [mine] })
    clock.advance(BLOB_KEEP_MS + 1)
    t.ok((await core.sweep()).references >= 1)
    const { blobId } = (await other.call('Email/get', { ids: [theirs], properties: ['blobId'] })).list[0]
    t.ok(Buffer.from((await core.download(other.principal, other.accountId, blobId))!.bytes).equals(raw))
  })

  t.test('an unsent message stays after its email is destroyed, and is deleted when it is sent', async (t) => {
    const box = await mailbox('sender')
    const [identity] = (await box.call('Identity/get', { ids: null })).list
    const create = {
      e: {
        mailboxIds: { [box.roles['drafts']!]: true },
        from: [{ email: box.address }],
        to: [{ email: 'a@example.org' }],
        subject: 'Held',
      },
    }
    const email = (await box.call('Email/set', { create })).created.e
    const envelope = {
      mailFrom: { email: box.address, parameters: { HOLDFOR: '864000' } },
      rcptTo: [{ email: 'a@example.org' }],
    }
    await box.call('EmailSubmission/set', { create: { s: { identityId: identity.id, emailId: email.id, envelope } } })
    await box.call('Email/set', { destroy: [email.id] })
    clock.advance(5 * 24 * HOUR)
    await core.sweep()
    clock.advance(6 * 24 * HOUR)
    const [queued] = await core.claimSubmissions('worker', 10, HOUR)
    t.match(Buffer.from(queued!.bytes).toString(), 'Subject: Held')
    const outcomes = [{ address: 'a@example.org', status: 'sent', smtpReply: '250 2.0.0 ok', host: null }] as const
    await core.reportAttempts([{ ...queued!, outcomes, retryAt: null }])
    t.ok((await core.sweep()).references >= 1)
  })

  t.test('octets without a row are deleted when they are old (promise D1)', async (t) => {
    const bytes = Buffer.from(large('stray'))
    const [location] = await store.blobs.put([{ hash: new Uint8Array(32), bytes }])
    t.equal((await core.maintenance.run()).strays, 0)
    clock.advance(BLOB_KEEP_MS + 1)
    t.equal((await core.maintenance.run()).strays, 1)
    t.notOk((await locations()).includes(location!))
  })

  t.test('a sweep over more rows than one slice finds them all', async (t) => {
    const ids: string[] = []
    for (let i = 0; i < 1_100; i += 100)
      ids.push(...(await Promise.all(Array.from({ length: 100 }, (_, k) => upload(`many ${i + k}`)))))
    clock.advance(UPLOAD_LIFETIME_MS + 1)
    const [kept] = [await upload('kept among many')]
    const report = await core.sweep()
    t.equal(report.references, 1_100)
    t.equal(report.contents, 1_100)
    t.notOk(await isThere(ids[777]!))
    t.ok(await isThere(kept))
  })

  t.test('two simultaneous sweeps are one run', async (t) => {
    await upload('once')
    clock.advance(UPLOAD_LIFETIME_MS + 1)
    const [one, two] = await Promise.all([core.sweep(), core.sweep()])
    t.equal(one, two)
  })
})
