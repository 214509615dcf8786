import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox, key, request } = await startCore(t, engine)
  const from = await mailbox('from')
  const to = await mailbox('to')
  const { principal } = await key({ scopes: ['messages:read', 'messages:write'] })
  const inbox = { [to.roles['inbox']!]: true }
  const copy = async (email: JsonObject): Promise<Result> => {
    const args = {
      fromAccountId: from.accountId,
      accountId: to.accountId,
      create: { c: { mailboxIds: inbox, ...email } },
    }
    const [answer] = await request([['Email/copy', args]], principal)
    return answer![1]
  }
  const read = async (id: string, properties: string[] | null = null) =>
    (await to.call('Email/get', { ids: [id], properties })).list[0]

  t.test('keywords and receivedAt are those of the original, unless given (RFC 8621 4.7)', async (t) => {
    const id = await from.receive(mail(), Date.UTC(2020, 1, 2))
    await from.call('Email/set', { update: { [id]: { keywords: { $seen: true } } } })
    const plain = (await copy({ id })).created.c
    t.match(await read(plain.id), { keywords: { $seen: true }, receivedAt: '2020-02-02T00:00:00Z', mailboxIds: inbox })
    const mailboxIds = { [to.roles['archive']!]: true }
    const given = (await copy({ id, mailboxIds, keywords: { A: true }, receivedAt: '2021-01-01T00:00:00Z' })).created.c
    t.match(await read(given.id), { keywords: { a: true }, receivedAt: '2021-01-01T00:00:00Z' })
  })

  t.test('nothing else of the message can be set (RFC 8621 4.7)', async (t) => {
    const id = await from.receive(mail())
    const { notCreated } = await copy({ id, subject: 'Other', from: null })
    t.equal(notCreated.c.type, 'invalidProperties')
    t.same([...notCreated.c.properties].sort(), ['from', 'subject'])
  })

  t.test('a message that the account already has is not copied again (RFC 8621 4.7)', async (t) => {
    const id = await from.receive(mail({ subject: 'Once' }))
    const { c: first } = (await copy({ id })).created
    const { created, notCreated } = await copy({ id, keywords: { again: true } })
    t.same(created, null)
    t.match(notCreated.c, { type: 'alreadyExists', existingId: first.id })
    t.notOk((await read(first.id, ['keywords'])).keywords.again)
    const archive = { [to.roles['archive']!]: true }
    t.match((await copy({ id, mailboxIds: { ...archive, ...inbox } })).notCreated.c, { type: 'alreadyExists' })
    const second = (await copy({ id, mailboxIds: archive })).created.c
    t.not(second.id, first.id, 'in another mailbox it is an email of its own')
    await to.call('Email/set', { update: { [second.id]: { 'keywords/only': true } } })
    t.same((await read(first.id, ['keywords'])).keywords, {})
  })

  t.test('an original whose copy is refused stays (RFC 8621 4.7)', async (t) => {
    const id = await from.receive(mail({ subject: 'Stays' }))
    await copy({ id })
    const args = {
      fromAccountId: from.accountId,
      accountId: to.accountId,
      create: { c: { id, mailboxIds: inbox }, d: { id, mailboxIds: { [to.roles['trash']!]: true } } },
      onSuccessDestroyOriginal: true,
    }
    const answers = await request([['Email/copy', { ...args, create: { c: args.create.c } }]], principal)
    t.equal(answers.length, 1)
    t.match(answers[0]![1], { notCreated: { c: { type: 'alreadyExists' } } })
    t.equal((await from.call('Email/get', { ids: [id] })).list.length, 1)
    const moved = await request([['Email/copy', args]], principal)
    t.match(moved, [
      ['Email/copy', { created: { d: {} }, notCreated: { c: { type: 'alreadyExists' } } }, '0'],
      ['Email/set', { accountId: from.accountId, destroyed: [id] }, '0'],
    ])
    t.same((await from.call('Email/get', { ids: [id] })).notFound, [id], 'control')
  })

  t.test('created has id, blobId, threadId and size of the copy (RFC 8621 4.7)', async (t) => {
    const id = await from.receive(mail({ subject: 'Told' }))
    const { c } = (await copy({ id })).created
    t.same(Object.keys(c).sort(), ['blobId', 'id', 'size', 'threadId'])
    t.same(await read(c.id, ['blobId', 'threadId', 'size']), c)
  })

  t.test('the copy has its own blobId for the same octets', async (t) => {
    const id = await from.receive(mail({ subject: 'Octets' }))
    const [original] = (await from.call('Email/get', { ids: [id], properties: ['blobId', 'size'] })).list
    const copied = (await copy({ id })).created.c
    t.not(copied.blobId, original.blobId)
    const bytes = async (box: typeof from, blobId: string) =>
      Buffer.from((await core.download(box.principal, box.accountId, blobId))!.bytes)
    t.same(await bytes(to, copied.blobId), await bytes(from, original.blobId))
    t.equal(await core.download(to.principal, to.accountId, original.blobId), null)
  })

  t.test('the copy is threaded in its own account', async (t) => {
    const root = await to.receive(mail({ id: 'root@x', subject: 'Plans' }))
    const reply = await from.receive(mail({ id: 'r1@x', inReplyTo: 'root@x', subject: 'Re: Plans' }))
    const copied = (await copy({ id: reply })).created.c
    t.equal(copied.threadId, (await read(root, ['threadId'])).threadId)
  })

  t.test('the copy is counted and found like any other', async (t) => {
    const id = await from.receive(mail({ body: 'copied words' }))
    const copied = (await copy({ id })).created.c
    t.same((await to.call('Email/query', { filter: { text: 'copied words' } })).ids, [copied.id])
  })

  t.test('a copy stays when its original is destroyed', async (t) => {
    const id = await from.receive(mail({ subject: 'Outlived', body: 'x'.repeat(30_000) }))
    const copied = (await copy({ id })).created.c
    await from.call('Email/set', { destroy: [id] })
    t.match(await read(copied.id), { subject: 'Outlived' })
    t.ok(await core.download(to.principal, to.accountId, copied.blobId))
  })

  t.test('a copy over quota is refused', async (t) => {
    const small = await startCore(t, engine, { mailboxStorageBytes: 600 })
    const [one, two] = [await small.mailbox('one'), await small.mailbox('two')]
    const asking = await small.key({ scopes: ['messages:read', 'messages:write'] })
    const id = await one.receive(mail({ body: 'x'.repeat(300) }))
    await two.receive(mail({ body: 'y'.repeat(300) }))
    const create = { c: { id, mailboxIds: { [two.roles['inbox']!]: true } } }
    const args = { fromAccountId: one.accountId, accountId: two.accountId, create }
    const [answer] = await small.request([['Email/copy', args]], asking.principal)
    t.same((answer![1] as Result).notCreated, { c: { type: 'overQuota' } })
  })
})
