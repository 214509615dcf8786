import t from 'tap'
import { startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, request, organization, mailbox } = await startCore(t, engine, { maxObjectsInSet: 5 })
  const hello = await mailbox('hello')
  const set = (args: object) => hello.call('Mailbox/set', { ...args })
  const folder = async (name: string, more: object = {}) =>
    (await set({ create: { f: { name, ...more } } })).created.f.id as string
  const read = async (id: string) => (await hello.call('Mailbox/get', { ids: [id] })).list[0]
  const state = async () => (await hello.call('Mailbox/get', { ids: [] })).state as string

  t.test('an empty /set is no error, and changes no state (RFC 8620 5.3)', async (t) => {
    const before = await state()
    t.same(await set({}), {
      accountId: hello.accountId,
      oldState: before,
      newState: before,
      created: null,
      updated: null,
      destroyed: null,
      notCreated: null,
      notUpdated: null,
      notDestroyed: null,
    })
  })

  t.test('the states before and after are those of /get (RFC 8620 5.3)', async (t) => {
    const before = await state()
    const result = await set({ create: { a: { name: 'States' } } })
    t.equal(result.oldState, before)
    t.equal(result.newState, await state())
    t.not(result.newState, before)
  })

  t.test('created has the properties that the client did not send (RFC 8620 5.3)', async (t) => {
    const { created } = await set({ create: { a: { name: 'Told' } } })
    t.match(created.a, { totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 })
    for (const name of ['parentId', 'role', 'sortOrder', 'isSubscribed'])
      t.ok(name in created.a, `the default of ${name}`)
    t.type(created.a.id, 'string')
    t.ok(created.a.myRights.mayReadItems)
    const own = await read(created.a.id)
    for (const [name, value] of Object.entries(created.a)) t.same(value, own[name], name)
  })

  t.test('created does not repeat properties that the client sent (RFC 8620 5.3)', async (t) => {
    const sent = { name: 'Not repeated', parentId: null, role: null, sortOrder: 0, isSubscribed: true }
    const mailboxes = (await set({ create: { a: sent, b: { ...sent, name: 'Mu\u0308ll' } } })).created
    t.same(
      Object.keys(mailboxes.a).filter((name) => name in sent),
      [],
    )
    t.equal(mailboxes.b.name, 'M\u00fcll', 'but for what is stored otherwise')
    const identity = { email: 'hello@example.test', textSignature: '' }
    const { a } = (await hello.call('Identity/set', { create: { a: identity } })).created
    t.same(Object.keys(a).sort(), ['bcc', 'htmlSignature', 'id', 'mayDelete', 'name', 'replyTo'], 'defaults are told')
  })

  t.test('a refused record does not stop the others (RFC 8620 5.3)', async (t) => {
    const id = await folder('Beside')
    const result = await set({
      create: { good: { name: 'Good' }, bad: { name: 7 } },
      update: { [id]: { sortOrder: 3 }, nothing: { name: 'x' } },
      destroy: ['nothing'],
    })
    t.ok(result.created.good.id)
    t.match(result.notCreated, { bad: { type: 'invalidProperties', properties: ['name'] } })
    t.same(result.updated, { [id]: null })
    t.match(result.notUpdated, { nothing: { type: 'notFound' } })
    t.match(result.notDestroyed, { nothing: { type: 'notFound' } })
  })

  t.test('all invalid properties are named (RFC 8620 5.3)', async (t) => {
    const record = { name: '', sortOrder: -1, totalEmails: 3, nonsense: 1, __proto__: null }
    const { notCreated } = await set({ create: { a: record } })
    t.equal(notCreated.a.type, 'invalidProperties')
    t.same([...notCreated.a.properties].sort(), ['name', 'nonsense', 'sortOrder', 'totalEmails'])
    const missing = await set({ create: { a: { sortOrder: 1 } } })
    t.match(missing.notCreated.a, { type: 'invalidProperties', properties: ['name'] })
  })

  t.test('an ifInState that differs from the state stops the call before any change (RFC 8620 5.3)', async (t) => {
    const before = await state()
    t.same(await set({ ifInState: 'x', create: { a: { name: 'Never' } } }), { type: 'stateMismatch' })
    t.equal(await state(), before)
    const result = await set({ ifInState: before, create: { a: { name: 'In time' } } })
    t.ok(result.created.a)
    t.same(await set({ ifInState: before, create: { b: { name: 'Too late' } } }), { type: 'stateMismatch' })
  })

  t.test('more objects than the server accepts are requestTooLarge, all kinds together (RFC 8620 5.3)', async (t) => {
    const create = { a: { name: 'a1' }, b: { name: 'b1' } }
    const before = await state()
    t.match(await set({ create, update: { x: {}, y: {} }, destroy: ['u', 'v'] }), { type: 'requestTooLarge' })
    t.equal(await state(), before)
    t.ok((await set({ create, update: { x: {}, y: {} }, destroy: ['u'] })).created)
  })

  t.test('a record may refer to another of the same call, in any order (RFC 8620 5.3)', async (t) => {
    const { created } = await set({
      create: {
        leaf: { name: 'Leaf', parentId: '#branch' },
        branch: { name: 'Branch', parentId: '#root' },
        root: { name: 'Root' },
      },
    })
    t.equal((await read(created.leaf.id)).parentId, created.branch.id)
    t.equal((await read(created.branch.id)).parentId, created.root.id)
  })

  t.test('records that refer to each other are refused', async (t) => {
    const { created, notCreated } = await set({
      create: {
        a: { name: 'A', parentId: '#b' },
        b: { name: 'B', parentId: '#a' },
        own: { name: 'Own', parentId: '#own' },
      },
    })
    t.equal(created, null)
    for (const id of ['a', 'b', 'own']) t.match(notCreated[id], { type: 'invalidProperties', properties: ['parentId'] })
  })

  t.test('an update may refer to a record that the same call creates (RFC 8620 5.3)', async (t) => {
    const id = await folder('Moving')
    const { created, updated } = await set({
      create: { above: { name: 'Above' } },
      update: { [id]: { parentId: '#above' }, '#above': { sortOrder: 7 } },
    })
    t.same(updated, { [id]: null, [created.above.id]: null })
    t.equal((await read(id)).parentId, created.above.id)
    t.equal((await read(created.above.id)).sortOrder, 7)
  })

  t.test('a destroy may name a record that the same call creates (RFC 8620 5.3)', async (t) => {
    const { created, destroyed } = await set({ create: { brief: { name: 'Brief' } }, destroy: ['#brief'] })
    t.same(destroyed, [created.brief.id])
    t.equal(await read(created.brief.id), undefined)
  })

  t.test('an unknown creation id is invalidProperties, or notFound as the key (RFC 8620 5.3)', async (t) => {
    const id = await folder('Kept')
    const result = await set({
      create: { a: { name: 'a', parentId: '#nothing' } },
      update: { [id]: { parentId: '#nothing' }, '#nothing': { name: 'x' } },
      destroy: ['#nothing'],
    })
    t.match(result.notCreated.a, { type: 'invalidProperties', properties: ['parentId'] })
    t.match(result.notUpdated[id], { type: 'invalidProperties', properties: ['parentId'] })
    t.match(result.notUpdated['#nothing'], { type: 'notFound' })
    t.match(result.notDestroyed['#nothing'], { type: 'notFound' })
  })

  t.test('an object that the call destroys is not updated (RFC 8620 5.3)', async (t) => {
    const id = await folder('Going')
    const { destroyed, notUpdated } = await set({ update: { [id]: { name: 'Staying' } }, destroy: [id] })
    t.same(destroyed, [id])
    t.match(notUpdated[id], { type: 'willDestroy' })
  })

  t.test('a repeated id in destroy is destroyed once', async (t) => {
    const id = await folder('Twice')
    t.same((await set({ destroy: [id, id] })).destroyed, [id])
    t.match((await set({ destroy: [id] })).notDestroyed[id], { type: 'notFound' })
  })

  t.test('an update without a change is no error, and no change (pitfall 9)', async (t) => {
    const id = await folder('Same')
    const before = await state()
    t.same((await set({ update: { [id]: {} } })).updated, { [id]: null })
    t.same((await set({ update: { [id]: { name: 'Same', parentId: null } } })).updated, { [id]: null })
    t.equal(await state(), before)
  })

  t.test('a whole object may be sent back (RFC 8620 5.3)', async (t) => {
    const id = await folder('Whole')
    const object = await read(id)
    t.same((await set({ update: { [id]: { ...object, name: 'Whole again' } } })).updated, { [id]: null })
    t.equal((await read(id)).name, 'Whole again')
    const { notUpdated } = await set({ update: { [id]: { ...object, totalEmails: 9, id: 'x' } } })
    t.equal(notUpdated[id].type, 'invalidProperties')
    t.same([...notUpdated[id].properties].sort(), ['id', 'totalEmails'])
  })

  t.test('an immutable property cannot change, but may be sent unchanged (RFC 8620 5.3)', async (t) => {
    const { list } = await hello.call('Identity/get', { ids: null })
    const { id, email } = list[0]
    t.match((await hello.call('Identity/set', { update: { [id]: { email: 'x@example.test' } } })).notUpdated[id], {
      type: 'invalidProperties',
      properties: ['email'],
    })
    t.same((await hello.call('Identity/set', { update: { [id]: { email } } })).updated, { [id]: null })
  })

  t.test('null sets the default if there is one, else it is refused (RFC 8620 5.3)', async (t) => {
    const id = await folder('Nulled', { sortOrder: 5, isSubscribed: false })
    await set({ update: { [id]: { sortOrder: null, isSubscribed: null } } })
    t.match(await read(id), { sortOrder: 0, isSubscribed: true })
    t.match((await set({ update: { [id]: { name: null } } })).notUpdated[id], {
      type: 'invalidProperties',
      properties: ['name'],
    })
  })

  t.test('paths that overlap, do not exist or lead into an array are invalidPatch (RFC 8620 5.3)', async (t) => {
    const email = await hello.receive(mail())
    const inbox = hello.roles['inbox']!
    const refused = async (patch: object) =>
      (await hello.call('Email/set', { update: { [email]: { ...patch } } })).notUpdated?.[email]?.type
    t.equal(await refused({ keywords: {}, 'keywords/$seen': true }), 'invalidPatch')
    t.equal(await refused({ 'keywords/a': true, 'keywords/a/b': true }), 'invalidPatch')
    t.equal(await refused({ 'keywords/none/below': true }), 'invalidPatch')
    t.equal(await refused({ 'from/0/name': 'x' }), 'invalidPatch')
    t.equal(await refused({ 'keywords/~2': true }), 'invalidPatch')
    t.equal(await refused({ [`mailboxIds/${inbox}`]: true }), undefined, 'control')
  })

  t.test('a patch is applied whole or not at all (RFC 8620 5.3)', async (t) => {
    const id = await folder('Atomic')
    await set({ update: { [id]: { name: 'Changed', sortOrder: -1 } } })
    t.match(await read(id), { name: 'Atomic', sortOrder: 0 })
  })

  t.test('two records may exchange names in one call, because the final state counts (RFC 8620 5.3)', async (t) => {
    const [a, b] = [await folder('Alpha'), await folder('Beta')]
    t.same((await set({ update: { [a]: { name: 'Beta' }, [b]: { name: 'Alpha' } } })).updated, { [a]: null, [b]: null })
    t.equal((await read(a)).name, 'Beta')
    t.equal((await read(b)).name, 'Alpha')
  })

  t.test('a name that another update of the call frees may be used, in any order (RFC 8620 5.3)', async (t) => {
    const [a, b] = [await folder('Taken'), await folder('Waiting')]
    const { updated } = await set({ update: { [b]: { name: 'Taken' }, [a]: { name: 'Free' } } })
    t.same(updated, { [a]: null, [b]: null })
    const c = await set({ create: { c: { name: 'Free' } }, destroy: [a] })
    t.ok(c.created.c, 'and one that a destroy frees')
  })

  t.test('updates that are invalid together are refused, and the others are made', async (t) => {
    const [a, b, c] = [await folder('Ann'), await folder('Bea'), await folder('Cid')]
    const { updated, notUpdated } = await set({
      update: { [a]: { name: 'Cid' }, [b]: { name: 'Cid' }, [c]: { sortOrder: 4 } },
    })
    t.same(updated, { [c]: null })
    t.same(Object.keys(notUpdated).sort(), [a, b].sort())
    t.equal((await read(a)).name, 'Ann')
  })

  t.test('ids of another type or account are notFound (promise J1)', async (t) => {
    const other = await mailbox('other')
    const theirs = other.roles['archive']!
    const result = await set({ update: { [theirs]: { name: 'Mine' } }, destroy: [theirs, hello.accountId] })
    t.match(result.notUpdated[theirs], { type: 'notFound' })
    t.match(result.notDestroyed[theirs], { type: 'notFound' })
    t.match(result.notDestroyed[hello.accountId], { type: 'notFound' })
    const [own] = (await other.call('Mailbox/get', { ids: [theirs] })).list
    t.equal(own.name, 'Archive')
  })

  t.test('keys such as __proto__ are ids like any other', async (t) => {
    const create = JSON.parse('{"__proto__": {"name": "Prototype"}}')
    const { created } = await set({ create })
    t.ok(Object.hasOwn(created, '__proto__'))
    t.equal(({} as { name?: string }).name, undefined)
  })

  t.test('two writers with the same ifInState: one of them wins', async (t) => {
    const ifInState = await state()
    const answers = await Promise.all(
      ['x', 'y', 'z'].map((name) => hello.call('Mailbox/set', { ifInState, create: { c: { name: `Race ${name}` } } })),
    )
    t.equal(answers.filter((answer) => answer.created).length, 1)
    t.equal(answers.filter((answer) => answer.type === 'stateMismatch').length, 2)
  })

  t.test('a type that cannot be created or destroyed says so for each record', async (t) => {
    const accountId = organization.accountId
    const args = { accountId, create: { o: { name: 'Second' } }, destroy: [accountId] }
    const [answer] = await request([['Organization/set', args]])
    t.match(answer![1], {
      notCreated: { o: { type: 'forbidden' } },
      notDestroyed: { [accountId]: { type: 'forbidden' } },
    })
    t.ok((await core.organizations()).some((one) => one.accountId === accountId))
  })
})
