import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { mail } from '../mails.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)

/** A list that a client follows by queryChanges only. */
async function follow(box: TestMailbox, query: object) {
  const first = await box.call('Email/query', { ...query })
  let ids: string[] = first.ids
  let state: string = first.queryState
  return async () => {
    const changes = await box.call('Email/queryChanges', { ...query, sinceQueryState: state })
    ids = ids.filter((id) => !changes.removed.includes(id))
    for (const { id, index } of changes.added) ids.splice(index, 0, id)
    state = changes.newQueryState
    return { ids, fresh: (await box.call('Email/query', { ...query })).ids as string[], changes }
  }
}

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine)
  const patch = (box: TestMailbox, id: string, value: object) =>
    box.call('Email/set', { update: { [id]: { ...value } } })
  const conversation = async (box: TestMailbox) =>
    [
      await box.receive(mail({ id: 'a@x', subject: 'Plans' }), START),
      await box.receive(mail({ id: 'b@x', inReplyTo: 'a@x', subject: 'Re: Plans' }), START + MINUTE),
      await box.receive(mail({ id: 'c@x', subject: 'Other' }), START + 2 * MINUTE),
    ] as const

  t.test('the list of a mailbox follows moves in and out (RFC 8621 4.5)', async (t) => {
    const box = await mailbox('moves')
    const [first] = await conversation(box)
    const inbox = await follow(box, { filter: { inMailbox: box.roles['inbox']! } })
    const archive = await follow(box, { filter: { inMailbox: box.roles['archive']! } })
    await patch(box, first, { mailboxIds: { [box.roles['archive']!]: true } })
    for (const list of [await inbox(), await archive()]) t.same(list.ids, list.fresh)
    t.same((await archive()).ids, [first])
  })

  t.test('a list by a keyword of the thread moves when another email of it changes (pitfall 12)', async (t) => {
    const box = await mailbox('threadwords')
    const [first, second, third] = await conversation(box)
    const some = await follow(box, { filter: { someInThreadHaveKeyword: '$flagged' } })
    const none = await follow(box, { filter: { noneInThreadHaveKeyword: '$flagged' } })
    await patch(box, first, { 'keywords/$flagged': true })
    t.same((await some()).ids, [second, first])
    t.same((await none()).ids, [third])
    await box.call('Email/set', { destroy: [first] })
    t.same((await some()).ids, [])
    t.same((await none()).ids, [third, second])
  })

  t.test('a sort by a keyword of the thread moves all of it (pitfall 12)', async (t) => {
    const box = await mailbox('threadsort')
    const [first, second, third] = await conversation(box)
    const sort = [
      { property: 'someInThreadHaveKeyword', keyword: '$flagged', isAscending: false },
      { property: 'receivedAt' },
    ]
    const list = await follow(box, { sort })
    await patch(box, second, { 'keywords/$flagged': true })
    t.same((await list()).ids, [first, second, third])
    await patch(box, third, { 'keywords/$flagged': true })
    await patch(box, second, { 'keywords/$flagged': null })
    t.same((await list()).ids, [third, first, second])
  })

  t.test('a collapsed thread shows another email when the shown one is destroyed (RFC 8621 4.5)', async (t) => {
    const box = await mailbox('exemplar')
    const [first, second, third] = await conversation(box)
    const list = await follow(box, { collapseThreads: true })
    t.same((await list()).ids, [third, second])
    await box.call('Email/set', { destroy: [second] })
    t.same((await list()).ids, [third, first])
    const late = await box.receive(mail({ id: 'd@x', inReplyTo: 'a@x', subject: 'Re: Plans' }), START + 9 * MINUTE)
    t.same((await list()).ids, [late, third])
  })

  t.test('a collapsed and filtered thread returns with another of its emails (RFC 8621 4.5)', async (t) => {
    const box = await mailbox('filtered')
    const [first, second] = await conversation(box)
    const list = await follow(box, { collapseThreads: true, filter: { notKeyword: '$seen' } })
    await patch(box, second, { 'keywords/$seen': true })
    let { ids, fresh } = await list()
    t.same(ids, fresh)
    t.ok(ids.includes(first))
    await patch(box, first, { 'keywords/$seen': true })
    ;({ ids, fresh } = await list())
    t.same(ids, fresh)
    t.equal(ids.length, 1)
  })

  t.test('a text search follows new mail (RFC 8621 4.5)', async (t) => {
    const box = await mailbox('search')
    const list = await follow(box, { filter: { text: 'needle' } })
    await box.receive(mail({ body: 'hay' }))
    const found = await box.receive(mail({ body: 'a needle in it' }))
    t.same((await list()).ids, [found])
    await box.call('Email/set', { destroy: [found] })
    t.same((await list()).ids, [])
  })

  t.test('a list by a header field follows changes', async (t) => {
    const box = await mailbox('header')
    const list = await follow(box, { filter: { header: ['X-Tag', 'one'] } })
    await box.receive(mail({ headers: ['X-Tag: two'] }))
    const found = await box.receive(mail({ headers: ['X-Tag: one'] }))
    t.same((await list()).ids, [found])
  })

  t.test('a change that the list does not depend on may be returned, and is harmless', async (t) => {
    const box = await mailbox('unrelated')
    const [first] = await conversation(box)
    const list = await follow(box, { sort: [{ property: 'receivedAt' }] })
    await patch(box, first, { 'keywords/anything': true })
    const { ids, fresh } = await list()
    t.same(ids, fresh)
  })

  t.test(
    'changes of text, mailbox and keyword filters are calculated, collapsed or not, as advertised (RFC 8620 5.5, 5.6)',
    async (t) => {
      const box = await mailbox('calculated')
      for (const query of shapes(box)) {
        const first = await box.call('Email/query', { ...query })
        t.equal(first.canCalculateChanges, true, JSON.stringify(query))
        const changes = await box.call('Email/queryChanges', { ...query, sinceQueryState: first.queryState })
        matchWhole(t, changes, { oldQueryState: first.queryState, removed: [], added: [] }, JSON.stringify(query))
      }
    },
  )

  t.test('a list with a text search sees emails that leave by another condition', async (t) => {
    const box = await mailbox('textmoves')
    const inbox = box.roles['inbox']!
    const found = await box.receive(mail({ body: 'a needle' }), START)
    const list = await follow(box, { filter: { text: 'needle', inMailbox: inbox, notKeyword: '$seen' } })
    t.same((await list()).ids, [found])
    await patch(box, found, { 'keywords/$seen': true })
    t.same((await list()).ids, [])
    await patch(box, found, { 'keywords/$seen': null })
    t.same((await list()).ids, [found])
    await patch(box, found, { mailboxIds: { [box.roles['archive']!]: true } })
    t.same((await list()).ids, [])
  })

  t.test('a collapsed text search shows another email of the thread when the shown one is destroyed', async (t) => {
    const box = await mailbox('textcollapsed')
    const subject = 'needle'
    const first = await box.receive(mail({ id: 'a@x', subject }), START)
    const second = await box.receive(mail({ id: 'b@x', inReplyTo: 'a@x', subject: 'Re: needle' }), START + MINUTE)
    const list = await follow(box, { filter: { subject: 'needle' }, collapseThreads: true })
    t.same((await list()).ids, [second])
    await box.call('Email/set', { destroy: [second] })
    t.same((await list()).ids, [first])
  })

  t.test('lists of all kinds follow a long history (RFC 8621 4.5)', async (t) => {
    const box = await mailbox('history')
    const queries = shapes(box)
    const lists = await Promise.all(queries.map((query) => follow(box, query)))
    const random = numbers(7)
    const next = (below: number) => Math.floor(random.next().value! * below)
    const mailboxes = ['inbox', 'archive', 'trash'].map((role) => box.roles[role]!)
    const live: string[] = []
    for (let step = 0; step < 60; step++) {
      const id = live[next(live.length)]
      const kind = id === undefined ? 0 : next(10)
      if (kind < 4) live.push(await box.receive(randomMail(step, next), START + next(1_000) * 1_000))
      else if (kind < 6) await patch(box, id!, { mailboxIds: { [mailboxes[next(3)]!]: true } })
      else if (kind < 9)
        await patch(box, id!, { [`keywords/${next(2) ? '$seen' : '$flagged'}`]: next(2) ? true : null })
      else await box.call('Email/set', { destroy: live.splice(live.indexOf(id!), 1) })
      if (step % 5 !== 4) continue
      for (const [i, list] of lists.entries()) {
        const { ids, fresh } = await list()
        t.same(ids, fresh, `step ${step}: ${JSON.stringify(queries[i])}`)
      }
    }
  })
})

