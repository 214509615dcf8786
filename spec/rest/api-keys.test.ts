// Decision D5
import t from 'tap'
import { faults, startApi } from '../support/rest-api.ts'

t.test('API keys', async (t) => {
  const { ask, key, mailbox, domainId, stranger, clock } = await startApi(t)
  const [alice, bob] = [await mailbox('alice'), await mailbox('bob')]
  const scopes = ['mailboxes:read', 'messages:read', 'domains:read']
  const create = (more: object = {}, as?: string) =>
    ask('POST', '/v1/api-keys', { body: { name: 'Shop', scopes, ...more }, ...(as !== undefined && { key: as }) })
  const listMailboxes = (as: string) => ask('GET', '/v1/mailboxes', { key: as })

  t.test('a key is shown once, works, is changed and revoked', async (t) => {
    const made = await create({ name: 'Shop' })
    t.equal(made.status, 201)
    const { key: secret, ...told } = made.body
    t.match(secret, /^sk_[0-9A-Za-z]{40}$/)
    t.match(told, { object: 'api_key', id: /^key_/, name: 'Shop', prefix: secret.slice(0, 10), scopes })
    t.match(told, { mailbox_ids: null, domain_ids: null, allowed_ips: null, expires_at: null, last_used_at: null })
    const path = `/v1/api-keys/${told.id}`
    t.same((await ask('GET', path)).body, told)
    t.equal((await listMailboxes(secret)).status, 200)
    const changed = await ask('PATCH', path, { body: { name: 'Shop 2', scopes: ['domains:read'] } })
    t.match(changed, { status: 200, body: { name: 'Shop 2', scopes: ['domains:read'] } })
    t.notOk('key' in changed.body)
    t.equal((await listMailboxes(secret)).status, 403, 'its scopes change at once')
    t.equal((await ask('DELETE', path)).status, 204)
    t.match(await listMailboxes(secret), { status: 401, body: { error: { code: 'invalid_api_key' } } })
    for (const method of ['GET', 'DELETE', 'PATCH'])
      t.equal((await ask(method, path, method === 'PATCH' ? { body: { name: 'x' } } : {})).status, 404, method)
  })

  t.test('the list of keys is newest first and shows no key', async (t) => {
    const ids = [(await create()).body.id, (await create()).body.id]
    const { body } = await ask('GET', '/v1/api-keys?limit=1')
    t.match(body, { data: [{ id: ids[1] }], pagination: { has_more: true, limit: 1 } })
    const next = await ask('GET', `/v1/api-keys?limit=1&cursor=${body.pagination.next_cursor}`)
    t.equal(next.body.data[0].id, ids[0])
    t.notOk('key' in body.data[0])
  })

  t.test('a repeated request gets the same key', async (t) => {
    const headers = { 'Idempotency-Key': 'once' }
    const ask2 = () => ask('POST', '/v1/api-keys', { body: { name: 'Once', scopes }, headers })
    const [first, second] = [await ask2(), await ask2()]
    t.equal(second.headers.get('idempotent-replayed'), 'true')
    t.same(second.body, first.body)
  })

  t.test('a key cannot grant a scope that it lacks', async (t) => {
    const weak = await key(['api_keys:write', 'mailboxes:read'])
    t.match(await create({}, weak), { status: 403, body: { error: { type: 'authorization_error' } } })
    t.equal((await create({ scopes: ['mailboxes:read'] }, weak)).status, 201)
    const strong = (await create()).body.id
    t.equal((await ask('PATCH', `/v1/api-keys/${strong}`, { key: weak, body: { name: 'Mine' } })).status, 403)
    const limited = (await create({ scopes: ['api_keys:write', 'mailboxes:read'], mailbox_ids: [alice.accountId] }))
      .body
    const own = { scopes: ['mailboxes:read'] }
    t.equal((await create(own, limited.key)).status, 403)
    t.equal((await create({ ...own, mailbox_ids: [bob.accountId] }, limited.key)).status, 403)
    t.equal((await create({ ...own, mailbox_ids: [alice.accountId] }, limited.key)).status, 201)
  })

  t.test('a key can neither change nor delete a key with more rights (decision D31)', async (t) => {
    const weak = await key(['api_keys:write', 'mailboxes:read'])
    const bound = (await create({ scopes: ['api_keys:write', 'mailboxes:read'], mailbox_ids: [alice.accountId] })).body
    const brief = (
      await create({
        scopes: ['api_keys:write', 'mailboxes:read'],
        expires_at: new Date(clock.now() + 86_400_000).toISOString(),
      })
    ).body
    const strong = (await create()).body
    const plain = (await create({ scopes: ['mailboxes:read'] })).body
    for (const [as, target] of [
      [weak, strong],
      [bound.key, plain],
      [brief.key, plain],
    ] as const) {
      const path = `/v1/api-keys/${target.id}`
      t.match(await ask('DELETE', path, { key: as }), { status: 403, body: { error: { code: 'forbidden' } } })
      t.equal((await ask('PATCH', path, { key: as, body: { name: 'Less', scopes: ['mailboxes:read'] } })).status, 403)
      t.match(await ask('GET', path), { status: 200, body: { name: target.name, scopes: target.scopes } })
    }
    t.equal((await ask('DELETE', `/v1/api-keys/${plain.id}`, { key: weak })).status, 204, 'control: a lesser one')
    t.equal((await ask('DELETE', `/v1/api-keys/${brief.id}`, { key: brief.key })).status, 204, 'control: itself')
    t.equal((await ask('DELETE', `/v1/api-keys/${strong.id}`)).status, 204, 'control: by one that may do as much')
  })

  t.test('a key with an expiry or allowed addresses cannot create a key without them', async (t) => {
    const day = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString()
    const own = { scopes: ['mailboxes:read'] }
    const use = { allowed_ips: ['127.0.0.0/24', '::1'], expires_at: day(2) }
    const limited = (await create({ scopes: ['api_keys:write', ...own.scopes], ...use })).body.key
    for (const more of [
      { expires_at: null },
      { expires_at: day(3) },
      { allowed_ips: null },
      { allowed_ips: ['127.0.0.0/16'] },
    ])
      t.equal((await create({ ...own, ...use, ...more }, limited)).status, 403, JSON.stringify(more))
    t.equal((await create({ ...own, allowed_ips: ['127.0.0.1'], expires_at: day(1) }, limited)).status, 201)
    t.equal((await create({ ...own, ...use }, limited)).status, 201)
  })

  t.test('the limits of a key are enforced: mailboxes, domains, addresses, time', async (t) => {
    const few = (await create({ mailbox_ids: [alice.accountId] })).body
    t.same(few.mailbox_ids, [alice.accountId])
    t.same(
      (await listMailboxes(few.key)).body.data.map(({ id }: { id: string }) => id),
      [alice.accountId],
    )
    t.match(await ask('GET', `/v1/mailboxes/${bob.accountId}`, { key: few.key }), {
      status: 403,
      body: { error: { code: 'mailbox_access_denied' } },
    })
    const { body: other } = await ask('POST', '/v1/domains', { body: { name: 'second.test' } })
    const ofDomain = (await create({ domain_ids: [other.id] })).body
    t.same((await listMailboxes(ofDomain.key)).body.data, [])
    t.equal((await ask('GET', `/v1/domains/${domainId}`, { key: ofDomain.key })).status, 404)
    t.equal((await ask('GET', `/v1/domains/${other.id}`, { key: ofDomain.key })).status, 200)

    const elsewhere = (await create({ allowed_ips: ['192.0.2.0/24'] })).body.key
    t.match(await listMailboxes(elsewhere), {
      status: 403,
      body: { error: { type: 'authorization_error', code: 'ip_not_allowed' } },
    })
    t.equal((await listMailboxes((await create({ allowed_ips: ['127.0.0.0/8', '::1'] })).body.key)).status, 200)

    const expires_at = new Date(clock.now() + 60_000).toISOString()
    const brief = (await create({ expires_at })).body
    t.equal(brief.expires_at, expires_at)
    t.equal((await listMailboxes(brief.key)).status, 200)
    clock.advance(60_000)
    const late = await listMailboxes(brief.key)
    t.match(late, { status: 401, body: { error: { type: 'authentication_error', code: 'expired_api_key' } } })
    t.match(late.headers.get('www-authenticate'), /invalid_token/)
  })

  t.test('errors of the input name their fields', async (t) => {
    t.same(faults(await ask('POST', '/v1/api-keys', { body: {} })), [
      ['name', 'required'],
      ['scopes', 'required'],
    ])
    const past = new Date(clock.now()).toISOString()
    for (const [more, fault] of [
      [{ name: '' }, ['name', 'too_short']],
      [{ scopes: [] }, ['scopes', 'too_short']],
      [{ scopes: ['all'] }, ['scopes[0]', 'not_allowed']],
      [{ expires_at: past }, ['expires_at', 'must_be_future']],
      [{ expires_at: 'tomorrow' }, ['expires_at', 'invalid_format']],
      [{ allowed_ips: ['here'] }, ['allowed_ips', 'invalid_format']],
      [{ allowed_ips: [] }, ['allowed_ips', 'too_short']],
      [{ mailbox_ids: ['nothing'] }, ['mailbox_ids', 'unknown_reference']],
      [{ domain_ids: ['nothing'] }, ['domain_ids', 'unknown_reference']],
    ] as const)
      t.same(faults(await create(more)), [fault], JSON.stringify(more))
    const { id } = (await create()).body
    t.same(faults(await ask('PATCH', `/v1/api-keys/${id}`, { body: {} })), [[null, 'required']])
  })

  t.test('keys need their scopes, and are unknown to other organizations', async (t) => {
    const { id } = (await create()).body
    const reader = await key(['api_keys:read'])
    const writer = await key(['api_keys:write'])
    t.equal((await ask('GET', '/v1/api-keys', { key: writer })).status, 403)
    t.equal((await ask('GET', `/v1/api-keys/${id}`, { key: writer })).status, 403)
    t.equal((await create({}, reader)).status, 403)
    t.equal((await ask('PATCH', `/v1/api-keys/${id}`, { key: reader, body: { name: 'x' } })).status, 403)
    t.equal((await ask('DELETE', `/v1/api-keys/${id}`, { key: reader })).status, 403)
    const { key: theirs, mailboxId } = await stranger()
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { body: { name: 'x' } } : {}
      t.equal((await ask(method, `/v1/api-keys/${id}`, { key: theirs, ...body })).status, 404, method)
    }
    t.same(faults(await create({ mailbox_ids: [mailboxId] })), [['mailbox_ids', 'unknown_reference']])
    t.equal((await ask('GET', `/v1/api-keys/${id}`)).status, 200, 'control')
  })
})
