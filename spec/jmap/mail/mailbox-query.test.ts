import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const { created } = await hello.call('Mailbox/set', {
    create: {
      work: { name: 'Work', sortOrder: 5 },
      zoo: { name: 'Zoo', parentId: '#work', sortOrder: 1 },
      ape: { name: 'Ärger', parentId: '#work', sortOrder: 1, isSubscribed: false },
      deep: { name: 'Deep', parentId: '#zoo' },
      bills: { name: 'bills', sortOrder: 5 },
    },
  })
  const id = (name: string) => created[name].id as string
  const names = async (args: object): Promise<string[]> => {
    const { ids } = await hello.call('Mailbox/query', { ...args })
    const { list } = await hello.call('Mailbox/get', { ids, properties: ['name'] })
    return list.map(({ name }: { name: string }) => name)
  }
  const SYSTEM = ['Inbox', 'Drafts', 'Sent', 'Archive', 'Junk', 'Trash']

  t.test('filters by parent; null is the top level (RFC 8621 2.3)', async (t) => {
    t.same((await names({ filter: { parentId: id('work') } })).sort(), ['Zoo', 'Ärger'])
    t.same((await names({ filter: { parentId: null } })).sort(), [...SYSTEM, 'Work', 'bills'].sort())
    t.same(await names({ filter: { parentId: 'x' } }), [])
  })

  t.test('filters by a part of the name, without case and accents (RFC 8621 2.3)', async (t) => {
    t.same(await names({ filter: { name: 'ARG' } }), ['Ärger'])
    t.same(await names({ filter: { name: 'ill' } }), ['bills'])
  })

  t.test('filters by role, by any role and by subscription (RFC 8621 2.3)', async (t) => {
    t.same(await names({ filter: { role: 'sent' } }), ['Sent'])
    t.same((await names({ filter: { role: null } })).sort(), ['Deep', 'Work', 'Zoo', 'bills', 'Ärger'].sort())
    t.same((await names({ filter: { hasAnyRole: true } })).sort(), SYSTEM.toSorted())
    t.equal((await names({ filter: { hasAnyRole: false } })).length, 5)
    t.same(await names({ filter: { isSubscribed: false } }), ['Ärger'])
  })

  t.test('conditions may be joined (RFC 8620 5.5)', async (t) => {
    const filter = {
      operator: 'OR',
      conditions: [{ role: 'inbox' }, { operator: 'NOT', conditions: [{ isSubscribed: true }] }],
    }
    t.same((await names({ filter })).sort(), ['Inbox', 'Ärger'])
  })

  t.test('sorts by sortOrder and by name, regardless of case (RFC 8621 2.3)', async (t) => {
    const sort = [{ property: 'sortOrder' }, { property: 'name' }]
    t.same(await names({ sort, filter: { role: null } }), ['Deep', 'Ärger', 'Zoo', 'bills', 'Work'])
    const reversed = sort.map((one) => ({ ...one, isAscending: false }))
    t.same(await names({ sort: reversed, filter: { role: null } }), ['Work', 'bills', 'Zoo', 'Ärger', 'Deep'])
  })

  t.test('sortAsTree puts children after their parent, siblings in order (RFC 8621 2.3)', async (t) => {
    const sort = [{ property: 'name' }]
    const filter = { role: null }
    t.same(await names({ sort, filter, sortAsTree: true }), ['bills', 'Work', 'Ärger', 'Zoo', 'Deep'])
    const descending = [{ property: 'name', isAscending: false }]
    t.same(await names({ sort: descending, filter, sortAsTree: true }), ['Work', 'Zoo', 'Deep', 'Ärger', 'bills'])
  })

  t.test('filterAsTree omits mailboxes below an omitted one (RFC 8621 2.3)', async (t) => {
    const filter = { operator: 'NOT', conditions: [{ name: 'Zoo' }] }
    t.ok((await names({ filter })).includes('Deep'), 'control')
    const kept = await names({ filter, filterAsTree: true })
    t.notOk(kept.includes('Deep'))
    t.ok(kept.includes('Ärger'))
  })

  t.test('an empty condition matches all mailboxes; several properties must all match (RFC 8621 2.3)', async (t) => {
    t.equal((await names({ filter: {} })).length, SYSTEM.length + 5)
    t.same(await names({ filter: { parentId: id('work'), isSubscribed: true } }), ['Zoo'])
    t.same(await names({ filter: { parentId: id('work'), role: 'inbox' } }), [])
  })

  t.test('with sortAsTree and filterAsTree, a cut tree stays in order (RFC 8621 2.3)', async (t) => {
    const filter = { operator: 'NOT', conditions: [{ name: 'bills' }, { hasAnyRole: true }] }
    const sort = [{ property: 'sortOrder' }, { property: 'name' }]
    t.same(await names({ filter, sort, sortAsTree: true, filterAsTree: true }), ['Work', 'Ärger', 'Zoo', 'Deep'])
    const without = { operator: 'NOT', conditions: [{ name: 'Work' }] }
    const kept = await names({ filter: without, filterAsTree: true })
    t.same(
      kept.filter((name) => ['Work', 'Ärger', 'Zoo', 'Deep'].includes(name)),
      [],
    )
  })

  t.test('a creation id in a filter means the created object (RFC 8620 5.3)', async (t) => {
    const box = await mailbox('created')
    const { ids } = await box.call('Mailbox/query', { filter: { parentId: '#work' } })
    t.same(ids, [], 'in another request it means nothing')
  })

  t.test('queryChanges follows a list as mailboxes change (RFC 8621 2.4)', async (t) => {
    const box = await mailbox('following')
    const query = { filter: { hasAnyRole: false }, sort: [{ property: 'name' }] }
    const { queryState } = await box.call('Mailbox/query', query)
    const made = await box.call('Mailbox/set', { create: { b: { name: 'Beta' }, a: { name: 'Alpha' } } })
    const changes = await box.call('Mailbox/queryChanges', { ...query, sinceQueryState: queryState })
    t.same(changes.added, [
      { id: made.created.a.id, index: 0 },
      { id: made.created.b.id, index: 1 },
    ])
    await box.call('Mailbox/set', { update: { [made.created.a.id]: { name: 'Omega' } } })
    const later = await box.call('Mailbox/queryChanges', { ...query, sinceQueryState: changes.newQueryState })
    t.same([later.removed, later.added], [[made.created.a.id], [{ id: made.created.a.id, index: 1 }]])
  })
})
