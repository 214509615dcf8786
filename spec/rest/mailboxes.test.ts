import t from 'tap'
import { PASSWORD } from '../support/core.ts'
import { faults, startApi } from '../support/rest-api.ts'

t.test('a mailbox is created, read, changed and deleted', async (t) => {
  const { ask, domainId } = await startApi(t)
  const made = await ask('POST', '/v1/mailboxes', {
    body: { domain_id: domainId, address: 'Support', display_name: ' Support team ' },
  })
  t.equal(made.status, 201)
  t.match(made.body, {
    object: 'mailbox',
    id: /^mbx_/,
    domain_id: domainId,
    address: 'support@example.test',
    display_name: 'Support team',
    suspended_at: null,
    spam_filter_threshold: 6,
    auto_reply: { enabled: false, subject: null, body: null, from_date: null, to_date: null },
    created_at: '2026-01-01T00:00:00.000Z',
  })
  const path = `/v1/mailboxes/${made.body.id}`
  t.same((await ask('GET', path)).body, made.body)
  t.match(await ask('PATCH', path, { body: { display_name: 'Help' } }), { status: 200, body: { display_name: 'Help' } })
  t.match(await ask('PATCH', path, { body: { display_name: null } }), { status: 200, body: { display_name: null } })
  const gone = await ask('DELETE', path)
  t.equal(gone.status, 204)
  t.equal(gone.text, '')
  t.equal((await ask('GET', path)).status, 404)
  t.equal((await ask('DELETE', path)).status, 404)
})

t.test('an empty display name is stored as null', async (t) => {
  const { ask, domainId } = await startApi(t)
  const make = async (address: string, display_name?: unknown) =>
    (await ask('POST', '/v1/mailboxes', { body: { domain_id: domainId, address, display_name } })).body.display_name
  t.equal(await make('a', ''), null)
  t.equal(await make('b', '  '), null)
  t.equal(await make('c', null), null)
  t.equal(await make('d'), null)
})

t.test('an address in use is a conflict', async (t) => {
  const { ask, domainId, mailbox } = await startApi(t)
  await mailbox('alice')
  const answer = await ask('POST', '/v1/mailboxes', { body: { domain_id: domainId, address: 'ALICE' } })
  t.match(answer, { status: 409, body: { error: { type: 'conflict', code: 'address_taken' } } })
})

t.test('an invalid local part is refused', async (t) => {
  const { ask, domainId } = await startApi(t)
  for (const address of ['.a', 'a.', 'a..b', '-a', 'a-', 'a b', 'a@b', 'ä', 'a+b', '_a', 'a_']) {
    const answer = await ask('POST', '/v1/mailboxes', { body: { domain_id: domainId, address } })
    t.same(faults(answer), [['address', 'invalid_format']], address)
  }
  const of = async (address: unknown) =>
    faults(await ask('POST', '/v1/mailboxes', { body: { domain_id: domainId, address } }))
  t.same(await of(''), [
    ['address', 'too_short'],
    ['address', 'invalid_format'],
  ])
  t.same(await of('a'.repeat(65)), [
    ['address', 'too_long'],
    ['address', 'invalid_format'],
  ])
  t.same(await of(undefined), [['address', 'required']])
  for (const address of ['a', 'a.b-c_d', 'a'.repeat(64), '7']) {
    t.equal((await ask('POST', '/v1/mailboxes', { body: { domain_id: domainId, address } })).status, 201, address)
  }
})

t.test('an unknown or unverified domain is refused', async (t) => {
  const { ask, stranger } = await startApi(t)
  const { domainId: other } = await stranger()
  const make = (domain_id: unknown) => ask('POST', '/v1/mailboxes', { body: { domain_id, address: 'a' } })
  for (const id of ['nothing', other, 'a b', '']) t.equal((await make(id)).status, 404, id)
  t.same(faults(await make(undefined)), [['domain_id', 'required']])
  const { body } = await ask('POST', '/v1/domains', { body: { name: 'posthouse-unverified.org' } })
  const answer = await make(body.id)
  t.match(answer, { status: 422, body: { error: { type: 'validation_error', code: 'domain_not_verified' } } })
  t.equal(faults(answer)[0]?.[0], 'domain_id')
})