/** In receivedAt order; with mailboxes, keywords and texts, alone and together. */
function shapes(box: TestMailbox): JsonObject[] {
  const inMailbox = box.roles['inbox']!
  const filters: JsonObject[] = [
    { inMailbox },
    { text: 'needle' },
    { subject: 'topic1', notKeyword: '$seen' },
    { inMailbox, text: 'needle', someInThreadHaveKeyword: '$flagged' },
    { operator: 'OR', conditions: [{ hasKeyword: '$flagged' }, { body: 'hay*' }] },
    { operator: 'AND', conditions: [{ text: 'needle' }, { operator: 'NOT', conditions: [{ text: 'topic2' }] }] },
    { header: ['X-Tag'] },
    { header: ['X-Tag', 'one'], inMailbox },
  ]
  return filters.flatMap((filter) =>
    [false, true].map((collapseThreads, i) => ({
      filter,
      collapseThreads,
      sort: [{ property: 'receivedAt', isAscending: i === 1 && 'text' in filter }],
    })),
  )
}

function randomMail(step: number, next: (below: number) => number): string {
  const thread = next(4)
  return mail({
    id: `${step}@x`,
    ...(next(2) && { inReplyTo: `root${thread}@x` }),
    subject: `topic${thread}`,
    body: ['needle', 'haystack', 'neither', 'needle in a haystack'][next(4)]!,
    headers: [[], ['X-Tag: one'], ['X-Tag: two']][next(3)]!,
  })
}

/** The same sequence of numbers from 0 to 1 on every run. */
function* numbers(seed: number) {
  let state = seed
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}
