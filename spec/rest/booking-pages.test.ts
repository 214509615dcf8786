// Decisions D23, D32
import t from 'tap'
import type { Result } from '../support/core.ts'
import { faults, startApi } from '../support/rest-api.ts'

t.test('booking pages', async (t) => {
  const { ask, key, mailbox, stranger, request, organization } = await startApi(t)
  const foreign = await stranger()
  const [ada, bob] = [await mailbox('ada'), await mailbox('bob')]
  const create = (page: object) => ask('POST', '/v1/booking-pages', { body: { mailbox: ada.address, ...page } })

  t.test('a page is created with its defaults, read, changed and deleted', async (t) => {
    const made = await create({ name: ' Intro call ' })
    t.equal(made.status, 201)
    t.match(made.body, {
      object: 'booking_page',
      id: /^bkp_/,
      mailbox: 'ada@example.test',
      slug: 'intro-call',
      name: 'Intro call',
      description: null,
      duration_minutes: 30,
      availability_days: [1, 2, 3, 4, 5],
      window_start_minutes: 540,
      window_end_minutes: 1020,
      timezone: 'UTC',
      buffer_minutes: 0,
      minimum_notice_minutes: 120,
      max_advance_days: 60,
      conferencing_provider: null,
      active: true,
      embed_origins: [],
      confirm_by_email: false,
      created_at: /Z$/,
      updated_at: /Z$/,
    })
    const [own] = await request([['Organization/get', { accountId: organization.accountId, ids: null }]])
    const { slug } = (own as Result)[1].list[0]
    t.equal(made.body.url, `https://mail.example.test/book/${slug}/intro-call`)
    const path = `/v1/booking-pages/${made.body.id}`
    t.same((await ask('GET', path)).body, made.body)
    const patch = {
      name: 'Call',
      slug: 'call',
      description: 'Half an hour',
      duration_minutes: 45,
      availability_days: [0, 6],
      window_start_minutes: 0,
      window_end_minutes: 1440,
      timezone: 'Europe/Berlin',
      buffer_minutes: 240,
      minimum_notice_minutes: 0,
      max_advance_days: 730,
      conferencing_provider: null,
      active: false,
      embed_origins: ['https://www.example.com', 'http://localhost:3000'],
      confirm_by_email: true,
      mailbox: bob.address,
    }
    const changed = await ask('PATCH', path, { body: patch })
    t.match(changed, { status: 200, body: { ...patch, id: made.body.id } })
    t.match(changed.body.url, /\/call$/)
    t.match((await ask('PATCH', path, { body: { description: null } })).body, { description: null, name: 'Call' })
    t.equal((await ask('DELETE', path)).status, 204)
    for (const method of ['GET', 'DELETE']) t.equal((await ask(method, path)).status, 404)
    t.equal((await ask('PATCH', path, { body: { name: 'x' } })).status, 404)
  })

  t.test('a slug is unique in the organization', async (t) => {
    const first = await create({ name: 'Über uns!' })
    t.equal(first.body.slug, 'uber-uns')
    t.equal((await create({ name: 'uber uns' })).body.slug, 'uber-uns-2')
    t.equal((await create({ name: '日本' })).body.slug, 'meeting')
    const taken = await create({ name: 'x', slug: 'uber-uns' })
    t.match(taken, { status: 409, body: { error: { type: 'conflict', code: 'slug_taken' } } })
    const other = await create({ name: 'Other' })
    const path = `/v1/booking-pages/${other.body.id}`
    t.match(await ask('PATCH', path, { body: { slug: 'uber-uns' } }), {
      status: 409,
      body: { error: { code: 'slug_taken' } },
    })
    t.equal((await ask('PATCH', path, { body: { slug: 'other' } })).status, 200, 'control: its own slug')
    const theirs = { name: 'x', mailbox: 'stranger@other.test', slug: 'uber-uns' }
    t.equal((await ask('POST', '/v1/booking-pages', { key: foreign.key, body: theirs })).status, 201)
  })

  t.test('the zone of a page is by default that of the owner', async (t) => {
    const path = `/v1/mailboxes/${bob.accountId}`
    t.same(faults(await ask('PATCH', path, { body: { timezone: 'Mars/Base' } })), [['timezone', 'invalid_format']])
    t.match(await ask('PATCH', path, { body: { timezone: 'Asia/Kathmandu' } }), {
      status: 200,
      body: { timezone: 'Asia/Kathmandu', display_name: null },
    })
    t.equal((await create({ name: 'z', mailbox: bob.address.toUpperCase() })).body.timezone, 'Asia/Kathmandu')
    t.match((await ask('PATCH', path, { body: { timezone: null } })).body, { timezone: null })
    t.same(faults(await ask('PATCH', path, { body: {} })), [[null, 'required']])
  })

  t.test('wrong values are refused by field', async (t) => {
    const wrong = async (page: object) => faults(await create({ name: 'x', ...page }))
    t.same(await wrong({ name: ' ' }), [['name', 'invalid_format']])
    t.same(await wrong({ name: 'a\nb' }), [['name', 'invalid_format']])
    t.same(await wrong({ name: 'x'.repeat(201) }), [['name', 'too_long']])
    t.same(faults(await ask('POST', '/v1/booking-pages', { body: {} })), [
      ['name', 'required'],
      ['mailbox', 'required'],
    ])
    for (const slug of ['', 'A', '-a-', 'ab', 'a b', 'x'.repeat(65), 7])
      t.same((await wrong({ slug })).map(([field]) => field).slice(0, 1), ['slug'], String(slug))
    t.same(await wrong({ duration_minutes: 4 }), [['duration_minutes', 'out_of_range']])
    t.same(await wrong({ duration_minutes: 481 }), [['duration_minutes', 'out_of_range']])
    t.same(await wrong({ availability_days: [] }), [['availability_days', 'too_short']])
    t.same(await wrong({ availability_days: [1, 1] }), [['availability_days', 'not_allowed']])
    t.same(await wrong({ availability_days: [7] }), [['availability_days[0]', 'out_of_range']])
    t.same(await wrong({ window_start_minutes: 600, window_end_minutes: 600 }), [
      ['window_end_minutes', 'out_of_range'],
    ])
    t.same(await wrong({ window_end_minutes: 1441 }), [['window_end_minutes', 'out_of_range']])
    t.same(await wrong({ timezone: 'Mars/Base' }), [['timezone', 'invalid_format']])
    t.same(await wrong({ timezone: '+01:00' }), [['timezone', 'invalid_format']])
    t.same(await wrong({ buffer_minutes: 241 }), [['buffer_minutes', 'out_of_range']])
    t.same(await wrong({ minimum_notice_minutes: -1 }), [['minimum_notice_minutes', 'out_of_range']])
    t.same(await wrong({ max_advance_days: 731 }), [['max_advance_days', 'out_of_range']])
    t.same(await wrong({ description: 'x'.repeat(2001) }), [['description', 'too_long']])
    t.same(await wrong({ conferencing_provider: 'teams' }), [['conferencing_provider', 'not_allowed']])
    t.same(await wrong({ active: null }), [['active', 'invalid_type']])
    const origins = [
      'example.com',
      'https://example.com/',
      "https://a;script-src 'none'",
      'https://*.example.com',
      'data:',
    ]
    for (const origin of origins)
      t.same(await wrong({ embed_origins: [origin] }), [['embed_origins', 'invalid_format']])
    t.match(await create({ name: 'x', conferencing_provider: 'zoom' }), {
      status: 422,
      body: {
        error: { code: 'provider_not_connected', details: [{ field: 'conferencing_provider', code: 'not_allowed' }] },
      },
    })
    t.same(faults(await ask('PATCH', `/v1/booking-pages/${(await create({ name: 'x' })).body.id}`, { body: {} })), [
      [null, 'required'],
    ])
  })

  t.test('a key for other mailboxes is refused, and lists the pages of its own', async (t) => {
    const { body: page } = await create({ name: 'Only Ada' })
    const { body: mine } = await create({ name: 'Bob', mailbox: bob.address })
    const limited = await key(['booking_pages:read', 'booking_pages:write'], { mailboxIds: [bob.accountId] })
    const as = { key: limited }
    const denied = { status: 403, body: { error: { code: 'mailbox_access_denied' } } }
    const path = `/v1/booking-pages/${page.id}`
    t.match(await ask('GET', path, as), denied)
    t.match(await ask('PATCH', path, { ...as, body: { name: 'x' } }), denied)
    t.match(await ask('DELETE', path, as), denied)
    t.match(await ask('POST', '/v1/booking-pages', { ...as, body: { name: 'x', mailbox: ada.address } }), denied)
    const own = `/v1/booking-pages/${mine.id}`
    t.equal((await ask('GET', own, as)).status, 200, 'control')
    t.match(await ask('PATCH', own, { ...as, body: { mailbox: ada.address } }), denied)
    const { data } = (await ask('GET', '/v1/booking-pages', as)).body
    t.ok(data.length > 0 && data.every((one: { mailbox: string }) => one.mailbox === bob.address))
    const reader = await key(['booking_pages:read'])
    t.equal((await ask('DELETE', path, { key: reader })).status, 403)
    t.equal((await ask('GET', path, { key: foreign.key })).status, 404)
    for (const address of ['nobody@example.test', 'stranger@other.test', 'x'])
      t.equal((await create({ name: 'x', mailbox: address })).status, 404, address)
  })

  t.test('pages are listed newest first, and go with their mailbox', async (t) => {
    const eve = await mailbox('eve')
    for (const name of ['Eve 1', 'Eve 2', 'Eve 3']) await create({ name, mailbox: eve.address })
    const slugs = ({ data }: { data: { slug: string }[] }) => data.map(({ slug }) => slug)
    const first = (await ask('GET', '/v1/booking-pages?limit=2')).body
    t.same(slugs(first), ['eve-3', 'eve-2'])
    const next = (await ask('GET', `/v1/booking-pages?limit=1&cursor=${first.pagination.next_cursor}`)).body
    t.same(slugs(next), ['eve-1'])
    const before = slugs((await ask('GET', '/v1/booking-pages?limit=100')).body).length
    await ask('DELETE', `/v1/mailboxes/${eve.accountId}`)
    t.equal(slugs((await ask('GET', '/v1/booking-pages?limit=100')).body).length, before - 3)
  })
})
