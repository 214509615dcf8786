import t, { type Test } from 'tap'
import { faults, mail, startApi } from '../support/rest-api.ts'

const api = await startApi(t)
const { ask, mailbox } = api
const alice = await mailbox('alice')
const folders = `/v1/mailboxes/${alice.accountId}/folders`
const role = (name: string) => alice.roles[name]!

async function make(name: string, parent_id: string | null = null): Promise<string> {
  const { status, text, body } = await ask('POST', folders, { body: { name, parent_id } })
  if (status !== 201) throw new Error(text)
  return body.id
}

const conflict = ({ status, body }: { status: number; body: { error: { type: string; code: string } } }) => [
  status,
  body.error.type,
  body.error.code,
]

t.test(
  'a folder is created at the root or in another folder, as a custom one behind those of the system',
  async (t) => {
    const { status, body } = await ask('POST', folders, { body: { name: '  Re\u0301sume\u0301s  ', parent_id: null } })
    t.equal(status, 201)
    t.same(body, {
      object: 'mailbox_folder',
      id: body.id,
      name: 'R\u00e9sum\u00e9s',
      parent_id: null,
      role: null,
      kind: 'custom',
      total_emails: 0,
      unread_emails: 0,
      unread_threads: 0,
      sort_order: 100,
    })
    const inner = await ask('POST', folders, { body: { name: 'Old', parent_id: body.id, sort_order: 7 } })
    t.match(inner.body, { parent_id: body.id, sort_order: 7 })
    t.match((await ask('POST', folders, { body: { name: 'In the inbox', parent_id: role('inbox') } })).status, 201)
    const { body: list } = await ask('GET', folders)
    t.same(
      list.data.find(({ id }: { id: string }) => id === inner.body.id),
      inner.body,
    )
  },
)

t.test('names are unique within the same parent, without regard to case', async (t) => {
  const taken = await make('Taken')
  t.same(conflict(await ask('POST', folders, { body: { name: 'TAKEN' } })), [409, 'conflict', 'folder_name_taken'])
  t.equal((await ask('POST', folders, { body: { name: 'Taken', parent_id: taken } })).status, 201, 'elsewhere')
  const other = await make('Other')
  const rename = await ask('PATCH', `${folders}/${other}`, { body: { name: 'taken' } })
  t.same(conflict(rename), [409, 'conflict', 'folder_name_taken'])
  t.equal((await ask('PATCH', `${folders}/${taken}`, { body: { name: 'taken' } })).body.name, 'taken', 'its own')
})

t.test('requests with the same idempotency_key create one folder', async (t) => {
  const body = { name: 'Once', idempotency_key: 'folder-1' }
  const first = await ask('POST', folders, { body })
  const second = await ask('POST', folders, { body })
  t.same([second.status, second.text], [201, first.text])
  t.equal(second.headers.get('idempotent-replayed'), 'true')
  t.same(conflict(await ask('POST', folders, { body: { name: 'Once' } })), [409, 'conflict', 'folder_name_taken'])
  const headers = { 'Idempotency-Key': 'folder-2' }
  t.same(faults(await ask('POST', folders, { body, headers })), [['idempotency_key', 'not_allowed']])
})

t.test('reserved names cannot be used at any level', async (t) => {
  const parent = await make('Parent of reserved')
  const names = 'inbox drafts sent archive junk spam trash outbox starred scheduled snoozed'.split(' ')
  for (const name of [...names, 'All Mail', ' SPAM ']) {
    for (const parent_id of [null, parent]) {
      const made = await ask('POST', folders, { body: { name, parent_id } })
      t.same(conflict(made), [409, 'conflict', 'folder_name_taken'], name)
    }
    t.equal((await ask('PATCH', `${folders}/${parent}`, { body: { name } })).status, 409, name)
  }
  t.equal(
    (await ask('POST', folders, { body: { name: 'Spam reports' } })).status,
    201,
    'a name that begins with a reserved one',
  )
})

t.test('invalid input is reported by field', async (t) => {
  const id = await make('Well')
  const cases: [body: object, field: string | null, code: string][] = [
    [{ name: 7 }, 'name', 'invalid_type'],
    [{ name: '   ' }, 'name', 'too_short'],
    [{ name: 'x'.repeat(256) }, 'name', 'too_long'],
    [{ name: '\u00e9'.repeat(128) }, 'name', 'too_long'],
    [{ name: 'a/b' }, 'name', 'invalid_format'],
    [{ name: 'a\u0007b' }, 'name', 'invalid_format'],
    [{ name: 'A', parent_id: 7 }, 'parent_id', 'invalid_type'],
    [{ name: 'A', parent_id: role('trash') }, 'parent_id', 'not_allowed'],
    [{ name: 'A', parent_id: role('junk') }, 'parent_id', 'not_allowed'],
    [{ name: 'A', sort_order: -1 }, 'sort_order', 'out_of_range'],
    [{ name: 'A', sort_order: 'first' }, 'sort_order', 'invalid_type'],
  ]
  for (const [body, field, code] of cases) {
    t.same(faults(await ask('POST', folders, { body })), [[field, code]], `POST ${JSON.stringify(body)}`)
    t.same(faults(await ask('PATCH', `${folders}/${id}`, { body })), [[field, code]], `PATCH ${JSON.stringify(body)}`)
  }
  t.same(faults(await ask('POST', folders, { body: {} })), [['name', 'required']])
  t.same(faults(await ask('PATCH', `${folders}/${id}`, { body: {} })), [[null, 'required']])
  t.equal((await ask('POST', folders, { body: { name: 'x'.repeat(255) } })).status, 201)
})

