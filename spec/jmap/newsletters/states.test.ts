// Decision D18: what moves subscribers, and the opt-outs that outlive them.
import t from 'tap'
import { suppress } from '../../../jmap/policy/suppression/suppress.ts'
import type { SuppressionTable } from '../../../storage/schema/tables.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { audiencesOf } from './world.ts'

const EVENTS = ['subscriber.unsubscribed', 'subscriber.bounced', 'subscriber.complained']

await forEachEngine(t, async (t, engine) => {
  const started = await startCore(t, engine)
  const { core, store, organization, organizationWith } = started
  const { call, add, find, audience, statuses, counts } = audiencesOf(started)
  const hook = { url: 'https://hooks.example.org/', events: EVENTS }
  await call('Webhook/set', { create: { w: hook } })
  /** Type and data of the events since the last call. */
  let seen = 0
  const news = async (): Promise<[string, Result][]> => {
    const { ids } = await call('WebhookDelivery/query', { sort: [{ property: 'createdAt', isAscending: true }] })
    const { list } = await call('WebhookDelivery/get', {
      ids: ids.slice(seen),
      properties: ['eventType', 'requestBody'],
    })
    seen = ids.length
    return list.map(({ eventType, requestBody }: Result) => [eventType, JSON.parse(requestBody).data])
  }
  /** As the queue records a bounce or a complaint about a newsletter. */
  const suppressed = (address: string, reason: SuppressionTable['reason'], newsletterId: string | null = 'nws_1') =>
    store.write([organization.account], (work) =>
      suppress(work.account(organization.account), core.ids, address, { reason, newsletterId }),
    )

  t.test('unsubscribing opts out of the organization, in all audiences, once', async (t) => {
    const [one, two] = [await audience('One'), await audience('Two')]
    for (const id of [one, two]) await add(id, ['a@one.example', 'b@one.example'])
    const foreign = await organizationWith('states.test')
    const theirs = audiencesOf(started, foreign.accountId)
    const far = await theirs.audience()
    await theirs.add(far, ['a@one.example'])
    const { id: subscriberId } = await find(one, 'a@one.example')
    const { subscriber } = await call('Subscriber/unsubscribe', { subscriberId })
    t.match(subscriber, { id: subscriberId, email: 'a@one.example', status: 'unsubscribed' })
    t.same(await statuses(two), { 'a@one.example': 'unsubscribed', 'b@one.example': 'subscribed' })
    t.same(
      [await counts(one), await counts(two)],
      [
        [2, 1],
        [2, 1],
      ],
    )
    t.same(await theirs.statuses(far), { 'a@one.example': 'subscribed' }, 'not in another organization')
    const told = await news()
    t.same(
      told.map(([type]) => type),
      ['subscriber.unsubscribed', 'subscriber.unsubscribed'],
    )
    t.same(new Set(told.map(([, data]) => data.audience_id)), new Set([one, two]))
    t.match(told[0]![1], { subscriber_id: /^sub_/, email_address: 'a@one.example', newsletter_id: null })
    const state = (await call('OptOut/get', { ids: [] })).state
    t.same(
      (await call('Subscriber/unsubscribe', { subscriberId })).subscriber,
      subscriber,
      'repeating it changes nothing',
    )
    t.same([(await call('OptOut/get', { ids: [] })).state, await news()], [state, []])
    t.match(await call('Subscriber/unsubscribe', { subscriberId: 'none' }), { type: 'notFound' })
  })

  t.test('an opt-out can be read and added, but neither changed nor destroyed by clients', async (t) => {
    const id = await audience()
    await add(id, ['c@opt.example'])
    const { created } = await call('OptOut/set', { create: { o: { email: ' C@OPT.example ' } } })
    t.match(created.o, { id: /^opt_/, email: 'c@opt.example', source: 'api' })
    t.same(await statuses(id), { 'c@opt.example': 'unsubscribed' })
    const again = await call('OptOut/set', { create: { o: { email: 'c@opt.example' } } })
    t.match(again.notCreated.o, { type: 'alreadyExists', existingId: created.o.id })
    t.match((await call('OptOut/set', { create: { o: { email: 'x' } } })).notCreated.o, { properties: ['email'] })
    t.match((await call('OptOut/set', { destroy: [created.o.id] })).notDestroyed[created.o.id], { type: 'forbidden' })
    t.same((await call('OptOut/query', { filter: { email: 'c@opt.example' } })).ids, [created.o.id])
    const before = { operator: 'NOT', conditions: [{ email: 'c@opt.example' }] }
    t.notOk((await call('OptOut/query', { filter: before })).ids.includes(created.o.id))
    await news()
  })

  t.test('a suppression by other mail suspends subscribers until it is removed', async (t) => {
    const id = await audience()
    await add(id, ['d@sup.example', 'e@sup.example', 'f@sup.example'])
    const { created } = await call('Suppression/set', {
      create: { d: { email: 'd@sup.example' }, e: { email: 'E@sup.example' } },
    })
    await suppressed('f@sup.example', 'hard_bounce', null)
    t.same(Object.values(await statuses(id)), Array(3).fill('suppressed'))
    t.same(await counts(id), [3, 0])
    await call('OptOut/set', { create: { o: { email: 'e@sup.example' } } })
    await call('Suppression/set', { destroy: [created.d.id, created.e.id] })
    t.match(await statuses(id), {
      'd@sup.example': 'subscribed',
      'e@sup.example': 'unsubscribed',
      'f@sup.example': 'suppressed',
    })
    t.same(await counts(id), [3, 1])
    t.same(await news(), [], 'no event')
  })

  t.test('a bounce and a complaint about a newsletter move to states of their own, with events', async (t) => {
    const [one, two] = [await audience('One'), await audience('Two')]
    for (const id of [one, two]) await add(id, ['g@bounce.example', 'h@bounce.example'])
    await suppressed('G@bounce.example', 'hard_bounce')
    await suppressed('h@bounce.example', 'complaint')
    t.same(await statuses(two), { 'g@bounce.example': 'bounced', 'h@bounce.example': 'complained' })
    t.same(await counts(one), [2, 0])
    const told = await news()
    t.same(
      told.map(([type]) => type).sort(),
      ['bounced', 'bounced', 'complained', 'complained'].map((name) => `subscriber.${name}`),
    )
    t.match(told[0]![1], { email_address: 'g@bounce.example', newsletter_id: 'nws_1' })
    t.equal(
      (await call('OptOut/query', { filter: { email: 'h@bounce.example' } })).ids.length,
      1,
      'a complaint opts out',
    )
    t.equal((await call('OptOut/query', { filter: { email: 'g@bounce.example' } })).ids.length, 0, 'a bounce does not')
    const { ids } = await call('Suppression/query', { filter: {} })
    await call('Suppression/set', { destroy: ids })
    t.same(await statuses(two), { 'g@bounce.example': 'subscribed', 'h@bounce.example': 'complained' })
    t.same(await add(two, ['g@bounce.example', 'h@bounce.example']), ['updated', 'skipped_not_mailable'])
    await news()
  })

  t.test('lists are filtered and paged, and changes are told', async (t) => {
    const id = await audience()
    const state = (await call('Subscriber/get', { ids: [] })).state
    await add(id, ['1@page.example', '2@page.example', '3@page.example', '4@page.example'])
    const all = (await call('Subscriber/query', { filter: { audienceId: id } })).ids
    t.equal(all.length, 4)
    t.same(
      (await call('Subscriber/query', { filter: { audienceId: id }, sort: [{ property: 'createdAt' }] })).ids,
      [...all].reverse(),
    )
    t.same((await call('Subscriber/query', { filter: { audienceId: id, beforeId: all[1] }, limit: 1 })).ids, [all[2]])
    const filter = { audienceId: id, status: 'subscribed' }
    const { queryState } = await call('Subscriber/query', { filter })
    const gone = await find(id, '2@page.example')
    await call('Subscriber/unsubscribe', { subscriberId: gone.id })
    const { removed, added, total } = await call('Subscriber/queryChanges', {
      filter,
      sinceQueryState: queryState,
      calculateTotal: true,
    })
    t.same([removed, added, total], [[gone.id], [], 3])
    t.same((await call('Subscriber/query', { filter: { ...filter, status: 'unsubscribed' } })).ids, [gone.id])
    const only = { audienceId: id, email: '2@page.example' }
    for (const [more, count] of [
      [{}, 1],
      [{ status: 'subscribed' }, 0],
      [{ beforeId: gone.id }, 0],
      [{ beforeId: all[0] }, 1],
    ] as const)
      t.equal((await call('Subscriber/query', { filter: { ...only, ...more } })).ids.length, count)
    const either = { operator: 'OR', conditions: [{ email: '1@page.example' }, { email: '4@page.example' }] }
    t.equal((await call('Subscriber/query', { filter: either, calculateTotal: true })).total, 2)
    t.same((await call('Subscriber/changes', { sinceState: state })).created.sort(), [...all].sort())
    await call('Subscriber/set', { destroy: [gone.id] })
    t.same(await counts(id), [3, 3])
    t.match(await call('Subscriber/set', { destroy: [gone.id] }), { notDestroyed: { [gone.id]: { type: 'notFound' } } })
    const [first] = all
    const update = { [first]: { displayName: 'One', 'mergeFields/city': 'Rome' } }
    t.match(await call('Subscriber/set', { update }), { updated: { [first]: { updatedAt: /Z$/ } } })
    t.match((await call('Subscriber/get', { ids: [first] })).list, [
      { displayName: 'One', mergeFields: { city: 'Rome' } },
    ])
    const wrong = { [first]: { mergeFields: { '1': 2 } } }
    t.match((await call('Subscriber/set', { update: wrong })).notUpdated[first], { properties: ['mergeFields'] })
    await news()
  })

  t.test('a key that is limited to a mailbox knows nothing of audiences', async (t) => {
    const id = await audience()
    await add(id, ['z@limit.example'])
    const { accountId: mailboxId } = await started.mailbox('limited')
    const { principal } = await started.key({ scopes: ['audiences:read', 'audiences:write'], mailboxIds: [mailboxId] })
    const { accountId } = organization
    const limited = async (name: string, args: object): Promise<Result> =>
      (await started.request([[name, { accountId, ...args }]], principal))[0]![1]
    t.same((await limited('Audience/get', { ids: [id] })).notFound, [id])
    t.same((await limited('Subscriber/query', {})).ids, [])
    t.match((await limited('Audience/set', { create: { a: { name: 'x', consentSource: 'y' } } })).notCreated.a, {
      type: 'forbidden',
    })
    t.match(await limited('Subscriber/add', { audienceId: id, subscribers: [{ email: 'a@limit.example' }] }), {
      type: 'forbidden',
    })
    t.match((await limited('OptOut/set', { create: { o: { email: 'z@limit.example' } } })).notCreated.o, {
      type: 'forbidden',
    })
    t.same(await statuses(id), { 'z@limit.example': 'subscribed' })
    const writer = await started.key({ scopes: ['audiences:write'] })
    const [read] = await started.request([['Audience/get', { accountId, ids: [id] }]], writer.principal)
    t.equal((read as Result)[1].list.length, 1, 'control: the scope for writing allows reading (decision D6)')
  })
})
