import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { PASSWORD, type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, organization, organizationWith, domainId, mailbox, key, request, store } = await startCore(t, engine)
  const { accountId } = organization
  const owner = (await key({ scopes: ['mailboxes:read', 'mailboxes:write', 'messages:read'] })).principal
  const call = async (name: string, args: JsonObject = {}, asking = owner): Promise<Result> =>
    (await request([[name, { accountId, ...args }]], asking))[0]![1]
  const set = (args: JsonObject, asking = owner) => call('MailAccount/set', args, asking)
  const create = async (account: JsonObject, asking = owner): Promise<Result> => {
    const { created, notCreated } = await set({ create: { m: { domainId, ...account } } }, asking)
    return created?.m ?? notCreated.m
  }
  const read = async (id: string): Promise<Result> => (await call('MailAccount/get', { ids: [id] })).list[0]

  t.test('a mailbox is a JMAP account with the same id (decision D29)', async (t) => {
    const made = await create({ localPart: 'Fresh', displayName: 'Fresh One' })
    t.match(await read(made.id), {
      id: made.id,
      domainId,
      localPart: 'fresh',
      address: 'fresh@example.test',
      displayName: 'Fresh One',
      suspendedAt: null,
      spamFilterThreshold: 6,
      autoReply: { enabled: false, subject: null, body: null, fromDate: null, toDate: null },
    })
    t.equal(made.address, 'fresh@example.test')
    const asking = { ...owner, scopes: null }
    const [answer] = await request([['Mailbox/get', { accountId: made.id }]], asking)
    t.equal((answer![1] as Result).list.length, 6)
    t.ok(made.id in ((await core.session(owner, '')) as Result).accounts)
  })

  t.test('an address in use is alreadyExists (decision D8)', async (t) => {
    const made = await create({ localPart: 'taken' })
    t.match(await create({ localPart: 'TAKEN' }), { type: 'alreadyExists', existingId: made.id })
    const { created, notCreated } = await set({
      create: { a: { domainId, localPart: 'double' }, b: { domainId, localPart: 'double' } },
    })
    t.equal(Object.keys(created).length, 1)
    t.match(Object.values(notCreated)[0], { type: 'alreadyExists' })
  })

  t.test('a local part has letters, digits and inner punctuation (decision D8)', async (t) => {
    for (const localPart of ['', '.a', 'a.', 'a..b', 'a b', 'a+b', 'ü', '-a', 'a@b', 'a"b', 'x'.repeat(65)])
      t.match(await create({ localPart }), { type: 'invalidProperties', properties: ['localPart'] }, localPart)
    for (const localPart of ['a', 'a.b-c_d', '0', 'x'.repeat(64)]) t.ok((await create({ localPart })).id, localPart)
  })

  t.test('the domain must exist and be verified (decision D8)', async (t) => {
    const foreign = await organizationWith('foreign.test')
    for (const id of ['x', foreign.domainId, accountId])
      t.match(await create({ localPart: 'a', domainId: id }), { type: 'invalidProperties', properties: ['domainId'] })
    const writer = (await key({ scopes: ['domains:write'] })).principal
    const [made] = await request([['Domain/set', { accountId, create: { d: { name: 'pending.org' } } }]], writer)
    const pending = (made![1] as Result).created.d.id
    t.match(await create({ localPart: 'a', domainId: pending }), { type: 'domainNotVerified', domain: 'pending.org' })
  })

  t.test('a password is never returned, and has rules (contract, Mailboxes)', async (t) => {
    for (const password of ['short1A', 'alllower1', 'ALLUPPER1', 'NoDigits', `Aa1${'x'.repeat(126)}`, 7])
      t.match(await create({ localPart: 'secretive', password }), {
        type: 'invalidProperties',
        properties: ['password'],
      })
    const made = await create({ localPart: 'secretive', password: PASSWORD })
    t.notMatch(JSON.stringify(made), PASSWORD)
    t.notOk('password' in (await read(made.id)))
    t.match(await call('MailAccount/get', { ids: [made.id], properties: ['password'] }), { type: 'invalidArguments' })
    const rows = await store.read((reader) => reader.sql.query((db) => db.selectFrom('object').select('data')))
    t.notOk(
      rows.some(({ data }) => data.includes(PASSWORD)),
      'nor kept',
    )
  })

  t.test('settings change one by one; the address does not change', async (t) => {
    const { id } = await create({ localPart: 'settings' })
    const autoReply = {
      enabled: true,
      subject: 'Away',
      body: 'Back soon',
      fromDate: null,
      toDate: '2026-02-01T00:00:00Z',
    }
    await set({ update: { [id]: { displayName: 'New', spamFilterThreshold: 9, autoReply } } })
    t.match(await read(id), { displayName: 'New', spamFilterThreshold: 9, autoReply })
    await set({ update: { [id]: { 'autoReply/enabled': false } } })
    t.match((await read(id)).autoReply, { enabled: false, body: 'Back soon' })
    for (const patch of [
      { localPart: 'x' },
      { address: 'x@example.test' },
      { domainId: 'x' },
      { suspendedAt: '2026-01-01T00:00:00Z' },
      { spamFilterThreshold: 0 },
      { spamFilterThreshold: 15 },
      { displayName: '' },
    ])
      t.match((await set({ update: { [id]: patch as JsonObject } })).notUpdated[id], {
        type: 'invalidProperties',
        properties: Object.keys(patch),
      })
  })

  t.test('a deleted mailbox is gone from every interface, and its address is free (decision D8)', async (t) => {
    const box = await mailbox('leaving')
    const email = await box.receive(mail())
    const { blobId } = (await box.call('Email/get', { ids: [email], properties: ['blobId'] })).list[0]
    await set({ destroy: [box.accountId] })
    t.same((await call('MailAccount/get', { ids: [box.accountId] })).notFound, [box.accountId])
    t.same(await box.call('Email/get', { ids: [email] }), { type: 'accountNotFound' })
    t.equal(await core.download(box.principal, box.accountId, blobId), null)
    t.equal(await core.upload(box.principal, box.accountId, 'text/plain', Buffer.from('x')), null)
    t.notOk(box.accountId in ((await core.session(owner, '')) as Result).accounts)
    t.same(await core.recipients([box.address]), [{ status: 'unknownUser' }])
  })

  t.test(
    'a new mailbox with the same address has neither the data nor the id of the old one (promise J3)',
    async (t) => {
      const old = await mailbox('again')
      const email = await old.receive(mail({ body: 'old secret' }))
      await set({ destroy: [old.accountId] })
      const fresh = await mailbox('again')
      t.not(fresh.accountId, old.accountId)
      t.same((await fresh.call('Email/query', {})).ids, [])
      t.same((await fresh.call('Email/query', { filter: { text: 'secret' } })).ids, [])
      t.same((await fresh.call('Email/get', { ids: [email] })).notFound, [email])
      t.same(await old.call('Email/query', {}), { type: 'accountNotFound' })
    },
  )

  t.test('the domain of a deleted catch-all reports a change', async (t) => {
    const box = await mailbox('catcher')
    await request([['Domain/set', { accountId, update: { [domainId]: { catchAllMailboxId: box.accountId } } }]])
    const { state } = (await request([['Domain/get', { accountId, ids: [] }]]))[0]![1] as Result
    await set({ destroy: [box.accountId] })
    const [changes, domain] = await request([
      ['Domain/changes', { accountId, sinceState: state }],
      ['Domain/get', { accountId, ids: [domainId] }],
    ])
    t.same((changes![1] as Result).updated, [domainId])
    t.equal((domain![1] as Result).list[0].catchAllMailboxId, null)
  })

  t.test('lists filter by domain and address, newest first, and page by key', async (t) => {
    const { ids } = await call('MailAccount/query')
    t.same((await call('MailAccount/query', { filter: { beforeId: ids[1] } })).ids, ids.slice(2))
    t.same((await call('MailAccount/query', { filter: { domainId } })).ids, ids)
    t.same((await call('MailAccount/query', { filter: { domainId: 'x' } })).ids, [])
    const { address } = await read(ids[2])
    t.same((await call('MailAccount/query', { filter: { address } })).ids, [ids[2]])
  })

  t.test('a key that is limited to mailboxes neither sees nor creates others (decision D5)', async (t) => {
    const [one, two] = [await mailbox('limited'), await mailbox('hidden')]
    const scopes = ['mailboxes:read', 'mailboxes:write']
    const limited = (await key({ scopes, mailboxIds: [one.accountId] })).principal
    t.same((await call('MailAccount/query', {}, limited)).ids, [one.accountId])
    t.same((await call('MailAccount/get', { ids: [two.accountId] }, limited)).notFound, [two.accountId])
    const { notUpdated, notDestroyed } = await set(
      { update: { [two.accountId]: { password: 'Stolen123' } }, destroy: [two.accountId] },
      limited,
    )
    t.match(notDestroyed?.[two.accountId] ?? notUpdated?.[two.accountId], { type: 'notFound' })
    const again = await set({ update: { [two.accountId]: { password: 'Stolen123' } } }, limited)
    t.match(again.notUpdated[two.accountId], { type: 'notFound' })
    t.equal(await core.authenticate({ kind: 'password', address: two.address, password: 'Stolen123', ip: '' }), null)
    t.match(await create({ localPart: 'third' }, limited), { type: 'forbidden' })
    t.ok((await set({ update: { [one.accountId]: { displayName: 'Mine' } } }, limited)).updated)
  })

  t.test('a key that is limited to domains creates mailboxes there only (decision D5)', async (t) => {
    const [made] = await request([['Domain/set', { accountId, create: { d: { name: 'within.test' } } }]])
    const within = (made![1] as Result).created.d.id
    const scopes = ['mailboxes:read', 'mailboxes:write']
    const limited = (await key({ scopes, domainIds: [within] })).principal
    t.ok((await create({ localPart: 'a', domainId: within }, limited)).id)
    t.match(await create({ localPart: 'a' }, limited), { type: 'forbidden' })
    const box = await mailbox('named')
    const both = (await key({ scopes, domainIds: [within], mailboxIds: [box.accountId] })).principal
    t.match(await create({ localPart: 'b', domainId: within }, both), { type: 'forbidden' })
  })

  t.test("another organization's mailbox is not found", async (t) => {
    const theirs = await (await organizationWith('apart.test')).mailbox('hello')
    t.same((await call('MailAccount/get', { ids: [theirs.accountId] })).notFound, [theirs.accountId])
    const { notUpdated } = await set({ update: { [theirs.accountId]: { password: 'Stolen123' } } })
    t.match(notUpdated[theirs.accountId], { type: 'notFound' })
    t.ok(await core.authenticate({ kind: 'password', address: theirs.address, password: PASSWORD, ip: '' }))
  })
})
