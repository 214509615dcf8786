import t from 'tap'
import { ENDPOINTS } from '../../rest/endpoints.ts'
import { createRouter } from '../../rest/pipeline/router.ts'
import { faults, startApi } from '../support/rest-api.ts'
import { ScriptedCore, startRest, testDeps } from '../support/rest-server.ts'

t.test('a domain is created, listed and read', async (t) => {
  const { ask } = await startApi(t)
  const made = await ask('POST', '/v1/domains', { body: { name: 'Acme.Example' } })
  t.equal(made.status, 201)
  t.match(made.body, {
    object: 'domain',
    id: /^dom_/,
    name: 'acme.example',
    status: 'verified',
    managed_by: 'external',
    dns_provider: 'manual',
    mx_verified: true,
    catch_all_mailbox_id: null,
    created_at: '2026-01-01T00:00:00.000Z',
    verified_at: '2026-01-01T00:00:00.000Z',
  })
  t.same((await ask('GET', `/v1/domains/${made.body.id}`)).body, made.body)
  const { body } = await ask('GET', '/v1/domains')
  t.same(body.data[0], made.body)
  t.same(body.pagination, { next_cursor: null, has_more: false, limit: 50 })
})

t.test('a new domain is pending', async (t) => {
  const { ask } = await startApi(t)
  const { body } = await ask('POST', '/v1/domains', { body: { name: 'posthouse-unverified.org' } })
  t.match(body, { status: 'pending', verified_at: null, mx_verified: false })
})

t.test('an internationalised name is stored in A-labels', async (t) => {
  const { ask } = await startApi(t)
  const { body } = await ask('POST', '/v1/domains', { body: { name: ' München.example. ' } })
  t.equal(body.name, 'xn--mnchen-3ya.example')
})

t.test('a domain that the organization already has is a conflict', async (t) => {
  const { ask } = await startApi(t)
  const answer = await ask('POST', '/v1/domains', { body: { name: 'EXAMPLE.test' } })
  t.match(answer, { status: 409, body: { error: { type: 'conflict', code: 'domain_exists' } } })
})

t.test('a name that is not a domain is refused', async (t) => {
  const { ask } = await startApi(t)
  const names = [
    '',
    'a',
    'localhost',
    '192.0.2.1',
    '[::1]',
    'a..example',
    '-a.example',
    'a.example/x',
    'a b.example',
    'x@a.example',
  ]
  for (const name of [...names, `${'a'.repeat(64)}.example`, 'a.example:25', 'http://a.example']) {
    const [[field] = []] = faults(await ask('POST', '/v1/domains', { body: { name } }))
    t.equal(field, 'name', name)
  }
  t.same(faults(await ask('POST', '/v1/domains', { body: {} })), [['name', 'required']])
  t.same(faults(await ask('POST', '/v1/domains', { body: { name: 7 } })), [['name', 'invalid_type']])
  t.same(faults(await ask('POST', '/v1/domains', { body: { name: 'a'.repeat(254) } })), [['name', 'too_long']])
})

t.test('domains are listed newest first, in pages', async (t) => {
  const { ask, clock } = await startApi(t)
  const names = ['a.example', 'b.example', 'c.example', 'd.example']
  for (const name of names) {
    clock.advance(1_000)
    await ask('POST', '/v1/domains', { body: { name } })
  }
  const first = await ask('GET', '/v1/domains?limit=3')
  t.same(
    first.body.data.map((domain: { name: string }) => domain.name),
    ['d.example', 'c.example', 'b.example'],
  )
  t.equal(first.body.pagination.has_more, true)
  await ask('POST', '/v1/domains', { body: { name: 'later.example' } })
  const second = await ask('GET', `/v1/domains?limit=3&cursor=${first.body.pagination.next_cursor}`)
  t.same(
    second.body.data.map((domain: { name: string }) => domain.name),
    ['a.example', 'example.test'],
  )
  t.same(second.body.pagination, { next_cursor: null, has_more: false, limit: 3 })
})

