// Decision D18: the deletion of a large audience
import t from 'tap'
import { silentLogger } from '../../../server/base/logger.ts'
import { audienceRemovalWorker } from '../../../server/workers/audience-removals.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { hearEvents } from '../../support/hear-events.ts'
import { audiencesOf } from './world.ts'

const LEASE = 60_000

await forEachEngine(t, async (t, engine) => {
  const started = await startCore(t, engine)
  const { core, clock } = started
  const { call, audience, add, find, statuses, counts } = audiencesOf(started)
  await hearEvents(started)
  const worker = audienceRemovalWorker({ core, clock, logger: silentLogger })
  const work = async () => {
    worker.start()
    await worker.settled()
    await worker.stop()
  }
  const large = async () => {
    const id = await audience('Large')
    await add(
      id,
      Array.from({ length: 1_000 }, (_, i) => `m${i}@m.test`),
    )
    return id
  }
  const destroy = async (id: string) => (await call('Audience/set', { destroy: [id] })).destroyed

  t.test('it is gone at once for all readers, and its rows go in slices, also after a crash', async (t) => {
    const [id, kept] = [await large(), await audience('Kept')]
    await add(kept, ['m1@m.test', 'other@m.test'])
    const member = await find(id, 'm1@m.test')
    const before = (await call('Subscriber/get', { ids: [] })).state
    t.equal(await core.audienceRemovals.nextAt(), null)
    t.same(await destroy(id), [id])
    t.not(await core.audienceRemovals.nextAt(), null, 'control: rows are left')
    t.same((await call('Audience/get', { ids: [id] })).notFound, [id])
    t.same(await statuses(id), {})
    t.same((await call('Subscriber/get', { ids: [member.id] })).notFound, [member.id])
    t.equal((await call('Subscriber/query', { filter: { email: 'm1@m.test' } })).ids.length, 1)
    const all = await call('Subscriber/query', { calculateTotal: true })
    t.equal(all.total, 2)
    t.equal((await call('Subscriber/get', { ids: null })).list.length, 2)
    t.equal((await call('Subscriber/set', { destroy: [member.id] })).notDestroyed[member.id].type, 'notFound')
    t.equal((await call('Subscriber/unsubscribe', { subscriberId: member.id })).type, 'notFound')
    t.equal((await call('Subscriber/changes', { sinceState: before })).type, 'cannotCalculateChanges')
    await call('OptOut/set', { create: { o: { email: 'm1@m.test' } } })
    t.same(await statuses(kept), { 'm1@m.test': 'unsubscribed', 'other@m.test': 'subscribed' })

    const [dead] = await core.audienceRemovals.claim('dead', 1, LEASE)
    t.ok(dead, 'a worker that dies has it')
    await work()
    t.not(await core.audienceRemovals.nextAt(), null)
    clock.advance(LEASE)
    await work()
    t.equal(await core.audienceRemovals.nextAt(), null)
    await core.audienceRemovals.run(dead!)
    t.same(await statuses(kept), { 'm1@m.test': 'unsubscribed', 'other@m.test': 'subscribed' })
    const { destroyed } = await call('Subscriber/changes', { sinceState: all.queryState })
    t.equal(destroyed.length, 900, 'who listed them anew hears of the others')
  })

  t.test('other writes come in between its slices', async (t) => {
    const [id, other] = [await large(), await audience('Other')]
    await destroy(id)
    const [task] = await core.audienceRemovals.claim('test', 1, LEASE)
    const removal = core.audienceRemovals.run(task!)
    await add(other, ['a@a.test'])
    t.not(await core.audienceRemovals.nextAt(), null, 'it is not over')
    await removal
    t.equal(await core.audienceRemovals.nextAt(), null)
    t.same(await counts(other), [1, 1])
  })

  t.test('a small one goes in one unit of work, and the change log names its members', async (t) => {
    const id = await audience('Small')
    await add(id, ['s1@s.test', 's2@s.test'])
    const { state } = await call('Subscriber/get', { ids: [] })
    await destroy(id)
    t.equal(await core.audienceRemovals.nextAt(), null)
    t.equal(((await call('Subscriber/changes', { sinceState: state })) as Result).destroyed.length, 2)
  })
})
