import t from 'tap'
import { Email } from '../../../../jmap/mail/email/email.type.ts'
import { startCore, type TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)

async function fill(box: TestMailbox, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++)
    ids.push(await box.receive(mail({ subject: `Number ${i}`, id: `${i}@example.org` }), START + i * MINUTE))
  return ids
}

await forEachEngine(t, async (t, engine) => {
  const { core, store, mailbox } = await startCore(t, engine)
  const filter = { notKeyword: '$seen' }

  t.test('without changes: nothing removed, nothing added, the same state (RFC 8620 5.6)', async (t) => {
    const box = await mailbox('quiet')
    await fill(box, 2)
    const { queryState } = await box.call('Email/query', { filter })
    const changes = await box.call('Email/queryChanges', { filter, sinceQueryState: queryState })
    t.same(changes, {
      accountId: box.accountId,
      oldQueryState: queryState,
      newQueryState: queryState,
      removed: [],
      added: [],
    })
  })

  t.test('added objects are returned with their index, lowest first (RFC 8620 5.6)', async (t) => {
    const box = await mailbox('growing')
    await fill(box, 3)
    const { queryState } = await box.call('Email/query', {})
    const last = await box.receive(mail({ subject: 'Last' }), START - MINUTE)
    const first = await box.receive(mail({ subject: 'First' }), START + 9 * MINUTE)
    const { removed, added, newQueryState } = await box.call('Email/queryChanges', { sinceQueryState: queryState })
    t.same(removed, [])
    t.same(added, [
      { id: first, index: 0 },
      { id: last, index: 4 },
    ])
    t.equal(newQueryState, (await box.call('Email/query', {})).queryState)
  })

  t.test(
    'an object that left the list is removed; a changed one that stays is removed and added (RFC 8620 5.6)',
    async (t) => {
      const box = await mailbox('mutable')
      const [first, second, third] = await fill(box, 3)
      const { queryState } = await box.call('Email/query', { filter })
      await box.call('Email/set', {
        update: { [first!]: { 'keywords/$seen': true }, [second!]: { 'keywords/$flagged': true } },
        destroy: [third!],
      })
      const { removed, added } = await box.call('Email/queryChanges', { filter, sinceQueryState: queryState })
      t.same([...removed].sort(), [first, second, third].sort())
      t.same(added, [{ id: second, index: 0 }])
    },
  )

  t.test('an object that was added and removed meanwhile is not returned', async (t) => {
    const box = await mailbox('brief')
    const { queryState } = await box.call('Email/query', {})
    const id = await box.receive(mail())
    await box.call('Email/set', { destroy: [id] })
    const { removed, added } = await box.call('Email/queryChanges', { sinceQueryState: queryState })
    t.same([removed, added], [[], []])
  })

  t.test('total is returned on request (RFC 8620 5.6)', async (t) => {
    const box = await mailbox('counted')
    const { queryState: sinceQueryState } = await box.call('Email/query', {})
    await fill(box, 2)
    t.equal((await box.call('Email/queryChanges', { sinceQueryState, calculateTotal: true })).total, 2)
    t.notOk('total' in (await box.call('Email/queryChanges', { sinceQueryState })))
  })

  t.test('more than maxChanges is tooManyChanges (RFC 8620 5.6)', async (t) => {
    const box = await mailbox('busy')
    const { queryState: sinceQueryState } = await box.call('Email/query', {})
    await fill(box, 3)
    t.same(await box.call('Email/queryChanges', { sinceQueryState, maxChanges: 2 }), { type: 'tooManyChanges' })
    t.equal((await box.call('Email/queryChanges', { sinceQueryState, maxChanges: 3 })).added.length, 3)
    t.same(await box.call('Email/queryChanges', { sinceQueryState, maxChanges: 0 }), { type: 'tooManyChanges' })
  })

  t.test('a state that the server never returned is cannotCalculateChanges (RFC 8620 5.6)', async (t) => {
    const box = await mailbox('strange')
    for (const sinceQueryState of ['', 'x', '-1', '99999999'])
      t.same(await box.call('Email/queryChanges', { sinceQueryState }), { type: 'cannotCalculateChanges' })
  })

  t.test('a query whose changes cannot be calculated says so, and is refused (RFC 8620 5.5, 5.6)', async (t) => {
    const box = await mailbox('tree')
    for (const args of [{ sortAsTree: true }, { filterAsTree: true }]) {
      const { canCalculateChanges, queryState } = await box.call('Mailbox/query', args)
      t.equal(canCalculateChanges, false)
      t.same(await box.call('Mailbox/queryChanges', { ...args, sinceQueryState: queryState }), {
        type: 'cannotCalculateChanges',
      })
    }
    const { canCalculateChanges, queryState } = await box.call('Mailbox/query', {})
    t.equal(canCalculateChanges, true)
    t.same((await box.call('Mailbox/queryChanges', { sinceQueryState: queryState })).added, [])
  })

  t.test('upToId omits later additions, if filter and sort are immutable (RFC 8620 5.6)', async (t) => {
    const box = await mailbox('upto')
    const ids = await fill(box, 3)
    const { queryState: sinceQueryState } = await box.call('Email/query', {})
    const newest = await box.receive(mail({ subject: 'Newest' }), START + 9 * MINUTE)
    const oldest = await box.receive(mail({ subject: 'Oldest' }), START - 9 * MINUTE)
    const upToId = ids[1]!
    const short = await box.call('Email/queryChanges', { sinceQueryState, upToId })
    t.same(short.added, [{ id: newest, index: 0 }])
    const mutable = await box.call('Email/queryChanges', { sinceQueryState, upToId, filter })
    t.same(
      mutable.added.map(({ id }: { id: string }) => id),
      [newest, oldest],
      'with a mutable filter it is ignored',
    )
    const unknown = await box.call('Email/queryChanges', { sinceQueryState, upToId: 'x' })
    t.equal(unknown.added.length, 2)
  })

  // The count is the same on both engines, and only SQLite writes ten thousand changes fast.
  if (engine !== 'sqlite') return
  t.test('more changes than the server reads are refused, never returned in part', async (t) => {
    const box = await mailbox('restless')
    const [id] = await fill(box, 1)
    const { queryState: sinceQueryState } = await box.call('Email/query', {})
    const number = core.ids.decode(Email, id!)!.object
    const flag = () =>
      store.write([box.account], async (work) => work.account(box.account).change('Email', number, 'u', ['keywords']))
    await Promise.all(Array.from({ length: 10_000 }, flag))
    t.same((await box.call('Email/queryChanges', { sinceQueryState })).added, [{ id, index: 0 }])
    await flag()
    t.same(await box.call('Email/queryChanges', { sinceQueryState }), { type: 'cannotCalculateChanges' })
  })
})
