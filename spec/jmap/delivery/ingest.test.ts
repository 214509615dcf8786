import t from 'tap'
import { createCore } from '../../../jmap/in-process-core.ts'
import { Administration } from '../../../server/administration/administration.ts'
import { Failure } from '../../../server/base/errors.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { memoryBlobs } from '../../support/memory-blobs.ts'
import { mail, octets } from '../mails.ts'

const receivedAt = Date.UTC(2026, 0, 1)

await forEachEngine(t, async (t, engine) => {
  const { core, store, request, key, organization, organizationWith, domainId, mailbox } = await startCore(t, engine)
  const { accountId } = organization
  const hello = await mailbox('hello')
  const verdict = async (address: string) => (await core.recipients([address]))[0]
  const deliver = async (accounts: readonly number[], text = mail()) => {
    const recipients = accounts.map((account) => ({ account, address: 'x@example.test' }))
    return (await core.ingest([{ bytes: octets(text), recipients, receivedAt, mailFrom: '' }]))[0]!
  }
  const setDomain = (patch: object) => request([['Domain/set', { accountId, update: { [domainId]: { ...patch } } }]])

  t.test('mail for a mailbox is accepted, regardless of case, and with a tag (RFC 5233)', async (t) => {
    for (const address of [
      'hello@example.test',
      'HELLO@EXAMPLE.TEST',
      'hello+shop@example.test',
      'hello@example.test.',
    ])
      t.same(await verdict(address), { status: 'accepted', account: hello.account }, address)
  })

  t.test('an unknown address is unknownUser in a local domain and notLocal elsewhere', async (t) => {
    t.same(await verdict('nobody@example.test'), { status: 'unknownUser' })
    t.same(await verdict('hello@example.org'), { status: 'notLocal' })
    t.same(await verdict('hello@sub.example.test'), { status: 'notLocal' })
  })

  t.test('a malformed address is unknownUser, and no odd form is accepted (promise S4)', async (t) => {
    for (const address of [
      '',
      'hello',
      '@example.test',
      'hello@',
      'hello@example.test@example.org',
      'hello%example.org@example.test',
      '@example.org:hello@example.test',
      'hello@[127.0.0.1]',
      'hello@example.test/x',
      'hello@example.test:25',
      'he llo@example.test',
      'hello@example.test\r\nRCPT TO:<x@y.z>',
      '<hello@example.test>',
      'hello!x@example.test',
    ])
      t.same(await verdict(address), { status: 'unknownUser' }, JSON.stringify(address))
  })

  t.test('an unverified domain is not local (decision D7)', async (t) => {
    const { principal } = await key({ scopes: ['domains:write'] })
    await request([['Domain/set', { accountId, create: { d: { name: 'pending-domain.org' } } }]], principal)
    t.same(await verdict('x@pending-domain.org'), { status: 'notLocal' })
  })

  t.test('the catch-all gets mail for unmatched addresses until it is removed (decision D8)', async (t) => {
    const taker = await mailbox('taker')
    await setDomain({ catchAllMailboxId: taker.accountId })
    t.same(await verdict('nobody@example.test'), { status: 'accepted', account: taker.account })
    t.same(await verdict('hello@example.test'), { status: 'accepted', account: hello.account })
    await request([['MailAccount/set', { accountId, destroy: [taker.accountId] }]])
    t.same(await verdict('nobody@example.test'), { status: 'unknownUser' })
  })

  t.test('a suspended mailbox defers mail, also as catch-all (decision D8)', async (t) => {
    const paused = await mailbox('paused')
    await store.write([paused.account], async (unit) => {
      await unit.sql.query((db) =>
        db.updateTable('account').set({ suspended_at: unit.now }).where('id', '=', paused.account),
      )
    })
    t.same(await verdict(paused.address), { status: 'suspended' })
    await setDomain({ catchAllMailboxId: paused.accountId })
    t.same(await verdict('nobody@example.test'), { status: 'suspended' })
    const day = 86_400_000
    for (const [ago, status] of [
      [7 * day - 1, 'suspended'],
      [7 * day, 'closed'],
    ] as const) {
      await store.write([paused.account], async (unit) => {
        const suspended_at = unit.now - ago
        await unit.sql.query((db) => db.updateTable('account').set({ suspended_at }).where('id', '=', paused.account))
      })
      t.same(await verdict(paused.address), { status }, `for ${ago / day} days`)
      t.same(await verdict('nobody@example.test'), { status })
    }
    await setDomain({ catchAllMailboxId: null })
  })

  t.test('several addresses are judged in order', async (t) => {
    const verdicts = await core.recipients(['x@example.org', hello.address, 'nobody@example.test'])
    t.same(
      verdicts.map(({ status }) => status),
      ['notLocal', 'accepted', 'unknownUser'],
    )
    t.same(await core.recipients([]), [])
  })

  t.test('a delivered message is an unread email in the inbox, with the time of its arrival', async (t) => {
    const [result] = await deliver([hello.account], mail({ subject: 'Delivered' }))
    if (result!.status !== 'stored') throw new Error(result!.status)
    const [email] = (await hello.call('Email/get', { ids: [result!.emailId] })).list
    t.match(email, {
      subject: 'Delivered',
      keywords: {},
      mailboxIds: { [hello.roles['inbox']!]: true },
      receivedAt: '2026-01-01T00:00:00Z',
      threadId: result!.threadId,
    })
  })

  t.test('a message for several mailboxes is one content, with an email in each', async (t) => {
    const other = await mailbox('other')
    const count = () =>
      store.read(async (reader) => (await reader.sql.query((db) => db.selectFrom('blob').select('hash'))).length)
    const before = await count()
    const results = await deliver([hello.account, other.account], mail({ subject: 'For both' }))
    t.same(
      results.map(({ status }) => status),
      ['stored', 'stored'],
    )
    t.equal(await count(), before + 1)
    for (const box of [hello, other])
      t.equal((await box.call('Email/query', { filter: { subject: 'both' } })).ids.length, 1)
  })

  t.test('two recipients with one mailbox get one email, and both get a result', async (t) => {
    const results = await deliver([hello.account, hello.account], mail({ subject: 'Once' }))
    t.equal(results.length, 2)
    t.same(results[0], results[1])
    t.equal((await hello.call('Email/query', { filter: { subject: 'once' } })).ids.length, 1)
  })

  t.test('a mailbox that was deleted meanwhile is unknownAccount, and the others get their mail', async (t) => {
    const going = await mailbox('going')
    await request([['MailAccount/set', { accountId, destroy: [going.accountId] }]])
    const results = await deliver([going.account, hello.account], mail({ subject: 'Half' }))
    t.same(
      results.map(({ status }) => status),
      ['unknownAccount', 'stored'],
    )
  })

  t.test('a full mailbox is overQuota at RCPT and at the message, and nothing is stored', async (t) => {
    const small = await startCore(t, engine, { mailboxStorageBytes: 950 })
    const box = await small.mailbox('small')
    const send = async (body: string) => {
      const recipients = [{ account: box.account, address: box.address }]
      const [results] = await small.core.ingest([
        { bytes: octets(mail({ body })), recipients, receivedAt, mailFrom: '' },
      ])
      return results![0]!.status
    }
    t.equal(await send('x'.repeat(500)), 'stored')
    t.equal(await send('x'.repeat(500)), 'overQuota')
    t.equal((await box.call('Email/query', { calculateTotal: true })).total, 1)
    t.equal((await small.core.recipients([box.address]))[0]!.status, 'accepted', 'a small one still fits')
    t.equal(await send('x'.repeat(270)), 'stored')
    t.equal(await send('x'), 'overQuota')
  })

  t.test('many messages at once are all stored, each with its result', async (t) => {
    const box = await mailbox('many')
    const messages = Array.from({ length: 60 }, (_, i) => ({
      bytes: octets(mail({ subject: `Burst ${i}` })),
      recipients: [{ account: box.account, address: box.address }],
      receivedAt: receivedAt + i,
      mailFrom: '',
    }))
    const results = await core.ingest(messages)
    t.equal(new Set(results.map(([one]) => (one as { emailId: string }).emailId)).size, 60)
    t.equal((await box.call('Email/query', { calculateTotal: true })).total, 60)
  })

  t.test(
    'on a full disk each message of a batch has its own outcome, so that no stored message is sent again',
    async (t) => {
      const blobs = memoryBlobs()
      const put: typeof blobs.put = async () => {
        throw new Failure('storageFull', 'no room left')
      }
      const { store: full, clock } = await freshStore(t, engine, { ...blobs, put })
      const node = await createCore({ store: full, clock, logger: silentLogger, verifyReservedDomains: true })
      const admin = new Administration(node)
      const owner = await admin.createOrganization('Full')
      const domain = await admin.createDomain(owner.id, 'example.test')
      const { id, address } = await admin.createMailbox(owner.id, domain.id, 'box', null, 'Secret123')
      const account = node.ids.accountNumber('mailbox', id)!
      const message = (size: number) => ({
        bytes: octets(mail({ subject: `Of ${size}`, body: 'x '.repeat(size / 2) })),
        recipients: [{ account, address }],
        receivedAt,
        mailFrom: '',
      })
      // The large ones go to the blob store, the small ones to the database.
      const results = await node.ingest([10, 50_000, 20, 60_000, 30].map(message))
      t.same(
        results.map(([one]) => one!.status),
        ['stored', 'failed', 'stored', 'failed', 'stored'],
      )
      t.match(results[1], [{ code: 'storageFull' }])
      const rows = await full.read(({ sql }) => sql.raw('select * from email'))
      t.equal(rows.length, 3)
    },
  )

  t.test('no malformed message is lost', async (t) => {
    const box = await mailbox('broken')
    const odd = [
      '',
      '\r\n',
      '\0\0\0',
      'no header',
      ': :',
      'Subject',
      'From: <\r\n\r\n',
      '\xff\xfe',
      'A: b\r\n'.repeat(5_000),
    ]
    for (const text of odd) {
      const bytes = Buffer.from(text, 'latin1')
      const recipients = [{ account: box.account, address: box.address }]
      const [results] = await core.ingest([{ bytes, recipients, receivedAt, mailFrom: '' }])
      t.equal(results![0]!.status, 'stored', JSON.stringify(text.slice(0, 20)))
    }
    const { list } = await box.call('Email/get', { ids: null })
    t.equal(list.length, odd.length)
  })

  t.test('the same address in another organization is a different mailbox', async (t) => {
    const foreign = await organizationWith('foreign.test')
    const theirs = await foreign.mailbox('hello')
    t.same(await verdict('hello@foreign.test'), { status: 'accepted', account: theirs.account })
  })
})
