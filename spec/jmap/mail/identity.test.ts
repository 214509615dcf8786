import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { mailbox, request, organization } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const set = (args: object) => hello.call('Identity/set', { ...args })
  const create = async (identity: object) => {
    const { created, notCreated } = await set({ create: { i: { ...identity } } })
    return created?.i ?? notCreated.i
  }
  const read = async (id: string) => (await hello.call('Identity/get', { ids: [id] })).list[0]

  t.test('an account begins with the identity of its address, which stays (RFC 8621 6)', async (t) => {
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

  t.test('another identity of the own address has settings of its own (RFC 8621 6)', async (t) => {
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

  t.test('a tag makes an identity of the own address, in whatever case', async (t) => {
    const made = await create({ email: 'Hello+Shop@Example.test' })
    t.equal((await read(made.id)).email, 'hello+shop@example.test')
    t.equal(made.email, 'hello+shop@example.test', 'and the client is told')
  })

  t.test('an address of somebody else is forbiddenFrom (RFC 8621 6.3)', async (t) => {
    const other = await mailbox('other')
    for (const email of [other.address, 'stranger@example.org', 'x', '', '*@example.test', `hello@example.test\r\n`])
      t.match(await create({ email }), { type: 'forbiddenFrom' }, email)
  })

  t.test('the email cannot change, the rest can (RFC 8621 6)', async (t) => {
    const made = await create({ email: hello.address })
    t.match((await set({ update: { [made.id]: { email: 'hello+x@example.test' } } })).notUpdated[made.id], {
      type: 'invalidProperties',
      properties: ['email'],
    })
    await set({ update: { [made.id]: { name: 'Renamed', bcc: [{ email: 'a@example.test' }] } } })
    const { name, bcc } = await read(made.id)
    t.same({ name, bcc }, { name: 'Renamed', bcc: [{ name: null, email: 'a@example.test' }] })
  })

  t.test('changes are told (RFC 8621 6.2)', async (t) => {
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