t.test('an unknown folder is a 404, as itself and as a parent', async (t) => {
  const stranger = await api.stranger()
  const theirs = await ask('GET', `/v1/mailboxes/${stranger.mailboxId}/folders`, { key: stranger.key })
  const id = await make('Lonely')
  for (const missing of ['fld_nothing', 'no id at all', theirs.body.data[0].id]) {
    const path = `${folders}/${encodeURIComponent(missing)}`
    t.equal((await ask('PATCH', path, { body: { name: 'B' } })).status, 404, missing)
    t.equal((await ask('DELETE', path)).status, 404, missing)
    t.equal((await ask('POST', folders, { body: { name: 'B', parent_id: missing } })).status, 404, missing)
    t.equal((await ask('PATCH', `${folders}/${id}`, { body: { parent_id: missing } })).status, 404, missing)
  }
})

t.test('a folder is renamed, moved and reordered; omitted members stay', async (t) => {
  const [id, parent] = [await make('Before'), await make('New parent')]
  const path = `${folders}/${id}`
  const { status, body } = await ask('PATCH', path, { body: { name: 'After' } })
  t.equal(status, 200)
  t.match(body, { object: 'mailbox_folder', id, name: 'After', parent_id: null, sort_order: 100 })
  t.match((await ask('PATCH', path, { body: { parent_id: parent } })).body, { name: 'After', parent_id: parent })
  t.match((await ask('PATCH', path, { body: { sort_order: 3 } })).body, { name: 'After', sort_order: 3 })
  t.match((await ask('PATCH', path, { body: { parent_id: null } })).body, { parent_id: null, sort_order: 3 })
})

t.test('folders nest at most 10 deep, and not in themselves', async (t) => {
  const chain: string[] = []
  for (let depth = 1; depth <= 10; depth++) chain.push(await make(`Level ${depth}`, chain.at(-1) ?? null))
  const deeper = await ask('POST', folders, { body: { name: 'Level 11', parent_id: chain[9] } })
  t.same(
    faults(deeper).map(([field]) => field),
    ['parent_id'],
  )
  for (const parent_id of [chain[0], chain[3]])
    t.same(
      faults(await ask('PATCH', `${folders}/${chain[0]}`, { body: { parent_id } })).map(([field]) => field),
      ['parent_id'],
    )
})

t.test('system folders cannot be renamed, moved or deleted', async (t) => {
  for (const name of ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash']) {
    const path = `${folders}/${role(name)}`
    t.same(conflict(await ask('PATCH', path, { body: { name: 'Mine' } })), [409, 'conflict', 'system_folder'], name)
    const moved = await ask('PATCH', path, { body: { parent_id: null } })
    t.same(conflict(moved), [409, 'conflict', 'system_folder'], name)
    t.same(conflict(await ask('DELETE', path)), [409, 'conflict', 'system_folder'], name)
  }
  const { body } = await ask('PATCH', `${folders}/${role('archive')}`, { body: { sort_order: 45 } })
  t.match(body, { kind: 'system', role: 'archive', sort_order: 45 }, 'but they can be reordered')
})

async function inFolder(t: Test, id: string): Promise<string> {
  const message = await alice.receive(mail({ Subject: t.name }))
  const path = `/v1/mailboxes/${alice.accountId}/inbox/messages/${message}/move`
  t.equal((await ask('POST', path, { body: { target_folder_id: id } })).status, 200)
  return message
}

t.test('deleting a folder deletes its subfolders and moves their messages to trash', async (t) => {
  const outer = await make('Outer')
  const inner = await make('Inner', outer)
  const innermost = await make('Innermost', inner)
  const messages = [await inFolder(t, outer), await inFolder(t, innermost)]
  const { status, text } = await ask('DELETE', `${folders}/${outer}`)
  t.same([status, text], [204, ''])
  const { body } = await ask('GET', folders)
  t.notOk(body.data.some(({ id }: { id: string }) => [outer, inner, innermost].includes(id)))
  for (const message of messages) {
    const { body: kept } = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${message}`)
    t.same(kept.folder_ids, [role('trash')])
  }
})

t.test('a folder that a rule names, or a parent of it, cannot be deleted', async (t) => {
  const outer = await make('Used from below')
  const inner = await make('Used', outer)
  const message = await inFolder(t, outer)
  const rules = `/v1/mailboxes/${alice.accountId}/rules`
  const conditions = [{ type: 'all_messages', value: true }]
  const actions = [{ type: 'move', target: { kind: 'custom', folder_id: inner } }]
  const { body: set } = await ask('PUT', rules, { body: { rules: [{ name: 'Sort', conditions, actions }] } })
  for (const id of [outer, inner]) {
    const refused = await ask('DELETE', `${folders}/${id}`)
    t.same(conflict(refused), [409, 'conflict', 'folder_in_use'])
    t.same(refused.body.error.details, [{ rule_id: set.rules[0].id, rule_name: 'Sort' }])
  }
  const { body: kept } = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${message}`)
  t.same(kept.folder_ids, [outer], 'no folder has moved')
  await ask('PUT', rules, { body: { rules: [] } })
  t.equal((await ask('DELETE', `${folders}/${outer}`)).status, 204)
})

t.test('a folder with a system folder in it cannot be deleted', async (t) => {
  const outer = await make('Around the archive')
  await alice.call('Mailbox/set', { update: { [role('archive')]: { parentId: outer } } })
  t.same(conflict(await ask('DELETE', `${folders}/${outer}`)), [409, 'conflict', 'system_folder'])
})
