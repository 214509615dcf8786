import t from 'tap'
import { startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine)
  const hello = await mailbox('hello')
  /** Oldest first. */
  const ids: string[] = []
  for (let i = 0; i < 6; i++)
    ids.push(await hello.receive(mail({ subject: `Number ${i}`, id: `${i}@example.org` }), START + i * MINUTE))
  const newest = ids.toReversed()
  const query = (args: object) => hello.call('Email/query', { ...args })

  t.test('without a filter all objects are listed, and total only on request (RFC 8620 5.5)', async (t) => {
    const result = await query({})
    t.same(result.ids, newest)
    t.match(result, { position: 0, canCalculateChanges: true, accountId: hello.accountId })
    t.notOk('total' in result)
    t.equal((await query({ calculateTotal: true })).total, 6)
  })

  t.test('the server returns the limit that it sets, not the given one (RFC 8620 5.5)', async (t) => {
    t.type((await query({})).limit, 'number')
    t.type((await query({ limit: null })).limit, 'number')
    t.notOk('limit' in (await query({ limit: 3 })))
    t.equal((await query({ limit: 1_000_000_000 })).limit, (await query({})).limit)
  })

  t.test('position and limit cut the list, and the returned position is absolute (RFC 8620 5.5)', async (t) => {
    const result = await query({ position: 2, limit: 3 })
    t.same(result.ids, newest.slice(2, 5))
    t.equal(result.position, 2)
    t.same((await query({ limit: 0 })).ids, [])
  })

  t.test('a negative position counts from the end, not below the first (RFC 8620 5.5)', async (t) => {
    const last = await query({ position: -2 })
    t.same([last.ids, last.position], [newest.slice(-2), 4])
    const all = await query({ position: -100, limit: 1 })
    t.same([all.ids, all.position], [newest.slice(0, 1), 0])
  })

  t.test('a position beyond the end gives no ids, and is no error (RFC 8620 5.5)', async (t) => {
    t.same((await query({ position: 6 })).ids, [])
    t.same((await query({ position: 600 })).ids, [])
  })

  t.test('an anchor takes precedence over the position, and +1 is the next one (pitfall 13)', async (t) => {
    const anchor = newest[3]!
    const at = await query({ anchor, position: 1, limit: 1 })
    t.same([at.ids, at.position], [[anchor], 3])
    const next = await query({ anchor, anchorOffset: 1, limit: 1 })
    t.same([next.ids, next.position], [[newest[4]], 4])
    const before = await query({ anchor, anchorOffset: -2, limit: 2 })
    t.same([before.ids, before.position], [newest.slice(1, 3), 1])
  })

  t.test('an anchor with an offset above the first begins at the first (RFC 8620 5.5)', async (t) => {
    const result = await query({ anchor: newest[1]!, anchorOffset: -9, limit: 2 })
    t.same([result.ids, result.position], [newest.slice(0, 2), 0])
  })

  t.test('without an anchor the offset is ignored (RFC 8620 5.5)', async (t) => {
    t.equal((await query({ anchorOffset: 3 })).position, 0)
  })

  t.test('an anchor that is not in the list is anchorNotFound (RFC 8620 5.5)', async (t) => {
    const other = await mailbox('other')
    const foreign = await other.receive(mail())
    for (const anchor of ['x', '', '#x', foreign, hello.roles['inbox']!])
      t.same(await query({ anchor }), { type: 'anchorNotFound' })
    t.same(await query({ anchor: ids[0]!, filter: { subject: 'Number 1' } }), { type: 'anchorNotFound' })
  })

  t.test('AND, OR and NOT combine conditions (RFC 8620 5.5)', async (t) => {
    const early = { before: '2026-01-01T00:02:00Z' }
    const odd = { operator: 'OR', conditions: [{ subject: '1' }, { subject: '3' }] }
    t.same((await query({ filter: odd })).ids, [ids[3], ids[1]])
    t.same((await query({ filter: { operator: 'AND', conditions: [early, odd] } })).ids, [ids[1]])
    t.same((await query({ filter: { operator: 'NOT', conditions: [early, odd] } })).ids, [ids[5], ids[4], ids[2]])
  })

  t.test('operators without conditions, and conditions without members, have their defined results', async (t) => {
    t.same((await query({ filter: {} })).ids, newest)
    t.same((await query({ filter: { operator: 'AND', conditions: [] } })).ids, newest)
    t.same((await query({ filter: { operator: 'NOT', conditions: [] } })).ids, newest)
    t.same((await query({ filter: { operator: 'OR', conditions: [] } })).ids, [])
    t.same((await query({ filter: { operator: 'NOT', conditions: [{}] } })).ids, [])
  })

  t.test('a malformed filter is invalidArguments (RFC 8620 5.5)', async (t) => {
    for (const filter of [
      { operator: 'XOR', conditions: [] },
      { operator: 'AND' },
      { operator: 'AND', conditions: [null] },
      { operator: 'AND', conditions: {} },
      { subject: 1 },
      { before: 'yesterday' },
      { hasAttachment: 'yes' },
      { inMailbox: null },
      { header: [] },
      { header: ['a', 'b', 'c'] },
      'text',
      [],
    ])
      t.match(await query({ filter }), { type: 'invalidArguments' }, JSON.stringify(filter))
  })

  t.test('a condition that the type does not have is unsupportedFilter (RFC 8620 5.5)', async (t) => {
    t.match(await query({ filter: { nonsense: true } }), { type: 'unsupportedFilter' })
    t.match(await query({ filter: { constructor: true } }), { type: 'unsupportedFilter' })
  })

  t.test('a filter that is too deep or too wide is unsupportedFilter', async (t) => {
    let deep: object = {}
    for (let i = 0; i < 60; i++) deep = { operator: 'NOT', conditions: [deep] }
    t.match(await query({ filter: deep }), { type: 'unsupportedFilter' })
    const wide = { operator: 'OR', conditions: Array.from({ length: 5_000 }, () => ({ minSize: 1 })) }
    t.match(await query({ filter: wide }), { type: 'unsupportedFilter' })
  })

  t.test('a malformed sort is invalidArguments, an unknown one is unsupportedSort (RFC 8620 5.5)', async (t) => {
    t.match(await query({ sort: [{}] }), { type: 'invalidArguments' })
    t.match(await query({ sort: [{ property: 'size', isAscending: 'yes' }] }), { type: 'invalidArguments' })
    t.match(await query({ sort: { property: 'size' } }), { type: 'invalidArguments' })
    t.match(await query({ sort: [{ property: 'nonsense' }] }), { type: 'unsupportedSort' })
    t.match(await query({ sort: [{ property: 'preview' }] }), { type: 'unsupportedSort' })
    t.match(await query({ sort: [{ property: 'subject', collation: 'i;nonsense' }] }), { type: 'unsupportedSort' })
    t.ok((await query({ sort: [{ property: 'subject', collation: 'i;unicode-casemap' }] })).ids)
  })

  t.test('an empty sort is no sort (RFC 8620 5.5)', async (t) => {
    t.same((await query({ sort: [] })).ids, newest)
  })

  t.test('the state of a query changes with its results (RFC 8620 5.5)', async (t) => {
    const box = await mailbox('stateful')
    const look = async () => (await box.call('Email/query', {})).queryState
    const empty = await look()
    const id = await box.receive(mail())
    const one = await look()
    t.not(one, empty)
    t.equal(await look(), one)
    await box.call('Email/set', { destroy: [id] })
    t.not(await look(), one)
  })
})
