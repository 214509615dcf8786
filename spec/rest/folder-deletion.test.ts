/** A folder that is deleted while another one is made, moved or named in it. */
import t, { type Test } from 'tap'
import { restIds } from '../../rest/access/ids.ts'
import { createRestRouter } from '../../rest/rest.ts'
import { DeletionRace } from '../support/deletion-race.ts'
import { forEachEngine } from '../support/engines.ts'
import { mail, startApi, telling } from '../support/rest-api.ts'
import { startRest, testDeps } from '../support/rest-server.ts'

const PLACES_MAX = 20

async function start(t: Test, engine: 'sqlite' | 'postgres') {
  const race = new DeletionRace()
  const api = await startApi(t, { aroundStore: (store) => race.around(store) }, engine)
  const { core, clock } = api
  const deps = testDeps(
    { ...core, process: race.process(core) },
    { ids: restIds(core.ids), clock, idempotency: core.idempotency, logger: telling(t) },
  )
  const node = await startRest(createRestRouter(deps), await api.allKey())
  t.teardown(() => node.close())
  const alice = await api.mailbox('alice')
  const folders = `/v1/mailboxes/${alice.accountId}/folders`
  const make = async (name: string, parent_id: string | null = null) =>
    (await api.ask('POST', folders, { body: { name, parent_id } })).body.id as string
  const left = async () => ((await api.ask('GET', folders)).body.data as { id: string }[]).map(({ id }) => id)
  return { ...api, race, node, alice, folders, make, left }
}

t.test('a child created during the deletion is deleted too, or its creation is refused', async (t) => {
  await forEachEngine(t, async (t, engine) => {
    const { race, node, alice, folders, make, left } = await start(t, engine)
    const outcomes = new Set<string>()
    for (let at = 0; at < PLACES_MAX; at++) {
      const parent = await make(`Parent ${at}`)
      let child: string | undefined
      const makeChild = async () => {
        const create = { c: { name: 'Child', parentId: parent } }
        child = (await alice.call('Mailbox/set', { create })).created?.c.id
      }
      const answer = await race.run(at, makeChild, () => node.ask('DELETE', `${folders}/${parent}`))
      if (!answer) break
      t.equal(answer.status, 204, answer.text)
      const rest = await left()
      t.notOk(rest.includes(parent))
      t.notOk(child && rest.includes(child), 'no child without its parent')
      outcomes.add(child ? 'went along' : 'was refused')
    }
    t.same([...outcomes].sort(), ['was refused', 'went along'])
  })
})

t.test('a new rule that names a subfolder causes a 409, and nothing is deleted', async (t) => {
  const { ask, race, node, alice, folders, make, left } = await start(t, 'sqlite')
  const rules = `/v1/mailboxes/${alice.accountId}/rules`
  let refused = 0
  for (let at = 0; at < PLACES_MAX; at++) {
    const parent = await make(`Parent ${at}`)
    const child = await make('Child', parent)
    const target = { kind: 'custom', folder_id: child }
    const conditions = [{ type: 'all_messages', value: true }]
    const rule = { name: `Into ${at}`, conditions, actions: [{ type: 'move', target }] }
    const nameIt = () => ask('PUT', rules, { body: { rules: [rule] } })
    const answer = await race.run(at, nameIt, () => node.ask('DELETE', `${folders}/${parent}`))
    if (!answer) break
    const rest = await left()
    if (answer.status === 409) {
      refused++
      t.match(answer.body.error, { code: 'folder_in_use', details: [{ rule_name: `Into ${at}` }] })
      t.ok(rest.includes(parent) && rest.includes(child))
    } else {
      t.equal(answer.status, 204, answer.text)
      t.notOk(rest.includes(parent) || rest.includes(child))
    }
    await ask('PUT', rules, { body: { rules: [] } })
  }
  t.ok(refused > 1, `${refused}`)
})

t.test('the messages of all deleted folders are in trash', async (t) => {
  const { ask, alice, folders, make } = await start(t, 'sqlite')
  const outer = await make('Outer')
  const inner = await make('Inner', outer)
  for (const [i, folder] of [outer, inner].entries()) {
    const id = await alice.receive(mail({ 'Message-ID': `<${i}@example.org>` }))
    const path = `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}/move`
    t.equal((await ask('POST', path, { body: { target_folder_id: folder } })).status, 200)
  }
  t.equal((await ask('DELETE', `${folders}/${outer}`)).status, 204)
  const trash = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages?folder_role=trash`)
  t.equal(trash.body.pagination.total, 2)
})
