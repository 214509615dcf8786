// Decisions D18, D19: newsletters over JMAP
import t from 'tap'
import { Newsletter } from '../../../jmap/newsletters/newsletter/newsletter.type.ts'
import { updateNewsletter } from '../../../storage/repos/newsletters.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { audiencesOf } from './world.ts'

const BLOCKS = [{ type: 'paragraph', body: 'Hi {{first_name|you}}' }]

await forEachEngine(t, async (t, engine) => {
  const started = await startCore(t, engine)
  const { store, organization, core } = started
  const { call, audience } = audiencesOf(started)
  const create = async (record: object) =>
    (await call('Newsletter/set', { create: { n: { blocks: BLOCKS, ...record } } })) as never as {
      created: { n: { id: string } }
      notCreated: { n: { type: string; properties: string[]; faults?: object[] } }
    }
  const setStatus = (id: string, status: 'sent' | 'cancelled') =>
    store.write([organization.account], async (work) => {
      const unit = work.account(organization.account)
      const number = core.ids.decode(Newsletter, id)!.object
      await updateNewsletter(unit, number, { status })
      unit.change(Newsletter.name, number, 'u', ['status'])
    })

  t.test('created, read, found, changed and deleted, with states', async (t) => {
    const audienceId = await audience()
    const { newState: before } = await call('Newsletter/set', {})
    const { id } = (await create({ subject: 'May', audienceId })).created.n
    const other = (await create({ subject: 'June' })).created.n.id
    const { list } = await call('Newsletter/get', { ids: [id], properties: ['subject', 'status', 'blocks'] })
    t.same(list, [{ id, subject: 'May', status: 'draft', blocks: BLOCKS }])
    t.same((await call('Newsletter/query', { filter: { audienceId } })).ids, [id])
    t.same((await call('Newsletter/query', { filter: { status: 'draft' } })).ids, [other, id])
    t.same((await call('Newsletter/query', { filter: { operator: 'NOT', conditions: [{ audienceId }] } })).ids, [other])
    t.same((await call('Newsletter/changes', { sinceState: before })).created, [id, other])
    const query = await call('Newsletter/query', { filter: { status: 'draft' } })
    const changed = await call('Newsletter/set', { update: { [id]: { subject: 'Late May' } } })
    t.match(changed.updated[id], { updatedAt: /Z$/ })
    await setStatus(id, 'sent')
    const changes = await call('Newsletter/queryChanges', {
      filter: { status: 'draft' },
      sinceQueryState: query.queryState,
    })
    t.ok(changes.removed.includes(id))
    t.same((await call('Newsletter/set', { destroy: [other] })).destroyed, [other])
    t.same((await call('Newsletter/get', { ids: [other] })).notFound, [other])
  })

  t.test('only drafts are changed, only drafts and cancelled ones deleted', async (t) => {
    const { id } = (await create({})).created.n
    t.match(
      await call('Newsletter/set', { update: { [id]: { subject: 'x' } } }),
      { notUpdated: null },
      'control: a draft',
    )
    await setStatus(id, 'sent')
    t.match((await call('Newsletter/set', { update: { [id]: { subject: 'y' } } })).notUpdated[id], {
      type: 'invalidState',
    })
    t.match((await call('Newsletter/set', { destroy: [id] })).notDestroyed[id], { type: 'invalidState' })
    await setStatus(id, 'cancelled')
    t.same((await call('Newsletter/set', { destroy: [id] })).destroyed, [id])
  })

  t.test('faults name the place within the blocks', async (t) => {
    const { notCreated } = await create({ blocks: [...BLOCKS, { type: 'spacer', height: 7 }] })
    t.match(notCreated.n, {
      type: 'invalidProperties',
      properties: ['blocks'],
      faults: [{ path: 'blocks/1/height', code: 'out_of_range' }],
    })
    t.match((await create({ textOverride: 'x'.repeat(512_001) })).notCreated.n, { properties: ['textOverride'] })
    t.match((await create({ blocks: BLOCKS.flatMap(() => Array(202).fill({ type: 'divider' })) })).notCreated.n, {
      properties: ['blocks'],
    })
  })

  t.test('an audience that is deleted is no longer named', async (t) => {
    const audienceId = await audience()
    const { id } = (await create({ audienceId })).created.n
    await call('Audience/set', { destroy: [audienceId] })
    t.equal((await call('Newsletter/get', { ids: [id], properties: ['audienceId'] })).list[0].audienceId, null)
  })
})