t.test('an invalid display name is refused', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const path = `/v1/mailboxes/${(await mailbox('alice')).accountId}`
  const of = async (body: object) => faults(await ask('PATCH', path, { body }))
  t.same(await of({ display_name: 'x'.repeat(201) }), [['display_name', 'too_long']])
  t.same(await of({ display_name: 'a\r\nBcc: x' }), [['display_name', 'invalid_format']])
  t.same(await of({ display_name: 7 }), [['display_name', 'invalid_type']])
  t.same(await of({}), [[null, 'required']])
})

t.test('a mailbox gets a letter when its password is set, with the name of the key (decision D31)', async (t) => {
  const { ask, key, mailbox } = await startApi(t)
  const [alice, bob] = [await mailbox('alice'), await mailbox('bob')]
  const writer = await key(['mailboxes:write'])
  const set = (id: string, password: string) =>
    ask('PATCH', `/v1/mailboxes/${id}/password`, { key: writer, body: { password } })
  t.equal((await set(alice.accountId, 'Another-1-secret')).status, 200)
  t.equal((await set(bob.accountId, 'weak')).status, 422)
  const inboxOf = async (box: typeof alice) => {
    const { list } = await box.call('Email/get', {
      ids: null,
      properties: ['from', 'to', 'subject', 'mailboxIds', 'keywords', 'textBody', 'bodyValues'],
      fetchTextBodyValues: true,
    })
    return list
  }
  const [letter, ...more] = await inboxOf(alice)
  t.match(letter, {
    from: [{ email: 'postmaster@example.test' }],
    to: [{ email: alice.address }],
    subject: 'The password of this mailbox was set',
    mailboxIds: { [alice.roles['inbox']!]: true },
    keywords: {},
  })
  t.match(Object.values(letter.bodyValues), [{ value: /with the API key "test"/ }])
  t.notMatch(JSON.stringify(letter), 'Another-1-secret')
  t.same(more, [])
  t.same(await inboxOf(bob), [], 'control: a refused one is not told')
})

t.test('an organization can keep its API keys from setting passwords (decision D31)', async (t) => {
  const { ask, core, request, organization, mailbox, domainId } = await startApi(t)
  const alice = await mailbox('alice')
  const { accountId } = organization
  const setting = async (passwordsByApi: boolean) => {
    await request([['Organization/set', { accountId, update: { [accountId]: { passwordsByApi } } }]])
  }
  const path = `/v1/mailboxes/${alice.accountId}/password`
  const body = { password: 'Another-1-secret' }
  const login = () => core.authenticate({ kind: 'password', address: alice.address, ip: '127.0.0.1', ...body })
  await setting(false)
  t.match(await ask('PATCH', path, { body }), { status: 403, body: { error: { code: 'forbidden' } } })
  t.equal(await login(), null)
  const made = { domain_id: domainId, address: 'carol', ...body }
  t.equal((await ask('POST', '/v1/mailboxes', { body: made })).status, 201, 'a mailbox is made without a password')
  await setting(true)
  t.equal((await ask('PATCH', path, { body })).status, 200, 'control')
  t.ok(await login())
})

t.test('a password opens the mailbox, is in no answer, and must follow rules', async (t) => {
  const { ask, mailbox, core } = await startApi(t)
  const alice = await mailbox('alice')
  const path = `/v1/mailboxes/${alice.accountId}/password`
  const answer = await ask('PATCH', path, { body: { password: 'Another-1-secret' } })
  t.match(answer, { status: 200, body: { object: 'mailbox', id: alice.accountId } })
  t.notMatch(answer.text, /Another-1-secret|password/)
  const login = (password: string) =>
    core.authenticate({ kind: 'password', address: alice.address, password, ip: '127.0.0.1' })
  t.ok(await login('Another-1-secret'))
  t.notOk(await login(PASSWORD))
  const codes = async (password: unknown) => faults(await ask('PATCH', path, { body: { password } }))[0]
  t.same(await codes('Short1'), ['password', 'too_short'])
  t.same(await codes(`Aa1${'x'.repeat(126)}`), ['password', 'too_long'])
  for (const password of ['alllower1', 'ALLUPPER1', 'NoDigitsHere']) {
    const refused = await ask('PATCH', path, { body: { password } })
    t.same(faults(refused), [['password', 'invalid_format']], password)
    t.notMatch(refused.text, password)
  }
  t.same(await codes(undefined), ['password', 'required'])
  t.same(await codes(12345678), ['password', 'invalid_type'])
})

