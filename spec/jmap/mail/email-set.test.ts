import t from 'tap'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox, request } = await startCore(t, engine, { maxMailboxesPerEmail: 2 })
  const hello = await mailbox('hello')
  const [inbox, archive, trash] = ['inbox', 'archive', 'trash'].map((role) => hello.roles[role]!) as [
    string,
    string,
    string,
  ]
  const update = (id: string, patch: object) => hello.call('Email/set', { update: { [id]: { ...patch } } })
  const read = async (id: string) =>
    (await hello.call('Email/get', { ids: [id], properties: ['mailboxIds', 'keywords'] })).list[0]

  t.test('keywords are set whole or one by one (RFC 8621 4.6)', async (t) => {
    const id = await hello.receive(mail())
    t.same((await update(id, { keywords: { $seen: true, a: true } })).updated, { [id]: null })
    t.same((await read(id)).keywords, { $seen: true, a: true })
    await update(id, { 'keywords/b': true, 'keywords/a': null })
    t.same((await read(id)).keywords, { $seen: true, b: true })
    await update(id, { keywords: null })
    t.same((await read(id)).keywords, {}, 'null is the default')
  })

  t.test('keywords compare without case, also in paths, and the response says so (RFC 8621 4.1.1)', async (t) => {
    const id = await hello.receive(mail())
    t.same((await update(id, { 'keywords/$Seen': true })).updated, { [id]: { keywords: { $seen: true } } })
    t.same((await read(id)).keywords, { $seen: true })
    t.same((await update(id, { 'keywords/$SEEN': null })).updated, { [id]: { keywords: {} } })
    t.same((await read(id)).keywords, {})
    t.same((await update(id, { keywords: { Upper: true } })).updated, { [id]: { keywords: { upper: true } } })
  })

  t.test('creation ids name mailboxes in paths, in keys and as the id (pitfall 5)', async (t) => {
    const id = await hello.receive(mail())
    const accountId = hello.accountId
    const answers = await request(
      [
        ['Mailbox/set', { accountId, create: { c0: { name: 'Path' }, c1: { name: 'Key' } } }],
        ['Email/set', { accountId, update: { [id]: { 'mailboxIds/#c0': true, [`mailboxIds/${inbox}`]: null } } }],
        ['Email/set', { accountId, create: { e: { mailboxIds: { '#c1': true } } } }],
        [
          'Email/set',
          { accountId, update: { '#e': { mailboxIds: { '#c0': true, '#c1': true }, 'keywords/a': true } } },
        ],
        ['Email/set', { accountId, destroy: ['#e'] }],
        ['Email/set', { accountId, update: { [id]: { 'mailboxIds/#nothing': true } } }],
      ],
      hello.principal,
    )
    const [boxes, first, made, both, gone, unknown] = answers.map(([, args]) => args as Result)
    const [path, key] = [boxes.created.c0.id, boxes.created.c1.id]
    t.same(first.updated, { [id]: null })
    t.same((await read(id)).mailboxIds, { [path]: true })
    t.same(both.updated, { [made.created.e.id]: null })
    t.same(gone.destroyed, [made.created.e.id])
    t.match(unknown.notUpdated[id], { type: 'invalidProperties', properties: ['mailboxIds'] })
    t.equal((await hello.call('Mailbox/get', { ids: [key] })).list[0].totalEmails, 0)
  })

  t.test('invalid or too many keywords are refused, and nothing changes (RFC 8621 4.6)', async (t) => {
    const id = await hello.receive(mail())
    const bad = await update(id, { 'keywords/a b': true, [`mailboxIds/${archive}`]: true })
    t.match(bad.notUpdated[id], { type: 'invalidProperties', properties: ['keywords'] })
    const keywords = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, true]))
    t.match((await update(id, { keywords })).notUpdated[id], { type: 'tooManyKeywords' })
    const paths = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`keywords/k${i}`, true]))
    t.match((await update(id, paths)).notUpdated[id], { type: 'tooManyKeywords' })
    t.same(await read(id), { id, mailboxIds: { [inbox]: true }, keywords: {} })
  })

  t.test('keywords such as __proto__ and 1 are keywords like any other', async (t) => {
    const id = await hello.receive(mail())
    await update(id, { 'keywords/__proto__': true, 'keywords/1': true, 'keywords/constructor': true })
    t.same(Object.keys((await read(id)).keywords).sort(), ['1', '__proto__', 'constructor'])
    await update(id, { 'keywords/__proto__': null })
    t.same(Object.keys((await read(id)).keywords).sort(), ['1', 'constructor'])
  })

  t.test('a move changes mailboxes, keeps the id, the thread and the keywords (RFC 8621 2)', async (t) => {
    const id = await hello.receive(mail())
    await update(id, { 'keywords/$flagged': true })
    await update(id, { [`mailboxIds/${inbox}`]: null, [`mailboxIds/${archive}`]: true })
    t.same(await read(id), { id, mailboxIds: { [archive]: true }, keywords: { $flagged: true } })
    t.notOk((await hello.call('Email/query', { filter: { inMailbox: inbox } })).ids.includes(id))
    t.ok((await hello.call('Email/query', { filter: { inMailbox: archive } })).ids.includes(id))
  })

  t.test('an email is always in a mailbox, and only in those of its account (RFC 8621 4.1.1)', async (t) => {
    const id = await hello.receive(mail())
    const other = await mailbox('other')
    for (const patch of [
      { mailboxIds: {} },
      { [`mailboxIds/${inbox}`]: null },
      { mailboxIds: { x: true } },
      { [`mailboxIds/${other.roles['inbox']}`]: true },
      { [`mailboxIds/${archive}`]: false },
      { mailboxIds: null },
    ])
      t.match((await update(id, patch)).notUpdated[id], { type: 'invalidProperties', properties: ['mailboxIds'] })
    t.same((await read(id)).mailboxIds, { [inbox]: true })
  })

  t.test('too many mailboxes have their own error (RFC 8621 4.6)', async (t) => {
    const id = await hello.receive(mail())
    const mailboxIds = { [inbox]: true, [archive]: true, [trash]: true }
    t.match((await update(id, { mailboxIds })).notUpdated[id], { type: 'tooManyMailboxes' })
    t.ok((await update(id, { [`mailboxIds/${archive}`]: true })).updated, 'as many as the session says')
  })

  t.test('the message itself cannot change (RFC 8621 4.1)', async (t) => {
    const id = await hello.receive(mail({ subject: 'Fixed' }))
    for (const [name, value] of Object.entries({
      subject: 'x',
      from: null,
      receivedAt: '2020-01-01T00:00:00Z',
      size: 1,
    }))
      t.match((await update(id, { [name]: value })).notUpdated[id], { type: 'invalidProperties', properties: [name] })
    t.same((await update(id, { subject: 'Fixed', 'keywords/$seen': true })).updated, { [id]: null })
  })

  t.test('a whole email may be sent back (RFC 8620 5.3)', async (t) => {
    const id = await hello.receive(mail())
    const [email] = (await hello.call('Email/get', { ids: [id] })).list
    t.same((await update(id, email)).updated, { [id]: null })
  })

  t.test('destroying removes an email everywhere, and its thread with its last email (RFC 8621 4.6)', async (t) => {
    const id = await hello.receive(mail({ id: 'gone@x' }))
    await update(id, { [`mailboxIds/${archive}`]: true, 'keywords/a': true })
    const { threadId } = (await hello.call('Email/get', { ids: [id], properties: ['threadId'] })).list[0]
    t.same((await hello.call('Email/set', { destroy: [id] })).destroyed, [id])
    t.same((await hello.call('Email/get', { ids: [id] })).notFound, [id])
    t.same((await hello.call('Thread/get', { ids: [threadId] })).notFound, [threadId])
    for (const filter of [{ inMailbox: archive }, { hasKeyword: 'a' }])
      t.notOk((await hello.call('Email/query', { filter })).ids.includes(id))
  })

  t.test('the state of Email changes, and those of Mailbox and Thread only with their objects', async (t) => {
    const id = await hello.receive(mail({ id: 'states@x' }))
    const states = async () =>
      Promise.all(
        ['Email', 'Mailbox', 'Thread'].map(async (type) => (await hello.call(`${type}/get`, { ids: [] })).state),
      )
    const before = await states()
    await update(id, { 'keywords/custom': true })
    const after = await states()
    t.same(
      before.map((state, i) => state === after[i]),
      [false, true, true],
    )
    await update(id, { 'keywords/$seen': true })
    const seen = await states()
    t.same(
      after.map((state, i) => state === seen[i]),
      [false, false, true],
    )
  })

  t.test('many changes in one call are one commit', async (t) => {
    const ids: string[] = []
    for (let i = 0; i < 20; i++) ids.push(await hello.receive(mail({ subject: `Bulk ${i}` })))
    let commits = 0
    const stop = core.onStateChange(() => commits++)
    const patches = Object.fromEntries(ids.slice(10).map((id) => [id, { 'keywords/$seen': true }]))
    const { updated, destroyed } = await hello.call('Email/set', { update: patches, destroy: ids.slice(0, 10) })
    stop()
    t.equal(Object.keys(updated).length + destroyed.length, 20)
    t.equal(commits, 1)
  })
})
