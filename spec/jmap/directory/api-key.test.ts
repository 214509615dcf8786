import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, organization, organizationWith, domainId, mailbox, key, request, store } = await startCore(t, engine)
  const { accountId } = organization
  const hello = await mailbox('hello')
  const other = await mailbox('other')
  const owner = (await key({ scopes: ['api_keys:read', 'api_keys:write', 'messages:read', 'messages:write'] }))
    .principal
  const call = async (name: string, args: JsonObject = {}, asking = owner): Promise<Result> =>
    (await request([[name, { accountId, ...args }]], asking))[0]![1]
  const create = async (apiKey: JsonObject, asking = owner): Promise<Result> => {
    const args = { create: { k: { name: 'Key', scopes: ['messages:read'], ...apiKey } } }
    const { created, notCreated } = await call('ApiKey/set', args, asking)
    return created?.k ?? notCreated.k
  }
  const read = async (id: string): Promise<Result> => (await call('ApiKey/get', { ids: [id] })).list[0]

  t.test('the key is returned once, at creation, and never again (decision D5)', async (t) => {
    const made = await create({ name: 'Once' })
    t.match(made.key, /^sk_[0-9A-Za-z]{40}$/)
    t.ok(await core.authenticate({ kind: 'bearer', token: made.key, ip: '' }))
    const own = await read(made.id)
    t.notMatch(JSON.stringify(own), made.key)
    t.same(Object.keys(own).sort(), [
      ...['allowedIps', 'createdAt', 'domainIds', 'expiresAt', 'id', 'lastUsedAt', 'mailboxIds', 'name', 'prefix'],
      ...['scopes', 'updatedAt'],
    ])
    t.equal(own.prefix, made.key.slice(0, 10))
    for (const table of ['object', 'credential'] as const) {
      const rows = await store.read((reader) => reader.sql.query((db) => db.selectFrom(table).selectAll()))
      t.notOk(JSON.stringify(rows).includes(made.key), `nor is it in ${table}`)
    }
    t.match(await call('ApiKey/get', { ids: [made.id], properties: ['keyHash'] }), { type: 'invalidArguments' })
  })

  t.test('all keys differ', async (t) => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => create({})))
    t.equal(new Set(keys.map((made) => made.key)).size, 5)
  })

  t.test('scopes must be known, and at least one is required (decision D6)', async (t) => {
    for (const scopes of [[], ['nonsense'], ['messages:read', 'x'], 'messages:read', null])
      t.match(await create({ scopes }), { type: 'invalidProperties', properties: ['scopes'] })
    t.match(await create({ name: '' }), { type: 'invalidProperties', properties: ['name'] })
  })

  t.test('missing mailboxes and domains are refused, also those of other organizations', async (t) => {
    const foreign = await organizationWith('foreign.test')
    const theirs = await foreign.mailbox('hello')
    for (const id of ['x', domainId, theirs.accountId])
      t.match(await create({ mailboxIds: [id] }), { type: 'invalidProperties', properties: ['mailboxIds'] })
    for (const id of ['x', hello.accountId, foreign.domainId])
      t.match(await create({ domainIds: [id] }), { type: 'invalidProperties', properties: ['domainIds'] })
  })

  t.test('allowedIps are addresses or ranges', async (t) => {
    for (const allowedIps of [
      ['x'],
      ['192.0.2.1/33'],
      ['2001:db8::/129'],
      ['192.0.2.0/24/24'],
      ['192.0.2.1/'],
      ['fe80::1%eth0'],
      [''],
    ])
      t.match(await create({ allowedIps }), { type: 'invalidProperties', properties: ['allowedIps'] }, allowedIps[0]!)
    t.ok((await create({ allowedIps: ['192.0.2.1', '2001:db8::/32'] })).id)
  })

  t.test('a key cannot grant scopes that it does not have (decision D5)', async (t) => {
    t.match(await create({ scopes: ['domains:write'] }), { type: 'forbidden' })
    t.ok((await create({ scopes: ['messages:read', 'messages:write'] })).id)
    const made = await create({})
    const { notUpdated } = await call('ApiKey/set', { update: { [made.id]: { scopes: ['domains:write'] } } })
    t.match(notUpdated[made.id], { type: 'forbidden' })
  })

  t.test('a key cannot grant mailboxes that it may not use (decision D5)', async (t) => {
    const scopes = ['api_keys:read', 'api_keys:write', 'messages:read']
    const limited = (await key({ scopes, mailboxIds: [hello.accountId] })).principal
    t.match(await create({}, limited), { type: 'forbidden' }, 'all of them')
    t.match(await create({ mailboxIds: [other.accountId] }, limited), { type: 'forbidden' })
    t.match(await create({ mailboxIds: [hello.accountId, other.accountId] }, limited), { type: 'forbidden' })
    t.ok((await create({ mailboxIds: [hello.accountId] }, limited)).id)
  })

  t.test('a key that is limited to domains can grant only these (decision D5)', async (t) => {
    const [made] = await request([['Domain/set', { accountId, create: { d: { name: 'second.test' } } }]])
    const second = (made![1] as Result).created.d.id
    const scopes = ['api_keys:read', 'api_keys:write', 'messages:read']
    const limited = (await key({ scopes, domainIds: [domainId] })).principal
    t.match(await create({}, limited), { type: 'forbidden' })
    t.match(await create({ domainIds: [second] }, limited), { type: 'forbidden' })
    t.match(await create({ mailboxIds: [hello.accountId] }, limited), { type: 'forbidden' }, 'its domain may be left')
    t.ok((await create({ domainIds: [domainId] }, limited)).id)
    t.ok((await create({ domainIds: [domainId], mailboxIds: [hello.accountId] }, limited)).id)
    const both = (await key({ scopes, domainIds: [domainId], mailboxIds: [hello.accountId] })).principal
    t.match(await create({ domainIds: [domainId] }, both), { type: 'forbidden' }, 'it has not all of the domain')
  })

  t.test('a weaker key cannot lift the limits of a stronger one', async (t) => {
    const strong = await key({ scopes: ['domains:write'], allowedIps: ['192.0.2.1'] })
    const { notUpdated } = await call('ApiKey/set', { update: { [strong.id]: { allowedIps: null } } })
    t.match(notUpdated[strong.id], { type: 'forbidden' })
  })

  t.test('changes of scopes, mailboxes and name take effect at once', async (t) => {
    const made = await create({ name: 'Before' })
    const look = async () => core.authenticate({ kind: 'bearer', token: made.key, ip: '' })
    t.match(await look(), { username: 'Before', scopes: ['messages:read'], mailboxes: 'all' })
    const patch = { name: 'After', scopes: ['messages:write'], mailboxIds: [hello.accountId] }
    await call('ApiKey/set', { update: { [made.id]: patch } })
    t.match(await look(), { username: 'After', scopes: ['messages:write'], mailboxes: [hello.account] })
  })

  t.test('a key may name a mailbox that was deleted later', async (t) => {
    const going = await mailbox('going')
    const made = await create({ mailboxIds: [going.accountId, hello.accountId] })
    await request([['MailAccount/set', { accountId, destroy: [going.accountId] }]])
    t.same(Object.keys((await call('ApiKey/set', { update: { [made.id]: { name: 'Still here' } } })).updated), [
      made.id,
    ])
  })

  t.test('server-set properties cannot be given', async (t) => {
    for (const name of ['prefix', 'lastUsedAt', 'createdAt', 'key', 'keyHash'])
      t.match(await create({ [name]: 'x' }), { type: 'invalidProperties', properties: [name] })
  })

  t.test("another organization's key is not found", async (t) => {
    const foreign = await organizationWith('apart.test')
    const args = { accountId: foreign.accountId, create: { k: { name: 'Theirs', scopes: ['messages:read'] } } }
    const [made] = await request([['ApiKey/set', args]])
    const { id } = (made![1] as Result).created.k
    t.same((await call('ApiKey/get', { ids: [id] })).notFound, [id])
    t.match((await call('ApiKey/set', { destroy: [id] })).notDestroyed[id], { type: 'notFound' })
  })
})
