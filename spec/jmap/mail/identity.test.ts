import t from 'tap'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { mailbox, request, organization, domainId } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const set = (args: object) => hello.call('Identity/set', { ...args })
  const create = async (identity: object) => {
    const { created, notCreated } = await set({ create: { i: { ...identity } } })
    return created?.i ?? notCreated.i
  }
  const read = async (id: string) => (await hello.call('Identity/get', { ids: [id] })).list[0]

  t.test('a new account has the identity of its address, which cannot be deleted (RFC 8621 6)', async (t) => {
    const box = await mailbox('fresh')
    const { list } = await box.call('Identity/get', { ids: null })
    t.match(list, [
      {
        name: '',
        email: box.address,
        replyTo: null,
        bcc: null,
        textSignature: '',
        htmlSignature: '',
        mayDelete: false,
      },
    ])
    t.equal(list.length, 1)
    const { notDestroyed } = await box.call('Identity/set', { destroy: [list[0].id] })
    t.match(notDestroyed[list[0].id], { type: 'forbidden' })
  })

  t.test('another identity of the own address has separate settings (RFC 8621 6)', async (t) => {
    const settings = {
      name: 'Hello there',
      replyTo: [{ name: null, email: 'replies@example.test' }],
      bcc: [{ name: 'Archive', email: 'archive@example.test' }],
      textSignature: '-- \nHello',
      htmlSignature: '<p>Hello</p>',
    }
    const made = await create({ email: hello.address, ...settings })
    t.match(await read(made.id), { ...settings, email: hello.address, mayDelete: true })
    t.equal(made.mayDelete, true, 'what the client did not send is told')
    t.same((await set({ destroy: [made.id] })).destroyed, [made.id])
  })

  t.test('the own address with a tag can be an identity, in any case', async (t) => {
    const made = await create({ email: 'Hello+Shop@Example.test' })
    t.equal((await read(made.id)).email, 'hello+shop@example.test')
    t.equal(made.email, 'hello+shop@example.test', 'and the client is told')
  })

  t.test('an address of another account is forbiddenFrom (RFC 8621 6.3)', async (t) => {
    const other = await mailbox('other')
    for (const email of [other.address, 'stranger@example.org', 'x', '', '*@example.test', `hello@example.test\r\n`])
      t.match(await create({ email }), { type: 'forbiddenFrom' }, email)
  })

  t.test('the email cannot change, other properties can (RFC 8621 6)', async (t) => {
    const made = await create({ email: hello.address })
    t.match((await set({ update: { [made.id]: { email: 'hello+x@example.test' } } })).notUpdated[made.id], {
      type: 'invalidProperties',
      properties: ['email'],
    })
    await set({ update: { [made.id]: { name: 'Renamed', bcc: [{ email: 'a@example.test' }] } } })
    const { name, bcc } = await read(made.id)
    t.same({ name, bcc }, { name: 'Renamed', bcc: [{ name: null, email: 'a@example.test' }] })
  })

  t.test('several identities of one address have separate settings (RFC 8621 6)', async (t) => {
    const box = await mailbox('several')
    const create = {
      a: { email: box.address, name: 'Work', textSignature: 'W' },
      b: { email: box.address, name: 'Home', htmlSignature: '<i>H</i>' },
    }
    const { created } = await box.call('Identity/set', { create })
    const { list } = await box.call('Identity/get', { ids: [created.a.id, created.b.id] })
    t.match(list, [
      { name: 'Work', textSignature: 'W', htmlSignature: '' },
      { name: 'Home', textSignature: '', htmlSignature: '<i>H</i>' },
    ])
  })

  t.test('a catch-all mailbox may have an identity for its domain (RFC 8621 6)', async (t) => {
    const box = await mailbox('everything')
    const taken = (await mailbox('taken')).address
    const { accountId } = organization
    const make = async (email: string) =>
      (await box.call('Identity/set', { create: { i: { email } } })).notCreated?.i.type ?? 'made'
    const catchAll = (id: string | null) =>
      request([['Domain/set', { accountId, update: { [domainId]: { catchAllMailboxId: id } } }]])
    t.equal(await make('*@example.test'), 'forbiddenFrom')
    await catchAll(box.accountId)
    t.equal(await make('*@EXAMPLE.test'), 'made')
    t.equal(await make('anything@example.test'), 'made')
    t.equal(await make(taken), 'forbiddenFrom', 'an address of somebody else stays theirs')
    t.equal(await make(taken.replace('@', '+tag@')), 'forbiddenFrom')
    t.equal(await make('*@elsewhere.test'), 'forbiddenFrom')
    const { list } = await box.call('Identity/get', { ids: null })
    const identityId = list.find(({ email }: Result) => email === '*@example.test').id
    const send = async (from: string, more: object = {}) => {
      const email = { mailboxIds: { [box.roles['sent']!]: true }, from: [{ email: from }], to: [{ email: 'a@x.org' }] }
      const emailId = (await box.call('Email/set', { create: { e: { ...email, ...more } } })).created.e.id
      const result = await box.call('EmailSubmission/set', { create: { s: { identityId, emailId } } })
      return result.notCreated?.s.type ?? result.created.s.envelope.mailFrom.email
    }
    t.equal(await send('foo@example.test'), 'foo@example.test')
    t.equal(await send('foo@example.test', { sender: [{ email: 'bar@example.test' }] }), 'bar@example.test')
    t.equal(await send(taken), 'forbiddenFrom')
    t.equal(await send('foo@elsewhere.test'), 'forbiddenFrom')
    await catchAll(null)
    t.equal(await send('foo@example.test'), 'invalidProperties', 'the identity is gone with the catch-all')
    const after = (await box.call('Identity/get', { ids: null })).list as { email: string }[]
    t.notOk(after.some(({ email }) => email === '*@example.test'))
  })

  t.test('a destroyed identity is gone, and an unknown one is notFound (RFC 8621 6.3)', async (t) => {
    const made = await create({ email: hello.address })
    t.same((await set({ destroy: [made.id] })).destroyed, [made.id])
    t.match((await set({ destroy: [made.id] })).notDestroyed[made.id], { type: 'notFound' })
    t.match((await set({ update: { [made.id]: { name: 'x' } } })).notUpdated[made.id], { type: 'notFound' })
  })

  t.test('mayDelete is server-set, and signatures are text (RFC 8621 6)', async (t) => {
    t.match(await create({ email: hello.address, mayDelete: true }), {
      type: 'invalidProperties',
      properties: ['mayDelete'],
    })
    t.match(await create({ email: hello.address, textSignature: null }), { properties: ['textSignature'] })
    t.match(await create({ email: hello.address, replyTo: 'a@x.org' }), { properties: ['replyTo'] })
    t.match(await create({}), { type: 'invalidProperties', properties: ['email'] })
  })

  t.test('Identity/changes returns changes (RFC 8621 6.2)', async (t) => {
    const { state } = await hello.call('Identity/get', { ids: [] })
    const made = await create({ email: hello.address, name: 'Told' })
    t.match(await hello.call('Identity/changes', { sinceState: state }), { created: [made.id] })
  })

  t.test('the display name of a mailbox is the name of its identity', async (t) => {
    const box = await mailbox('named')
    const update = { [box.accountId]: { displayName: 'Nadia Named' } }
    await request([['MailAccount/set', { accountId: organization.accountId, update }]])
    t.equal((await box.call('Identity/get', { ids: null })).list[0].name, 'Nadia Named')
  })

  t.test('identities of another account are not found', async (t) => {
    const box = await mailbox('apart')
    const [{ id }] = (await box.call('Identity/get', { ids: null })).list
    t.same((await hello.call('Identity/get', { ids: [id] })).notFound, [id])
    t.match((await set({ update: { [id]: { name: 'x' } } })).notUpdated[id], { type: 'notFound' })
  })
})
