// Decisions D6, D18, D31, E8
import t from 'tap'
import { PLANS } from '../../server/base/sending-limits.ts'
import type { Result } from '../support/core.ts'
import { faults, startApi } from '../support/rest-api.ts'

t.test('audiences and subscribers', async (t) => {
  const api = await startApi(t)
  const { ask, key, mailbox, stranger } = api
  const foreign = await stranger()
  const consent_source = 'Checkbox in the shop'
  const audience = async (name = 'News'): Promise<string> =>
    (await ask('POST', '/v1/audiences', { body: { name, consent_source } })).body.id
  const add = (id: string, body: object) => ask('POST', `/v1/audiences/${id}/subscribers`, { body })
  const batch = (id: string, subscribers: unknown, more: object = {}) =>
    ask('POST', `/v1/audiences/${id}/subscribers/batch`, { body: { subscribers, ...more } })
  const byEmail = (id: string, email: string) =>
    ask('GET', `/v1/audiences/${id}/subscribers/by-email/${encodeURIComponent(email)}`)

  t.test('an audience is created, listed, read, changed and deleted', async (t) => {
    const made = await ask('POST', '/v1/audiences', { body: { name: 'News', consent_source } })
    t.equal(made.status, 201)
    t.match(made.body, {
      object: 'audience',
      id: /^aud_[a-z2-7]+$/,
      name: 'News',
      description: null,
      member_count: 0,
      subscribed_count: 0,
      consent_source,
      signup_page: false,
      signup_url: null,
      created_at: /\.\d{3}Z$/,
      updated_at: /\.\d{3}Z$/,
    })
    t.equal(Object.keys(made.body).length, 11)
    const path = `/v1/audiences/${made.body.id}`
    t.same((await ask('GET', path)).body, made.body)
    const { body: listed } = await ask('GET', '/v1/audiences')
    t.same(listed, { data: [made.body], pagination: { next_cursor: null, has_more: false, limit: 50 } })
    const patch = { name: 'Weekly', description: 'Each Monday' }
    t.match(await ask('PATCH', path, { body: { ...patch, consent_source: 'other' } }), {
      status: 200,
      body: { ...patch, consent_source },
    })
    t.match((await ask('PATCH', path, { body: { description: null } })).body, { name: 'Weekly', description: null })
    const shown = (await ask('PATCH', path, { body: { signup_page: true } })).body
    t.match(shown, { signup_page: true, signup_url: `https://mail.example.test/subscribe/${made.body.id}` })
    t.equal((await ask('PATCH', path, { body: { signup_page: false } })).body.signup_url, null)
    await add(made.body.id, { email_address: 'gone@example.org' })
    t.equal((await ask('DELETE', path)).status, 204)
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { name: 'x' }]] as const)
      t.equal((await ask(method, path, { ...(body && { body }) })).status, 404)
    t.equal((await ask('GET', `${path}/subscribers`)).status, 404)
    t.equal((await byEmail(made.body.id, 'gone@example.org')).status, 404)
  })

  t.test('name and consent_source are required, and lengths are limited', async (t) => {
    const create = (body: object) => ask('POST', '/v1/audiences', { body })
    t.same(faults(await create({})), [
      ['name', 'required'],
      ['consent_source', 'required'],
    ])
    t.same(faults(await create({ name: 'x', consent_source: '  ' })), [['consent_source', 'invalid_format']])
    t.same(faults(await create({ name: '', consent_source }))[0], ['name', 'too_short'])
    const long = { name: 'x'.repeat(201), description: 'x'.repeat(1_001), consent_source: 'x'.repeat(501) }
    t.same(
      faults(await create(long)).map(([field]) => field),
      ['name', 'description', 'consent_source'],
    )
    t.same(faults(await create({ name: 'a\r\nBcc: b@example.org', consent_source })), [['name', 'invalid_format']])
    const most = { name: 'ü'.repeat(200), description: 'x'.repeat(1_000), consent_source: 'x'.repeat(500) }
    t.match(await create(most), { status: 201, body: most }, 'control')
    t.same(faults(await ask('PATCH', `/v1/audiences/${await audience()}`, { body: {} })), [[null, 'required']])
  })

  t.test('adding answers 200 with an outcome, and merges what is repeated', async (t) => {
    const id = await audience()
    const first = { email_address: ' Jane@Example.org ', display_name: 'Jane', merge_fields: { city: 'Rome', age: 7 } }
    const made = await add(id, first)
    t.match(made, { status: 200 })
    t.same(made.body, { email_address: 'jane@example.org', outcome: 'created' })
    t.same((await add(id, { email_address: 'JANE@example.org', merge_fields: { age: null } })).body.outcome, 'updated')
    const { body: shown } = await byEmail(id, 'Jane@Example.org')
    t.match(shown, {
      object: 'subscriber',
      id: /^sub_[a-z2-7]+$/,
      audience_id: id,
      email_address: 'jane@example.org',
      display_name: 'Jane',
      status: 'subscribed',
      merge_fields: { city: 'Rome', age: null },
      consent_source,
      created_at: /\.\d{3}Z$/,
      updated_at: /\.\d{3}Z$/,
    })
    t.equal(Object.keys(shown).length, 10)
    t.same((await ask('GET', `/v1/audiences/${id}/subscribers/${shown.id}`)).body, shown)
    t.match((await ask('GET', `/v1/audiences/${id}`)).body, { member_count: 1, subscribed_count: 1 })
    t.same((await add(id, { email_address: 'Info@example.org' })).body, {
      email_address: 'info@example.org',
      outcome: 'skipped_invalid',
    })
    t.same((await add(id, { email_address: ' NoBody ' })).body, { email_address: 'nobody', outcome: 'skipped_invalid' })
    t.equal((await byEmail(id, 'nobody')).status, 404)
    t.equal((await byEmail(await audience(), 'jane@example.org')).status, 404, 'in that audience only')
  })

  t.test('values of a wrong form are 422 for a single add', async (t) => {
    const id = await audience()
    const wrong = (body: object) => add(id, { email_address: 'a@example.org', ...body }).then(faults)
    t.same(faults(await add(id, {})), [['email_address', 'required']])
    t.same(await wrong({ email_address: 7 }), [['email_address', 'invalid_type']])
    t.same(await wrong({ display_name: 'x'.repeat(201) }), [['display_name', 'too_long']])
    t.same((await wrong({ merge_fields: { '1st': 'x' } }))[0]![1], 'invalid_format')
    t.match((await wrong({ merge_fields: { city: 'x'.repeat(1_001) } }))[0]!, ['merge_fields.city', 'too_long'])
    t.match((await wrong({ merge_fields: { city: [] } }))[0]![0], /^merge_fields/)
    const fields = (count: number, prefix = 'f') =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i]))
    t.same((await wrong({ merge_fields: fields(51) }))[0]![0], 'merge_fields')
    t.equal((await add(id, { email_address: 'a@example.org', merge_fields: fields(50) })).body.outcome, 'created')
    t.same(await wrong({ merge_fields: { more: 1 } }), [['merge_fields', 'too_long']], 'after the merge')
    t.equal((await add('aud_none', { email_address: 'a@example.org' })).status, 404)
  })

  t.test('a batch has one outcome for each row, in order', async (t) => {
    const id = await audience()
    await ask('POST', '/v1/suppressions', { body: { email_address: 'gone@example.org' } })
    const rows = [
      { email_address: ' A@Example.org ' },
      { email_address: 'gone@example.org' },
      { email_address: 'info@example.org' },
      { email_address: 'b@example.org', merge_fields: { city: 7, x: [] } },
      { email_address: 'a@example.org', display_name: 'A' },
      { email_address: 7 },
      {},
      { email_address: 'c@example.org', unknown: true },
    ]
    const { status, body } = await batch(id, rows)
    t.equal(status, 200)
    const outcomes =
      'created skipped_not_mailable skipped_invalid skipped_invalid updated skipped_invalid skipped_invalid created'
    t.same(
      body.results.map(({ outcome }: Result) => outcome),
      outcomes.split(' '),
    )
    t.same(body.results[0], { email_address: 'a@example.org', outcome: 'created' })
    for (const wrong of [[], 'x', undefined, ['a@example.org'], Array(1_001).fill({ email_address: 'a@example.org' })])
      t.equal((await batch(id, wrong)).status, 422)
    const full = Array.from({ length: 1_000 }, (_, i) => ({ email_address: `r${i}@example.org` }))
    t.equal((await batch(id, full)).body.results.length, 1_000)
    t.equal((await batch(id, full.slice(0, 1), { padding: 'x'.repeat(1_100_000) })).status, 413)
    t.equal((await batch('aud_none', rows)).status, 404)
  })

  t.test('subscribers are listed newest first, by pages, status and address', async (t) => {
    const id = await audience()
    await batch(
      id,
      'abcde'.split('').map((name) => ({ email_address: `${name}@list.example` })),
    )
    const path = `/v1/audiences/${id}/subscribers`
    const names = ({ body }: Result) => body.data.map(({ email_address }: Result) => email_address[0]).join('')
    t.equal(names(await ask('GET', path)), 'edcba')
    const page = await ask('GET', `${path}?limit=2`)
    t.same([names(page), page.body.pagination.has_more], ['ed', true])
    const next = await ask('GET', `${path}?limit=2&cursor=${page.body.pagination.next_cursor}`)
    t.equal(names(next), 'cb')
    const { id: left } = (await byEmail(id, 'c@list.example')).body
    await ask('POST', `${path}/${left}/unsubscribe`)
    t.equal(names(await ask('GET', `${path}?status=subscribed`)), 'edba')
    t.equal(names(await ask('GET', `${path}?status=unsubscribed`)), 'c')
    const some = await ask('GET', `${path}?status=subscribed&limit=1`)
    const more = await ask('GET', `${path}?limit=10&cursor=${some.body.pagination.next_cursor}`)
    t.equal(names(more), 'dba', 'the cursor holds the filter')
    for (const name of ['email', 'email_address'])
      t.equal(names(await ask('GET', `${path}?${name}=%20B%40LIST.example`)), 'b')
    t.equal(names(await ask('GET', `${path}?email=nobody`)), '')
    t.same(faults(await ask('GET', `${path}?email=a@x.example&email_address=b@x.example`)), [
      ['email_address', 'not_allowed'],
    ])
    t.equal((await ask('GET', `${path}?status=gone`)).status, 422)
    t.equal((await ask('GET', `${path}?cursor=x`)).status, 422)
    t.equal((await ask('GET', '/v1/audiences/aud_none/subscribers')).status, 404)
  })

  t.test('a subscriber is changed, unsubscribed everywhere and deleted, and cannot be added again', async (t) => {
    const [id, other] = [await audience(), await audience()]
    for (const one of [id, other]) await add(one, { email_address: 'joe@example.org', merge_fields: { a: 1, b: 2 } })
    const { body: joe } = await byEmail(id, 'joe@example.org')
    const path = `/v1/audiences/${id}/subscribers/${joe.id}`
    const patch = { display_name: 'Joe', merge_fields: { c: 3 } }
    const changed = await ask('PATCH', path, { body: patch })
    t.match(changed, { status: 200, body: { display_name: 'Joe' } })
    t.same(changed.body.merge_fields, { c: 3 }, 'replaced as a whole')
    t.same((await ask('PATCH', path, { body: { display_name: null } })).body.display_name, null)
    t.same(faults(await ask('PATCH', path, { body: {} })), [[null, 'required']])
    t.equal((await ask('PATCH', path, { body: { merge_fields: null } })).status, 422)
    const elsewhere = `/v1/audiences/${other}/subscribers/${joe.id}`
    for (const method of ['GET', 'DELETE']) t.equal((await ask(method, elsewhere)).status, 404, 'of another audience')
    t.equal((await ask('POST', `${elsewhere}/unsubscribe`)).status, 404)
    for (const _ of [1, 2])
      t.match(await ask('POST', `${path}/unsubscribe`), { status: 200, body: { id: joe.id, status: 'unsubscribed' } })
    t.equal((await byEmail(other, 'joe@example.org')).body.status, 'unsubscribed')
    t.match((await ask('GET', `/v1/audiences/${other}`)).body, { member_count: 1, subscribed_count: 0 })
    t.equal((await ask('DELETE', path)).status, 204)
    t.equal((await ask('GET', path)).status, 404)
    t.equal((await add(id, { email_address: 'joe@example.org' })).body.outcome, 'skipped_not_mailable')
    t.match((await ask('GET', `/v1/audiences/${id}`)).body, { member_count: 0, subscribed_count: 0 })
  })

  t.test('a CSV file is imported with an outcome for each row, and exported as a stream', async (t) => {
    const id = await audience()
    const headers = { 'Content-Type': 'text/csv; charset=utf-8' }
    const path = `/v1/audiences/${id}/import`
    const rows = Array.from({ length: 1_500 }, (_, i) => `r${i}@csv.example,"Reader, ${i}",Rome`)
    const raw = ['email,name,city', 'info@csv.example,,', ...rows].join('\r\n')
    const { status, body } = await ask('POST', path, { raw, headers })
    t.equal(status, 200)
    t.match(body, {
      object: 'audience_import',
      audience_id: id,
      rows: 1_501,
      outcomes: { created: 1_500, skipped_invalid: 1 },
    })
    t.same(body.results[0], { record: 2, email_address: 'info@csv.example', outcome: 'skipped_invalid' })
    t.same(body.results[1_500], { record: 1_502, email_address: 'r1499@csv.example', outcome: 'created' })
    t.match((await byEmail(id, 'r7@csv.example')).body, { display_name: 'Reader, 7', merge_fields: { city: 'Rome' } })
    const file = await ask('GET', `/v1/audiences/${id}/export`)
    t.match([file.status, file.headers.get('content-type')], [200, 'text/csv; charset=utf-8'])
    t.match(file.headers.get('content-disposition'), `filename="${id}.csv"`)
    const lines = file.text.split('\r\n')
    t.equal(lines.length, 1_502)
    t.match(lines[1], 'r1499@csv.example,"Reader, 1499",subscribed,"{""city"":""Rome""}",')
    const other = await audience()
    const again = await ask('POST', `/v1/audiences/${other}/import`, { raw: file.text, headers })
    t.same(again.body.outcomes.created, 1_500, 'an export can be imported')
    const refused = async (text: string) => {
      const answer = await ask('POST', path, { raw: text, headers })
      t.same(faults(answer), [[null, 'invalid_format']])
      return answer.body.error.message
    }
    t.match(await refused('email\nnew@csv.example\n"x'), 'a quote is out of place')
    t.equal((await byEmail(id, 'new@csv.example')).status, 404, 'a file with a fault adds nothing')
    t.match(await refused('name\nx'), 'no column email_address')
    t.match(await refused(`email\n${'a@csv.example\n'.repeat(10_001)}`), 'more than 10000 rows')
    t.equal((await ask('POST', path, { raw: '{}', headers: { 'Content-Type': 'application/json' } })).status, 415)
    t.equal((await ask('POST', path, { raw: Buffer.from([0xff, 0xfe, 0xff]) as never, headers })).status, 422)
    for (const [method, part] of [
      ['POST', 'import'],
      ['GET', 'export'],
    ] as const)
      t.equal(
        (await ask(method, `/v1/audiences/aud_none/${part}`, { ...(method === 'POST' && { raw, headers }) })).status,
        404,
      )
  })

  t.test('a repeated request with the same Idempotency-Key adds once', async (t) => {
    const id = await audience()
    const again = () =>
      ask('POST', `/v1/audiences/${id}/subscribers`, {
        body: { email_address: 'once@example.org' },
        headers: { 'Idempotency-Key': 'add-once' },
      })
    t.same([(await again()).body.outcome, (await again()).body.outcome], ['created', 'created'])
  })

  t.test('reading needs either scope, writing that for writing, and limited keys are refused', async (t) => {
    const id = await audience()
    const reader = await key(['audiences:read'])
    const writer = await key(['audiences:write'])
    for (const one of [reader, writer])
      for (const path of ['/v1/audiences', `/v1/audiences/${id}`, `/v1/audiences/${id}/subscribers`])
        t.equal((await ask('GET', path, { key: one })).status, 200, path)
    const body = { email_address: 'scope@example.org' }
    const lacks = { status: 403, body: { error: { type: 'authorization_error', code: 'missing_scope' } } }
    t.match(await ask('POST', `/v1/audiences/${id}/subscribers`, { key: reader, body }), lacks)
    t.match(await ask('GET', '/v1/audiences', { key: await key(['newsletters:read']) }), lacks)
    t.equal((await ask('POST', `/v1/audiences/${id}/subscribers`, { key: writer, body })).status, 200)
    const { accountId } = await mailbox('limited')
    const limited = await key(['audiences:read', 'audiences:write'], { mailboxIds: [accountId] })
    const denied = { status: 403, body: { error: { code: 'mailbox_access_denied' } } }
    t.match(await ask('GET', '/v1/audiences', { key: limited }), denied)
    t.match(await ask('POST', `/v1/audiences/${id}/subscribers`, { key: limited, body }), denied)
    t.equal((await ask('GET', `/v1/audiences/${id}`, { key: foreign.key })).status, 404)
    t.equal(
      (await ask('GET', `/v1/audiences/${id}/subscribers/by-email/scope%40example.org`, { key: foreign.key })).status,
      404,
    )
  })
})

t.test('an organization without a plan adds nobody', async (t) => {
  const { ask } = await startApi(t, { limits: { plan: PLANS.free } as never })
  const { body } = await ask('POST', '/v1/audiences', { body: { name: 'News', consent_source: 'Form' } })
  const added = await ask('POST', `/v1/audiences/${body.id}/subscribers`, { body: { email_address: 'a@example.org' } })
  t.match(added, { status: 200, body: { outcome: 'skipped_quota' } })
  t.match((await ask('GET', '/v1/usage')).body, { audience_ingest: { used: 0, limit: 0 } })
})