t.test('a domain of another organization is not found', async (t) => {
  const { ask, stranger, domainId } = await startApi(t)
  const { key, domainId: other } = await stranger()
  t.match(await ask('GET', `/v1/domains/${other}`), { status: 404, body: { error: { type: 'not_found' } } })
  t.equal((await ask('GET', `/v1/domains/${domainId}`, { key })).status, 404)
  t.equal((await ask('GET', `/v1/domains/${other}`, { key })).status, 200)
  const { body } = await ask('GET', '/v1/domains')
  t.same(
    body.data.map((domain: { id: string }) => domain.id),
    [domainId],
  )
})

t.test('text that is no id of a domain is not found', async (t) => {
  const { ask, domainId, organization } = await startApi(t)
  const mutated = `${domainId.slice(0, -1)}${domainId.endsWith('a') ? 'b' : 'a'}`
  for (const id of ['x', mutated, organization.accountId, 'dom_', 'a%20b', '%2e%2e', 'x'.repeat(300)]) {
    t.equal((await ask('GET', `/v1/domains/${id}`)).status, 404, id)
  }
})

t.test('a key without the scope is refused', async (t) => {
  const { ask, key, domainId } = await startApi(t)
  const reader = await key(['domains:read', 'mailboxes:write'])
  t.equal((await ask('POST', '/v1/domains', { key: reader, body: { name: 'a.example' } })).status, 403)
  t.equal((await ask('GET', `/v1/domains/${domainId}`, { key: reader })).status, 200)
  const writer = await key(['domains:write'])
  t.equal((await ask('GET', '/v1/domains', { key: writer })).status, 403)
  t.equal((await ask('GET', `/v1/domains/${domainId}`, { key: writer })).status, 403)
})

t.test('a key that is limited to mailboxes can neither change nor add a domain (decision D31)', async (t) => {
  const { ask, key, mailbox, domainId } = await startApi(t)
  const box = await mailbox('alice')
  const path = `/v1/domains/${domainId}`
  const catchAll = { catch_all_mailbox_id: box.accountId }
  t.equal((await ask('PATCH', path, { body: catchAll })).status, 200, 'control: a key without limits')
  const limited = await key(['domains:read', 'domains:write'], { mailboxIds: [box.accountId] })
  const refused = { status: 403, body: { error: { code: 'forbidden' } } }
  t.match(await ask('PATCH', path, { key: limited, body: { catch_all_mailbox_id: null } }), refused)
  t.match(await ask('PATCH', path, { key: limited, body: { dmarc_managed_externally: true } }), refused)
  t.match(await ask('POST', '/v1/domains', { key: limited, body: { name: 'more.test' } }), refused)
  t.match(await ask('DELETE', path, { key: limited }), refused)
  const { body: empty } = await ask('POST', '/v1/domains', { body: { name: 'empty.test' } })
  t.match(await ask('DELETE', `/v1/domains/${empty.id}`, { key: limited }), refused, 'nor an empty one')
  t.match(await ask('GET', path, { key: limited }), { status: 200, body: catchAll }, 'it reads them as before')
})

t.test('a domain is changed and read in one round of JMAP calls', async (t) => {
  const core = new ScriptedCore()
  const id = 'dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'
  const at = '2026-01-01T00:00:00Z'
  const found = {
    id,
    name: 'example.test',
    status: 'pending',
    managedBy: 'external',
    dnsProvider: 'manual',
    mxVerified: false,
    spfVerified: false,
    dkimVerified: false,
    dmarcVerified: false,
    outboundVerified: false,
    dmarcManagedExternally: true,
    catchAllMailboxId: null,
    verifiedAt: null,
    expiresAt: null,
    autoRenew: null,
    renewalError: null,
    dnsApi: null,
    createdAt: at,
    updatedAt: at,
  }
  core.methods.set('Domain/set', () => ({ updated: { [id]: null }, notUpdated: null, list: [found] }))
  const server = await startRest(createRouter(ENDPOINTS, testDeps(core)))
  t.teardown(() => server.close())
  const answer = await server.ask('PATCH', `/v1/domains/${id}`, { body: { dmarc_managed_externally: true } })
  t.match(answer, { status: 200, body: { id, name: 'example.test' } })
  const rounds = core.requests.map(({ methodCalls }) => methodCalls.map(([name]) => name))
  t.same(rounds, [['Domain/set']])
})