t.test('mailboxes are listed newest first, in pages, and by domain', async (t) => {
  const { ask, mailbox, domainId } = await startApi(t)
  for (const name of ['a', 'b', 'c']) await mailbox(name)
  const { body: domain } = await ask('POST', '/v1/domains', { body: { name: 'second.example' } })
  await ask('POST', '/v1/mailboxes', { body: { domain_id: domain.id, address: 'd' } })
  const list = async (query: string) => (await ask('GET', `/v1/mailboxes?${query}`)).body
  const names = (page: { data: { address: string }[] }) => page.data.map(({ address }) => address)
  const first = await list('limit=3')
  t.same(names(first), ['d@second.example', 'c@example.test', 'b@example.test'])
  t.same(names(await list(`limit=3&cursor=${first.pagination.next_cursor}`)), ['a@example.test'])
  t.same(names(await list(`domain_id=${domain.id}`)), ['d@second.example'])
  const filtered = await list(`domain_id=${domainId}&limit=2`)
  t.same(names(filtered), ['c@example.test', 'b@example.test'])
  t.same(names(await list(`limit=2&cursor=${filtered.pagination.next_cursor}`)), ['a@example.test'])
  for (const id of ['nothing', 'a%20b']) t.match(await list(`domain_id=${id}`), { error: { code: 'not_found' } })
})

t.test('a key limited to some mailboxes sees and changes only those', async (t) => {
  const { ask, mailbox, key } = await startApi(t)
  const [a, b, c, d] = [await mailbox('a'), await mailbox('b'), await mailbox('c'), await mailbox('d')]
  const restricted = await key(['mailboxes:read', 'mailboxes:write'], {
    mailboxIds: [a.accountId, d.accountId, c.accountId],
  })
  const list = async (query: string) => (await ask('GET', `/v1/mailboxes?${query}`, { key: restricted })).body
  const first = await list('limit=2')
  t.same(
    first.data.map(({ id }: { id: string }) => id),
    [d.accountId, c.accountId],
  )
  const second = await list(`limit=2&cursor=${first.pagination.next_cursor}`)
  t.same(
    second.data.map(({ id }: { id: string }) => id),
    [a.accountId],
  )
  t.equal(second.pagination.has_more, false)
  t.equal((await ask('GET', `/v1/mailboxes/${a.accountId}`, { key: restricted })).status, 200)
  const body = { display_name: 'x' }
  const denied = { status: 403, body: { error: { type: 'authorization_error', code: 'mailbox_access_denied' } } }
  t.match(await ask('GET', `/v1/mailboxes/${b.accountId}`, { key: restricted }), denied)
  t.match(await ask('PATCH', `/v1/mailboxes/${b.accountId}`, { key: restricted, body }), denied)
  t.match(await ask('DELETE', `/v1/mailboxes/${b.accountId}`, { key: restricted }), denied)
  const password = { password: 'Another-1-secret' }
  t.match(await ask('PATCH', `/v1/mailboxes/${b.accountId}/password`, { key: restricted, body: password }), denied)
  t.equal((await ask('GET', `/v1/mailboxes/${b.accountId}`)).body.display_name, null)
})

t.test('a mailbox of another organization is not found, also for a restricted key', async (t) => {
  const { ask, stranger, key, mailbox } = await startApi(t)
  const { mailboxId } = await stranger()
  const restricted = await key(['mailboxes:read', 'mailboxes:write'], { mailboxIds: [(await mailbox('a')).accountId] })
  for (const used of [undefined, restricted]) {
    const ask2 = (method: string, path: string, body?: object) =>
      ask(method, path, { ...(used && { key: used }), ...(body && { body }) })
    const path = `/v1/mailboxes/${mailboxId}`
    t.equal((await ask2('GET', path)).status, 404)
    t.equal((await ask2('PATCH', path, { display_name: 'x' })).status, 404)
    t.equal((await ask2('PATCH', `${path}/password`, { password: 'Another-1-secret' })).status, 404)
    t.equal((await ask2('DELETE', path)).status, 404)
  }
})

