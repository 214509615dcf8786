// Decisions D18, D19: newsletters over JMAP
import t from 'tap'
import { Newsletter } from '../../../jmap/newsletters/newsletter/newsletter.type.ts'
import { updateNewsletter } from '../../../storage/repos/newsletters.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { audiencesOf } from './world.ts'

/** Octets of all contents. */
const MOST = 1_200_000
const BLOCKS = [{ type: 'paragraph', body: 'Hi {{first_name|you}}' }]

await forEachEngine(t, async (t, engine) => {
  const started = await startCore(t, engine, { newsletterContentBytes: MOST })
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
    for (const patch of [
      { subject: 'y' },
      { archiveVisibility: 'public', name: 'y' },
      { blocks: BLOCKS.concat(BLOCKS) },
    ])
      t.match((await call('Newsletter/set', { update: { [id]: patch } })).notUpdated[id], { type: 'invalidState' })
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

  t.test('the visibility in the archive changes in every state, and nothing else with it', async (t) => {
    const { id } = (await create({ subject: 'x' })).created.n
    const { list, state } = await call('Newsletter/get', { ids: [id] })
    for (const [status, archiveVisibility] of [
      ['sent', 'public'],
      ['cancelled', 'unlisted'],
      ['sent', 'private'],
    ] as const) {
      await setStatus(id, status)
      const set = await call('Newsletter/set', { update: { [id]: { archiveVisibility } } })
      t.match(set, { updated: { [id]: { updatedAt: /Z$/ } }, notUpdated: null })
      const { updatedAt, ...now } = (await call('Newsletter/get', { ids: [id] })).list[0]
      const { updatedAt: _updatedAt, ...before } = list[0]
      t.same(now, { ...before, status, archiveVisibility })
    }
    t.same((await call('Newsletter/changes', { sinceState: state })).updated, [id])
    const wrong = await call('Newsletter/set', { update: { [id]: { archiveVisibility: 'secret' } } })
    t.match(wrong.notUpdated[id], { type: 'invalidProperties', properties: ['archiveVisibility'] })
  })

  t.test('the contents of all newsletters have so many octets together, also under concurrency', async (t) => {
    const large = { textOverride: 'x'.repeat(400_000) }
    const usage = async () => (await call('Usage/get')).newsletterContentBytes as { used: number; limit: number }
    const before = (await usage()).used
    const [first, second] = [(await create(large)).created.n.id, (await create(large)).created.n.id]
    t.match(await usage(), { limit: MOST })
    t.ok((await usage()).used > before + 800_000)
    const refused = {
      type: 'overQuota',
      description: /^The contents of all newsletters .* 1200000 octets: \d+ are used/,
    }
    t.match((await create(large)).notCreated.n, refused)
    t.match(await call('Newsletter/duplicate', { newsletterId: first }), { duplicateId: null, notDuplicated: refused })
    const small = (await create({})).created.n.id
    const grow = (id: string, text: string) => call('Newsletter/set', { update: { [id]: { textOverride: text } } })
    t.match((await grow(small, large.textOverride)).notUpdated[small], refused)
    t.equal((await call('Newsletter/get', { ids: [small], properties: ['textOverride'] })).list[0].textOverride, null)
    t.match(await grow(first, 'short'), { notUpdated: null }, 'what gets smaller fits')
    t.match(await grow(small, large.textOverride), { notUpdated: null }, 'control: there is room again')
    t.match(await call('Newsletter/duplicate', { newsletterId: first }), { duplicateId: /^nws_/, notDuplicated: null })
    t.same((await call('Newsletter/set', { destroy: [second] })).destroyed, [second])
    const made = await Promise.all(Array.from({ length: 8 }, () => create({ textOverride: 'x'.repeat(100_000) })))
    const fitting = made.filter(({ created }) => created)
    t.ok(fitting.length > 0 && fitting.length < 8, `${fitting.length} of 8`)
    t.ok((await usage()).used <= MOST)
    await call('Newsletter/set', { destroy: [first, small, ...fitting.map(({ created }) => created.n.id)] })
  })

  t.test('merge fields are limited where they are written, in the text part too', async (t) => {
    const tags = (count: number) => '{{a}} '.repeat(count)
    for (const [record, path] of [
      [{ textOverride: tags(10_000) }, 'textOverride'],
      [{ blocks: [{ type: 'paragraph', body: tags(3_000) }] }, 'blocks'],
      [{ blocks: [{ type: 'custom_html', html: `<p>${tags(10_000)}</p>` }] }, 'blocks'],
    ] as const)
      t.match((await create(record)).notCreated.n, { faults: [{ path, code: 'too_long' }] }, path)
    const full = { subject: '{{a}}'.repeat(40), previewText: '{{a}}'.repeat(40), textOverride: tags(300) }
    const { id } = (await create({ ...full, blocks: [{ type: 'paragraph', body: tags(300) }] })).created.n
    t.match(
      await call('Newsletter/preview', { newsletterId: id }),
      { sendHtml: String },
      'control: what is stored is shown',
    )
    for (const odd of [
      '{{{a}}}',
      '{{ {{a}} }}',
      '{{a|{b}}}',
      '{{a}',
      '}}{{',
      '{{'.repeat(9_000),
      '{{a|b|c}}',
      '{{a\n}}',
    ]) {
      const { created, notCreated } = await create({ blocks: [{ type: 'paragraph', body: `x ${odd}` }] })
      if (!created) t.match(notCreated.n, { faults: [{ path: 'blocks/0/body', code: 'invalid_format' }] }, odd)
      else t.match(await call('Newsletter/preview', { newsletterId: created.n.id }), { text: String }, odd.slice(0, 20))
    }
    for (const bad of ['{{}}', '{{1a}}', '{{a b}}', '{{__proto__}}x{{|y}}'])
      t.match((await create({ subject: bad })).notCreated.n, { properties: ['subject'] }, bad)
  })

  t.test('an audience that is deleted is no longer named', async (t) => {
    const audienceId = await audience()
    const { id } = (await create({ audienceId })).created.n
    await call('Audience/set', { destroy: [audienceId] })
    t.equal((await call('Newsletter/get', { ids: [id], properties: ['audienceId'] })).list[0].audienceId, null)
  })
})
