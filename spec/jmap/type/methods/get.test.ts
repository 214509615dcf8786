import t from 'tap'
import { startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine, { maxObjectsInGet: 8 })
  const hello = await mailbox('hello')
  const other = await mailbox('other')
  const inbox = hello.roles['inbox']!
  const trash = hello.roles['trash']!

  t.test('ids null returns all objects (RFC 8620 5.1)', async (t) => {
    const { list, notFound, accountId } = await hello.call('Mailbox/get', { ids: null })
    t.same(list.map(({ id }: { id: string }) => id).sort(), Object.values(hello.roles).sort())
    t.same(notFound, [])
    t.equal(accountId, hello.accountId)
    t.same((await hello.call('Mailbox/get', {})).list, list, 'and so it is without ids')
  })

  t.test('no ids return no objects, with the state (RFC 8620 5.1)', async (t) => {
    const { list, notFound, state } = await hello.call('Mailbox/get', { ids: [] })
    t.same(list, [])
    t.same(notFound, [])
    t.equal(state, (await hello.call('Mailbox/get', { ids: null })).state)
  })

  t.test('a repeated id is returned once (RFC 8620 5.1)', async (t) => {
    const { list, notFound } = await hello.call('Mailbox/get', { ids: [inbox, 'x', inbox, 'x'], properties: ['name'] })
    t.same(list, [{ id: inbox, name: 'Inbox' }])
    t.same(notFound, ['x'])
  })

  t.test('every unknown id is in notFound, also malformed ones (pitfall 8)', async (t) => {
    const odd = ['', ' ', '#nothing', '__proto__', 'ä', `${inbox}x`, inbox.toUpperCase(), 'x'.repeat(300)]
    const { list, notFound } = await hello.call('Mailbox/get', { ids: odd })
    t.same(list, [])
    t.same(notFound, odd)
  })

  t.test('ids of another type and of another account are not found (promise J1)', async (t) => {
    const email = await other.receive(mail())
    const { threadId, blobId } = (await other.call('Email/get', { ids: [email] })).list[0]
    const strange = [email, threadId, blobId, other.roles['inbox']!, hello.accountId]
    t.same((await hello.call('Mailbox/get', { ids: strange })).notFound, strange)
    t.same((await hello.call('Email/get', { ids: [email] })).notFound, [email])
    t.same((await hello.call('Thread/get', { ids: [threadId] })).notFound, [threadId])
    t.same((await other.call('Email/get', { ids: [email] })).notFound, [], 'control: its owner finds it')
  })

  t.test('only the requested properties are returned, and always the id (RFC 8620 5.1)', async (t) => {
    const { list } = await hello.call('Mailbox/get', { ids: [inbox], properties: ['role'] })
    t.same(list, [{ id: inbox, role: 'inbox' }])
    t.same((await hello.call('Mailbox/get', { ids: [inbox], properties: [] })).list, [{ id: inbox }])
    t.same((await hello.call('Mailbox/get', { ids: [inbox], properties: ['id'] })).list, [{ id: inbox }])
  })

  t.test('a property that the type does not have is invalidArguments (RFC 8620 5.1)', async (t) => {
    for (const name of ['nonsense', '', '__proto__', 'header:Subject'])
      t.match(await hello.call('Mailbox/get', { ids: [inbox], properties: [name] }), {
        type: 'invalidArguments',
        arguments: ['properties'],
      })
  })

  t.test('more ids than the server accepts are requestTooLarge (RFC 8620 5.1)', async (t) => {
    const ids = Array.from({ length: 9 }, (_, i) => `x${i}`)
    t.match(await hello.call('Mailbox/get', { ids }), { type: 'requestTooLarge' })
    t.equal((await hello.call('Mailbox/get', { ids: ids.slice(1) })).notFound.length, 8)
  })

  t.test('ids null is requestTooLarge if there are more objects than the server returns (RFC 8620 5.1)', async (t) => {
    const create = { a: { name: 'A' }, b: { name: 'B' }, c: { name: 'C' } }
    const { created } = await other.call('Mailbox/set', { create })
    t.match(await other.call('Mailbox/get', { ids: null }), { type: 'requestTooLarge' })
    await other.call('Mailbox/set', { destroy: [created.c.id] })
    t.equal((await other.call('Mailbox/get', { ids: null })).list.length, 8)
  })

  t.test('objects are returned in the order of the ids', async (t) => {
    const ids = [trash, inbox]
    const { list } = await hello.call('Mailbox/get', { ids, properties: [] })
    t.same(list, [{ id: trash }, { id: inbox }])
  })
})