t.test('a key without the scope is refused', async (t) => {
  const { ask, key, mailbox, domainId } = await startApi(t)
  const path = `/v1/mailboxes/${(await mailbox('alice')).accountId}`
  const reader = await key(['mailboxes:read'])
  const writer = await key(['mailboxes:write'])
  t.equal(
    (await ask('POST', '/v1/mailboxes', { key: reader, body: { domain_id: domainId, address: 'x' } })).status,
    403,
  )
  t.equal((await ask('PATCH', path, { key: reader, body: { display_name: 'x' } })).status, 403)
  t.equal((await ask('PATCH', `${path}/password`, { key: reader, body: { password: 'Another-1-x' } })).status, 403)
  t.equal((await ask('DELETE', path, { key: reader })).status, 403)
  t.equal((await ask('GET', path, { key: writer })).status, 403)
  t.equal((await ask('GET', '/v1/mailboxes', { key: writer })).status, 403)
  t.equal((await ask('GET', path, { key: reader })).status, 200)
})

t.test('folders are listed with roles, counts and order', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  await alice.call('Mailbox/set', {
    create: { p: { name: 'Projects', sortOrder: 100, parentId: alice.roles['inbox'] ?? null } },
  })
  const { receive } = alice
  await receive('From: a@example.org\nSubject: one\n\nx\n')
  const { status, body } = await ask('GET', `/v1/mailboxes/${alice.accountId}/folders`)
  t.equal(status, 200)
  t.match(body, { object: 'mailbox_folders', mailbox_id: alice.accountId, address: 'alice@example.test' })
  t.same(
    body.data.map((folder: { role: string | null; kind: string }) => [folder.role, folder.kind]),
    [
      ['inbox', 'system'],
      ['drafts', 'system'],
      ['sent', 'system'],
      ['archive', 'system'],
      ['junk', 'system'],
      ['trash', 'system'],
      [null, 'custom'],
    ],
  )
  t.match(body.data[0], {
    object: 'mailbox_folder',
    total_emails: 1,
    unread_emails: 1,
    unread_threads: 1,
    parent_id: null,
  })
  t.match(body.data[6], { name: 'Projects', parent_id: alice.roles['inbox'], total_emails: 0, sort_order: 100 })
})

t.test('unread threads are counted by the unread messages of the folder itself', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const first = await alice.receive('From: a@example.org\nSubject: one\nMessage-ID: <1@x>\n\nx\n')
  await alice.receive('From: a@example.org\nSubject: one\nMessage-ID: <2@x>\nIn-Reply-To: <1@x>\n\nx\n')
  const update = { [first]: { mailboxIds: { [alice.roles['archive']!]: true }, 'keywords/$seen': true } }
  await alice.call('Email/set', { update })
  const { body } = await ask('GET', `/v1/mailboxes/${alice.accountId}/folders`)
  const unread = Object.fromEntries(
    body.data.map((f: { role: string; unread_threads: number }) => [f.role, f.unread_threads]),
  )
  t.match(unread, { inbox: 1, archive: 0 })
})

t.test('identities are listed', async (t) => {
  const { ask, domainId } = await startApi(t)
  const { body: made } = await ask('POST', '/v1/mailboxes', {
    body: { domain_id: domainId, address: 'alice', display_name: 'Alice' },
  })
  const { status, body } = await ask('GET', `/v1/mailboxes/${made.id}/identities`)
  t.equal(status, 200)
  t.match(body, {
    object: 'mailbox_identities',
    mailbox_id: made.id,
    address: 'alice@example.test',
    data: [{ object: 'mailbox_identity', id: /^idn_/, name: 'Alice', email: 'alice@example.test' }],
  })
})

t.test('an identity without a name has its address as name', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const { accountId } = await mailbox('alice')
  const { body } = await ask('GET', `/v1/mailboxes/${accountId}/identities`)
  t.equal(body.data[0].name, 'alice@example.test')
})

t.test('folders and identities are closed to other organizations and restricted keys', async (t) => {
  const { ask, mailbox, stranger, key } = await startApi(t)
  const [a, b] = [await mailbox('a'), await mailbox('b')]
  const { mailboxId } = await stranger()
  const restricted = await key(['mailboxes:read'], { mailboxIds: [a.accountId] })
  const weak = await key(['messages:read'])
  for (const list of ['folders', 'identities']) {
    const status = async (id: string, used?: string) =>
      (await ask('GET', `/v1/mailboxes/${id}/${list}`, used ? { key: used } : {})).status
    t.equal(await status(a.accountId, restricted), 200)
    t.equal(await status(b.accountId, restricted), 403)
    t.equal(await status(mailboxId), 404)
    t.equal(await status(mailboxId, restricted), 404)
    t.equal(await status('nothing'), 404)
    t.equal(await status(a.accountId, weak), 403)
  }
})
