// Decision D16
import t from 'tap'
import { UNLIMITED_PLAN } from '../../server/base/sending-limits.ts'
import { faults, startApi } from '../support/rest-api.ts'

t.test('aliases', async (t) => {
  const plan = { ...UNLIMITED_PLAN, name: 'Small', aliases: 3 }
  const { ask, key, mailbox, domainId, stranger } = await startApi(t, { limits: { plan } })
  const [alice, bob] = [await mailbox('alice'), await mailbox('bob')]
  const create = (alias: object) =>
    ask('POST', '/v1/aliases', { body: { domain_id: domainId, mailbox_id: alice.accountId, ...alias } })

  t.test('an alias is created, read, changed and deleted', async (t) => {
    const made = await create({ address: 'Sales', description: 'Orders' })
    t.equal(made.status, 201)
    const shown = { object: 'alias', id: /^als_/, domain_id: domainId, address: 'sales@example.test', enabled: true }
    t.match(made.body, { ...shown, mailbox_id: alice.accountId, description: 'Orders', created_at: /Z$/ })
    const path = `/v1/aliases/${made.body.id}`
    t.same((await ask('GET', path)).body, made.body)
    const changed = await ask('PATCH', path, { body: { mailbox_id: bob.accountId, enabled: false, description: null } })
    t.match(changed, { status: 200, body: { mailbox_id: bob.accountId, enabled: false, description: null } })
    t.equal((await ask('DELETE', path)).status, 204)
    t.equal((await ask('DELETE', path)).status, 404)
    t.equal((await ask('GET', path)).status, 404)
    t.equal((await ask('PATCH', path, { body: { enabled: true } })).status, 404)
  })

  t.test('an alias may be used as from while it exists and is enabled', async (t) => {
    const send = () =>
      ask('POST', '/v1/messages', { body: { from: 'Shop <shop@example.test>', to: 'a@example.org', text: 'x' } })
    t.same(faults(await send()), [['from', 'unknown_reference']])
    const { body: alias } = await create({ address: 'shop' })
    t.match(await send(), { status: 201, body: { from_address: 'shop@example.test', mailbox_id: alice.accountId } })
    const identities = await ask('GET', `/v1/mailboxes/${alice.accountId}/identities`)
    t.match(identities.body.data.map(({ email }: { email: string }) => email).sort(), [
      'alice@example.test',
      'shop@example.test',
    ])
    await ask('PATCH', `/v1/aliases/${alias.id}`, { body: { enabled: false } })
    t.same(faults(await send()), [['from', 'unknown_reference']])
    const limited = await key(['messages:write'], { mailboxIds: [bob.accountId] })
    await ask('PATCH', `/v1/aliases/${alias.id}`, { body: { enabled: true } })
    const body = { from: 'shop@example.test', to: 'a@example.org', text: 'x' }
    t.match(await ask('POST', '/v1/messages', { body, key: limited }), {
      status: 403,
      body: { error: { code: 'mailbox_access_denied' } },
    })
    await ask('DELETE', `/v1/aliases/${alias.id}`)
  })

  t.test('aliases are listed in pages, by domain and by mailbox', async (t) => {
    for (const address of ['l1', 'l2']) await create({ address })
    await create({ address: 'l3', mailbox_id: bob.accountId })
    const list = async (query: string) => (await ask('GET', `/v1/aliases?${query}`)).body
    const names = ({ data }: { data: { address: string }[] }) => data.map(({ address }) => address.slice(0, 2))
    const first = await list('limit=2')
    t.same(names(first), ['l3', 'l2'])
    t.same(names(await list(`limit=2&cursor=${first.pagination.next_cursor}`)), ['l1'])
    t.same(names(await list(`mailbox_id=${alice.accountId}`)), ['l2', 'l1'])
    t.same(names(await list(`domain_id=${domainId}`)).length, 3)
    t.equal((await list('domain_id=%20')).error.code, 'not_found')
  })

  t.test('invalid requests about aliases are refused', async (t) => {
    const other = await stranger()
    const full = await create({ address: 'l4' })
    t.equal(full.status, 403)
    t.match(full.body.error, {
      type: 'quota_exceeded',
      message: 'Alias limit reached: 3 of 3 on the Small plan.',
      details: [{ resource: 'aliases', used: 3, limit: 3, plan: 'Small' }],
    })
    const [{ id }] = (await ask('GET', '/v1/aliases')).body.data
    await ask('DELETE', `/v1/aliases/${id}`)
    t.match(await create({ address: 'alice' }), { status: 409, body: { error: { code: 'address_taken' } } })
    t.same(faults(await create({ address: 'a+b' })), [['address', 'invalid_format']])
    t.equal((await create({ address: 'x', domain_id: other.domainId })).status, 404)
    t.equal((await create({ address: 'x', mailbox_id: other.mailboxId })).status, 404)
  })
})
