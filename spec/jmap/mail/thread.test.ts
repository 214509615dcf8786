import t from 'tap'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { mail, type TestMail } from '../mails.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine)
  const threadOf = async (box: TestMailbox, id: string): Promise<string> =>
    (await box.call('Email/get', { ids: [id], properties: ['threadId'] })).list[0].threadId
  const receive = (box: TestMailbox, fields: TestMail, minute = 0) => box.receive(mail(fields), START + minute * MINUTE)

  t.test('a reply joins the thread of its parent (RFC 8621 3)', async (t) => {
    const box = await mailbox('reply')
    const root = await receive(box, { id: 'root@x', subject: 'Plans' })
    const byReply = await receive(box, { id: 'r1@x', inReplyTo: 'root@x', subject: 'Re: Plans' })
    const byReferences = await receive(box, { id: 'r2@x', references: ['root@x', 'r1@x'], subject: 'AW: [list] plans' })
    t.equal(await threadOf(box, byReply), await threadOf(box, root))
    t.equal(await threadOf(box, byReferences), await threadOf(box, root))
  })

  t.test('replies to the same message are one thread, before that message arrives (RFC 8621 3)', async (t) => {
    const box = await mailbox('order')
    const second = await receive(box, { id: 'r2@x', references: ['root@x', 'r1@x'], subject: 'Re: Plans' }, 2)
    const first = await receive(box, { id: 'r1@x', inReplyTo: 'root@x', subject: 'Re: Plans' }, 1)
    const root = await receive(box, { id: 'root@x', subject: 'Plans' }, 0)
    const threadId = await threadOf(box, second)
    t.equal(await threadOf(box, first), threadId)
    t.equal(await threadOf(box, root), threadId)
    const { list } = await box.call('Thread/get', { ids: [threadId] })
    t.same(list, [{ id: threadId, emailIds: [root, first, second] }], 'oldest first, by receivedAt')
  })

  t.test('another subject starts another thread (RFC 8621 3)', async (t) => {
    const box = await mailbox('subject')
    const root = await receive(box, { id: 'root@x', subject: 'Plans' })
    const other = await receive(box, { id: 'r1@x', inReplyTo: 'root@x', subject: 'Something else' })
    t.not(await threadOf(box, other), await threadOf(box, root))
  })

  t.test('prefixes of mailers, white space and case in a subject start no other thread (RFC 8621 3)', async (t) => {
    const box = await mailbox('prefixes')
    const root = await receive(box, { id: 'root@x', subject: 'Plans for May' })
    for (const subject of [
      'Re: Plans for May',
      'Fwd: [list] plans  for may',
      'AW: SV: Plans for May',
      'Re: 回复: Plans for May',
    ])
      t.equal(
        await threadOf(box, await receive(box, { inReplyTo: 'root@x', subject })),
        await threadOf(box, root),
        subject,
      )
    const other = await receive(box, { inReplyTo: 'root@x', subject: 'Plans for June' })
    t.not(await threadOf(box, other), await threadOf(box, root))
  })

  t.test('equal subjects alone make no thread (RFC 8621 3)', async (t) => {
    const box = await mailbox('strangers')
    const one = await receive(box, { id: 'a@x', subject: 'Hello' })
    const two = await receive(box, { id: 'b@x', subject: 'Hello' })
    const three = await receive(box, { subject: 'Hello' })
    const four = await receive(box, { subject: 'Hello' })
    const threads = await Promise.all([one, two, three, four].map((id) => threadOf(box, id)))
    t.equal(new Set(threads).size, 4)
  })

  t.test('an email that connects two threads joins the older, and neither changes (RFC 8621 3)', async (t) => {
    const box = await mailbox('join')
    const a = await receive(box, { id: 'a@x', subject: 'Plans' }, 5)
    const b = await receive(box, { id: 'b@x', subject: 'Plans' }, 1)
    const [older, newer] = [await threadOf(box, a), await threadOf(box, b)]
    t.not(older, newer)
    const joining = await receive(box, { id: 'c@x', references: ['a@x', 'b@x'], subject: 'Re: Plans' })
    t.equal(await threadOf(box, joining), older)
    t.equal(await threadOf(box, a), older)
    t.equal(await threadOf(box, b), newer)
    const next = await receive(box, { id: 'd@x', references: ['b@x', 'c@x'], subject: 'Re: Plans' })
    t.equal(await threadOf(box, next), older, 'and so do those that follow it')
  })

  t.test('emails of the same time keep one order; others are ordered by receivedAt (RFC 8621 3)', async (t) => {
    const box = await mailbox('moment')
    const ids: string[] = []
    for (const [name, minute] of [
      ['a', 1],
      ['b', 1],
      ['c', 1],
      ['d', 0],
    ] as const)
      ids.push(await receive(box, { id: `${name}@x`, references: ['root@x'], subject: 'Plans' }, minute))
    const threadId = await threadOf(box, ids[0]!)
    const order = async () => (await box.call('Thread/get', { ids: [threadId] })).list[0].emailIds
    const expected = [ids[3], ids[0], ids[1], ids[2]]
    t.same(await order(), expected)
    await box.call('Email/set', { update: { [ids[1]!]: { 'keywords/$seen': true } } })
    t.same(await order(), expected)
    await box.call('Email/set', { destroy: [ids[0]!] })
    t.same(await order(), [ids[3], ids[1], ids[2]])
  })

  t.test('a conversation is found again after its earlier emails are destroyed', async (t) => {
    const box = await mailbox('gone')
    const root = await receive(box, { id: 'root@x', subject: 'Plans' })
    const reply = await receive(box, { id: 'r1@x', inReplyTo: 'root@x', subject: 'Re: Plans' })
    const threadId = await threadOf(box, root)
    await box.call('Email/set', { destroy: [root] })
    const again = await receive(box, { id: 'r2@x', inReplyTo: 'root@x', subject: 'Re: Plans' })
    t.equal(await threadOf(box, reply), threadId)
    t.equal(await threadOf(box, again), threadId)
  })

  t.test('a thread is destroyed with its last email, and a later reply starts a new one (pitfall 10)', async (t) => {
    const box = await mailbox('last')
    const { state } = await box.call('Thread/get', { ids: [] })
    const root = await receive(box, { id: 'root@x', subject: 'Plans' })
    const threadId = await threadOf(box, root)
    const before = (await box.call('Thread/changes', { sinceState: state })).newState
    await box.call('Email/set', { destroy: [root] })
    matchWhole(t, await box.call('Thread/changes', { sinceState: before }), {
      created: [],
      updated: [],
      destroyed: [threadId],
    })
    const late = await receive(box, { id: 'r1@x', inReplyTo: 'root@x', subject: 'Re: Plans' })
    t.not(await threadOf(box, late), threadId)
  })

  t.test('a thread changes when an email is added or removed, not when one is read (RFC 8621 3.2)', async (t) => {
    const box = await mailbox('changes')
    const root = await receive(box, { id: 'root@x', subject: 'Plans' })
    const threadId = await threadOf(box, root)
    const at = async () => (await box.call('Thread/get', { ids: [] })).state as string
    const first = await at()
    await box.call('Email/set', { update: { [root]: { 'keywords/$seen': true } } })
    t.equal(await at(), first)
    await receive(box, { id: 'r1@x', inReplyTo: 'root@x', subject: 'Re: Plans' })
    matchWhole(t, await box.call('Thread/changes', { sinceState: first }), {
      created: [],
      updated: [threadId],
      destroyed: [],
    })
  })

  t.test('threads of different accounts never join', async (t) => {
    const [one, two] = [await mailbox('one'), await mailbox('two')]
    const first = await receive(one, { id: 'root@x', subject: 'Plans' })
    const second = await receive(two, { id: 'r1@x', inReplyTo: 'root@x', subject: 'Re: Plans' })
    t.same((await one.call('Thread/get', { ids: [await threadOf(one, first)] })).list[0].emailIds, [first])
    t.same((await two.call('Thread/get', { ids: [await threadOf(two, second)] })).list[0].emailIds, [second])
  })

  t.test('a message with a thousand references is threaded by the first and the nearest', async (t) => {
    const box = await mailbox('many')
    const root = await receive(box, { id: 'root@x', subject: 'Plans' })
    const middle = Array.from({ length: 998 }, (_, i) => `m${i}@x`)
    const far = await receive(box, {
      id: 'far@x',
      inReplyTo: 'm997@x',
      references: ['root@x', ...middle],
      subject: 'Re: Plans',
    })
    t.equal(await threadOf(box, far), await threadOf(box, root))
    const near = await receive(box, { id: 'near@x', inReplyTo: 'm997@x', subject: 'Re: Plans' })
    t.equal(await threadOf(box, near), await threadOf(box, root))
  })

  t.test('properties for lists of conversations are returned on request (decision D13)', async (t) => {
    const box = await mailbox('summary')
    await receive(box, { id: 'root@x', subject: 'Plans' }, 0)
    const last = await receive(box, { id: 'r1@x', inReplyTo: 'root@x', subject: 'Re: Plans' }, 9)
    const id = await threadOf(box, last)
    t.same(Object.keys((await box.call('Thread/get', { ids: [id] })).list[0]).sort(), ['emailIds', 'id'])
    const properties = ['subject', 'messageCount', 'latestEmailId', 'latestAt', 'createdAt']
    t.same((await box.call('Thread/get', { ids: [id], properties })).list, [
      {
        id,
        subject: 'Plans',
        messageCount: 2,
        latestEmailId: last,
        latestAt: '2026-01-01T00:09:00Z',
        createdAt: '2026-01-01T00:00:00Z',
      },
    ])
    await box.call('Email/set', { destroy: [last] })
    t.match((await box.call('Thread/get', { ids: [id], properties })).list[0], {
      messageCount: 1,
      latestAt: '2026-01-01T00:00:00Z',
    })
  })

  t.test('Thread/query lists conversations, the latest first, and pages by key', async (t) => {
    const box = await mailbox('list')
    const threads: string[] = []
    for (const name of ['a', 'b', 'c'])
      threads.push(await threadOf(box, await receive(box, { id: `${name}@x`, subject: name }, threads.length)))
    await receive(box, { id: 'd@x', inReplyTo: 'a@x', subject: 'Re: a' }, 9)
    const order = [threads[0]!, threads[2]!, threads[1]!]
    const all = await box.call('Thread/query', { calculateTotal: true })
    t.same([all.ids, all.total], [order, 3])
    t.same((await box.call('Thread/query', { position: 1, limit: 1 })).ids, [order[1]])
    const { latestAt } = (await box.call('Thread/get', { ids: [order[1]!], properties: ['latestAt'] })).list[0]
    const olderThan = { latestAt, id: order[1]! }
    t.same((await box.call('Thread/query', { filter: { olderThan } })).ids, [order[2]])
  })
})
