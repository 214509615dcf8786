import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

const PLAIN =
  'From: Bob <bob@example.org>\nTo: hello@example.test\nSubject: Lunch\nMessage-ID: <1@example.org>\n\nAt noon?\n'

await forEachEngine(t, async (t, engine) => {
  t.test('marking an email as seen lowers the unread counts of its mailbox (RFC 8621 2)', async (t) => {
    const { mailbox } = await startCore(t, engine)
    const hello = await mailbox('hello')
    const id = await hello.receive(PLAIN)
    const before = (await hello.call('Mailbox/get', { ids: [hello.roles['inbox']!] })).list[0]
    t.match(before, { totalEmails: 1, unreadEmails: 1, totalThreads: 1, unreadThreads: 1 })
    const { updated } = await hello.call('Email/set', { update: { [id]: { 'keywords/$seen': true } } })
    t.same(updated, { [id]: null })
    const after = (await hello.call('Mailbox/get', { ids: [hello.roles['inbox']!] })).list[0]
    t.match(after, { totalEmails: 1, unreadEmails: 0, totalThreads: 1, unreadThreads: 0 })
  })

  t.test('an email moved to the Trash leaves the unread threads of other mailboxes (RFC 8621 2)', async (t) => {
    const { mailbox } = await startCore(t, engine)
    const hello = await mailbox('hello')
    const id = await hello.receive(PLAIN)
    await hello.call('Email/set', { update: { [id]: { mailboxIds: { [hello.roles['trash']!]: true } } } })
    const { list } = await hello.call('Mailbox/get', { ids: [hello.roles['inbox']!, hello.roles['trash']!] })
    t.match(list[0], { totalEmails: 0, unreadThreads: 0 })
    t.match(list[1], { totalEmails: 1, unreadThreads: 1 })
  })

  t.test('a destroyed email takes its thread and its counts with it', async (t) => {
    const { mailbox } = await startCore(t, engine)
    const hello = await mailbox('hello')
    const id = await hello.receive(PLAIN)
    const { threadId } = (await hello.call('Email/get', { ids: [id], properties: ['threadId'] })).list[0]
    const { destroyed } = await hello.call('Email/set', { destroy: [id] })
    t.same(destroyed, [id])
    t.same((await hello.call('Email/get', { ids: [id] })).notFound, [id])
    t.same((await hello.call('Thread/get', { ids: [threadId] })).notFound, [threadId])
  })

  t.test('an email is found by its text right after it came in', async (t) => {
    const { mailbox } = await startCore(t, engine)
    const hello = await mailbox('hello')
    const id = await hello.receive(PLAIN)
    t.same((await hello.call('Email/query', { filter: { text: 'NOON' } })).ids, [id])
    t.same((await hello.call('Email/query', { filter: { subject: 'lunch', from: 'bob' } })).ids, [id])
    t.same((await hello.call('Email/query', { filter: { subject: 'noon' } })).ids, [])
  })
})
