// Decisions D6, D19, D31; the contract, Newsletters
import t from 'tap'
import { Newsletter } from '../../jmap/newsletters/newsletter/newsletter.type.ts'
import { settingsOf } from '../../jmap/newsletters/newsletter/stored-newsletter.ts'
import { findNewsletter, updateNewsletter } from '../../storage/repos/newsletters.ts'
import { faults, startApi } from '../support/rest-api.ts'

const BLOCKS = [
  { type: 'heading', text: 'May' },
  { type: 'paragraph', body: 'Hello {{first_name|there}}' },
  { type: 'button', label: 'More', url: 'https://www.example.com/may' },
]

t.test('newsletters', async (t) => {
  const limits = { newsletterContentBytes: 2_000_000 }
  const api = await startApi(t, {}, 'sqlite', limits)
  const { ask, key, mailbox, stranger, request, organization, domainId } = api
  const foreign = await stranger()
  const ada = await mailbox('ada')
  const create = (body: object, more: object = {}) => ask('POST', '/v1/newsletters', { body, ...more })
  const audience = async () =>
    (await ask('POST', '/v1/audiences', { body: { name: 'Readers', consent_source: 'Form' } })).body.id as string

  t.test('a draft is created with its defaults, read, listed, changed and deleted', async (t) => {
    const made = await create({ blocks: BLOCKS, subject: 'May' })
    t.equal(made.status, 201)
    t.match(made.body, {
      object: 'newsletter',
      id: /^nws_/,
      name: 'May',
      status: 'draft',
      audience_id: null,
      newsletter_domain_id: /^nwd_/,
      from_name: null,
      from_address: 'newsletter@example.test',
      reply_to_mailbox_id: null,
      subject: 'May',
      preview_text: null,
      language: 'en',
      blocks: BLOCKS,
      body_html: /^<!doctype html>.*\{\{first_name\|there\}\}/s,
      body_text: '## May\n\nHello {{first_name|there}}\n\nMore: https://www.example.com/may',
      send_window_hours: 4,
      archive_visibility: 'private',
      archive_url: null,
      scheduled_at: null,
      last_test_sent_at: null,
      stats: { recipients: 0, sent: 0, remaining: 0 },
      paused_reason: null,
      created_at: /Z$/,
    })
    const path = `/v1/newsletters/${made.body.id}`
    t.same((await ask('GET', path)).body, made.body)
    const second = await create({ body_text: 'One\nTwo' })
    t.match(second.body, { name: 'Untitled', blocks: [{ type: 'paragraph', body: 'One\nTwo' }] })
    const list = await ask('GET', '/v1/newsletters?limit=1')
    t.match(list.body, { data: [{ id: second.body.id }], pagination: { has_more: true, limit: 1 } })
    const next = await ask('GET', `/v1/newsletters?limit=1&cursor=${list.body.pagination.next_cursor}`)
    t.same(next.body.data, [made.body])
    const patch = {
      audience_id: await audience(),
      name: 'Spring',
      from_name: 'Ada',
      from_address: 'ada@example.test',
      reply_to_mailbox_id: ada.accountId,
      subject: 'News for {{first_name}}',
      preview_text: 'What happened',
      language: 'de-AT',
      send_window_hours: 72,
      archive_visibility: 'public',
    }
    const changed = await ask('PATCH', path, { body: patch })
    t.match(changed, { status: 200, body: { ...patch, blocks: BLOCKS } })
    t.same((await ask('GET', path)).body, changed.body)
    t.equal((await ask('DELETE', path)).status, 204)
    for (const method of ['GET', 'DELETE']) t.equal((await ask(method, path)).status, 404)
    t.equal((await ask('PATCH', path, { body: { name: 'x' } })).status, 404)
  })

  t.test('blocks come before body_html, and that before body_text', async (t) => {
    const all = { blocks: BLOCKS, body_html: '<p>html</p>', body_text: 'text' }
    t.match((await create(all)).body, { blocks: BLOCKS, body_text: 'text' })
    const html = (await create({ ...all, blocks: undefined })).body
    t.same([html.blocks, html.body_text], [[{ type: 'custom_html', html: '<p>html</p>' }], 'text'])
    t.match(html.body_html, /<p>html<\/p>/)
    const path = `/v1/newsletters/${html.id}`
    t.match((await ask('PATCH', path, { body: { body_text: 'own' } })).body, { blocks: html.blocks, body_text: 'own' })
    t.match((await ask('PATCH', path, { body: { body_html: '<b>b</b>' } })).body, {
      blocks: [{ type: 'custom_html', html: '<b>b</b>' }],
      body_text: 'own',
    })
    t.match((await ask('PATCH', path, { body: { blocks: BLOCKS, body_html: '<i>i</i>' } })).body, { blocks: BLOCKS })
    t.match((await ask('PATCH', path, { body: { body_html: null, body_text: '' } })).body, {
      blocks: BLOCKS,
      body_text: 'own',
    })
    t.same(faults(await create({ body_html: '', body_text: null, subject: 'x' })), [[null, 'required']])
    t.same(faults(await create({ blocks: [] })), [['blocks', 'too_short']])
  })

  t.test('a long body_text is several paragraphs, and all newsletters have so many octets', async (t) => {
    const line = `${'word '.repeat(100)}\n`
    const long = line.repeat(Math.floor(512_000 / line.length))
    const made = await create({ body_text: long })
    t.equal(made.status, 201)
    const bodies = made.body.blocks.map(({ type, body }: { type: string; body: string }) => `${type} ${body}`)
    t.ok(bodies.length > 20 && bodies.every((body: string) => body.length <= 20_010))
    t.equal(bodies.map((body: string) => body.replace(/^paragraph /, '')).join(''), long, 'nothing is lost')
    const words = `${'x'.repeat(19_985)}{{first_name|my friend}} ${'\u{1f600}'.repeat(11_000)}`
    const parts = (await create({ body_text: words })).body.blocks.map(({ body }: { body: string }) => body) as string[]
    t.equal(parts.join(''), words)
    t.ok(parts.every((part) => part.isWellFormed() && part.includes('{{') === part.includes('}}')))
    const full = {
      status: 422,
      body: { error: { code: 'newsletter_limit_reached', message: /at most 2000000 octets/ } },
    }
    t.match(await create({ body_text: long }), full)
    const path = `/v1/newsletters/${made.body.id}`
    t.match(await ask('POST', `${path}/duplicate`), full)
    t.match(await ask('PATCH', path, { body: { body_text: long } }), full)
    const used = async () => (await ask('GET', '/v1/usage')).body.newsletter_content_bytes
    t.match(await used(), { used: Number, limit: 2_000_000 })
    const before = (await used()).used
    t.equal((await ask('DELETE', path)).status, 204)
    t.ok((await used()).used < before - 1_500_000)
    t.match(await create({ body_text: long }), { status: 201 }, 'control')
    for (const { id } of (await ask('GET', '/v1/newsletters?limit=100')).body.data)
      await ask('DELETE', `/v1/newsletters/${id}`)
    t.same(faults(await create({ body_text: ' \n ' })), [['body_text', 'required']])
    t.same(faults(await create({ body_text: '{{a b}}' })), [['body_text', 'invalid_format']])
    t.same(faults(await create({ body_html: '{{a}}'.repeat(301) })), [['body_html', 'too_long']])
  })

  t.test('a newsletter that is no draft takes archive_visibility alone', async (t) => {
    const { body } = await create({ blocks: BLOCKS, subject: 'May' })
    const path = `/v1/newsletters/${body.id}`
    await api.store.write([organization.account], async (work) => {
      const unit = work.account(organization.account)
      const number = api.core.ids.decode(Newsletter, body.id)!.object
      const settings = {
        ...settingsOf((await findNewsletter(unit, unit.account, number))!),
        startedAt: '2026-05-01T08:00:00Z',
      }
      await updateNewsletter(unit, number, { status: 'sent', settings: JSON.stringify(settings) })
      unit.change('Newsletter', number, 'u', ['status'])
    })
    const url = /^https:\/\/mail\.example\.test\/archive\/\w+\.\w+\.[\w-]+$/
    const shown = await ask('PATCH', path, { body: { archive_visibility: 'public' } })
    t.match(shown, { status: 200, body: { status: 'sent', archive_visibility: 'public', archive_url: url } })
    t.match(await ask('PATCH', path, { body: { archive_visibility: 'private' } }), {
      status: 200,
      body: { archive_visibility: 'private', archive_url: null },
    })
    const { archive_url } = shown.body
    t.match((await ask('PATCH', path, { body: { archive_visibility: 'unlisted' } })).body, { archive_url }, 'the same')
    for (const more of [{ subject: 'x' }, { archive_visibility: 'public', name: 'x' }, { body_html: '<p>x</p>' }])
      t.match(await ask('PATCH', path, { body: more }), { status: 409, body: { error: { code: 'invalid_state' } } })
    const reader = { key: await key(['newsletters:read']) }
    t.equal((await ask('PATCH', path, { body: { archive_visibility: 'public' }, ...reader })).status, 403)
    t.equal((await ask('PATCH', path, { body: { archive_visibility: 'public' }, key: foreign.key })).status, 404)
    t.match((await ask('GET', path)).body, { archive_visibility: 'unlisted' })
  })

  t.test('wrong values are refused by field', async (t) => {
    const blocks = [...BLOCKS, { type: 'button', label: '', url: 'javascript:alert(1)' }]
    t.same(faults(await create({ blocks })), [
      ['blocks[3].label', 'required'],
      ['blocks[3].url', 'not_allowed'],
    ])
    t.same(faults(await create({ blocks: [{ type: 'link_list', items: [{ label: 'x', url: 'x' }] }] })), [
      ['blocks[0].items[0].url', 'not_allowed'],
    ])
    t.same(faults(await create({ blocks: [{ type: 'custom_html', html: '<script>1</script>' }] })), [
      ['blocks[0].html', 'not_allowed'],
    ])
    t.same(faults(await create({ body_html: '<img src=x onerror=alert(1)>' })), [['body_html', 'not_allowed']])
    t.same(faults(await create({ body_html: '<p>x</p>', body_text: '{{a b}}' })), [['body_text', 'invalid_format']])
    t.same(faults(await create({ blocks: BLOCKS, subject: 'a\r\nBcc: x@example.org' })), [
      ['subject', 'invalid_format'],
    ])
    t.same(faults(await create({ blocks: BLOCKS, subject: '{{a b}}' })), [['subject', 'invalid_format']])
    t.same(faults(await create({ blocks: BLOCKS, send_window_hours: 73 })), [['send_window_hours', 'out_of_range']])
    t.same(faults(await create({ blocks: BLOCKS, archive_visibility: 'all' })), [['archive_visibility', 'not_allowed']])
    const unknown = { audience_id: 'aud_x', newsletter_domain_id: 'nwd_x', reply_to_mailbox_id: 'mbx_x' }
    for (const [field, id] of Object.entries(unknown))
      t.same(faults(await create({ blocks: BLOCKS, [field]: id })), [[field, 'unknown_reference']])
    t.same(faults(await create({ blocks: BLOCKS, reply_to_mailbox_id: foreign.mailboxId })), [
      ['reply_to_mailbox_id', 'unknown_reference'],
    ])
    t.same(faults(await create({ blocks: BLOCKS, from_address: 'ada@other.test' })), [
      ['from_address', 'invalid_format'],
    ])
    t.same(faults(await create({ blocks: BLOCKS, from_address: 'ada' })), [['from_address', 'invalid_format']])
    const made = await create({ blocks: BLOCKS })
    t.same(faults(await ask('PATCH', `/v1/newsletters/${made.body.id}`, { body: {} })), [[null, 'required']])
  })

  t.test('the preflight names what is missing, and passes when it is there', async (t) => {
    const made = await create({ blocks: BLOCKS })
    const path = `/v1/newsletters/${made.body.id}`
    const states = async () => {
      const { body } = await ask('POST', `${path}/preflight`)
      return [
        body.ready,
        Object.fromEntries(body.items.map((item: { key: string; status: string }) => [item.key, item.status])),
      ]
    }
    const first = await ask('POST', `${path}/preflight`)
    t.match(first, {
      status: 200,
      body: {
        object: 'newsletter_preflight',
        newsletter_id: made.body.id,
        ready: false,
        items: [
          { key: 'domain_verification', status: 'pass' },
          { key: 'reply_to_mailbox', status: 'pass', message: /ada@example\.test/ },
          { key: 'audience_consent', status: 'fail', field: 'audience_id', message: /Set audience_id/ },
          { key: 'body', status: 'fail', field: 'subject', message: /Set subject/ },
          { key: 'links', status: 'pass' },
          { key: 'images', status: 'pass' },
          { key: 'footer_identity', status: 'fail', message: /legal_name and postal_address/ },
          { key: 'test_send', status: 'warning', action_url: null },
          { key: 'account_restrictions', status: 'pass' },
        ],
        url_breakdown: { href_count: 1, unique_url_count: 1, max_unique_urls: 20, offending_urls: [] },
        checked_at: /Z$/,
      },
    })
    const audience_id = await audience()
    await ask('PATCH', path, { body: { subject: 'May', audience_id } })
    t.match(await states(), [false, { audience_consent: 'fail', body: 'pass' }], 'the audience is empty')
    await ask('POST', `/v1/audiences/${audience_id}/subscribers`, { body: { email_address: 'reader@example.org' } })
    const settle = (own: object) => ask('PATCH', '/v1/organization', { body: own })
    t.equal((await settle({ legal_name: 'Garden Ltd', postal_address: '1 Lane\nTown' })).status, 200)
    t.match(await states(), [true, { audience_consent: 'pass', footer_identity: 'pass', test_send: 'warning' }])
    await settle({ require_test_send: true })
    t.match(await states(), [false, { test_send: 'fail' }])
    await settle({ require_test_send: false })
    const links = Array.from({ length: 21 }, (_, index) => ({
      type: 'button',
      label: 'x',
      url: `https://e.com/${index}`,
    }))
    await ask('PATCH', path, { body: { blocks: links, subject: 'Hi {{first_name}}' } })
    t.match(await states(), [false, { links: 'fail', body: 'warning' }])
  })

  t.test('the sender that the footer names is set in the organization', async (t) => {
    const path = '/v1/organization'
    const patch = { legal_name: 'Garden Ltd', postal_address: '1 Lane\nTown', require_test_send: false }
    t.match(await ask('PATCH', path, { body: patch }), { status: 200, body: patch })
    t.match((await ask('GET', path)).body, patch)
    t.same(faults(await ask('PATCH', path, { body: { legal_name: ' ', postal_address: 'x'.repeat(501) } })), [
      ['legal_name', 'invalid_format'],
      ['postal_address', 'too_long'],
    ])
    t.match((await ask('PATCH', path, { body: { legal_name: null } })).body, {
      legal_name: null,
      postal_address: '1 Lane\nTown',
    })
    await ask('PATCH', path, { body: patch })
  })

  t.test('the preview shows HTML, archive page and text, with the footer', async (t) => {
    const html = '<p class="x">Hi {{first_name|you}}</p><a href="{{unsubscribe_url}}">leave</a>'
    const made = await create({ body_html: html, subject: 'May', archive_visibility: 'public' })
    const shown = await ask('POST', `/v1/newsletters/${made.body.id}/preview`)
    t.match(shown, {
      status: 200,
      body: {
        object: 'newsletter_preview',
        newsletter_id: made.body.id,
        send_html: /<p>Hi you<\/p>.*Unsubscribe/s,
        text: /^Hi you\n\nleave \(\)/,
        warnings: [{ code: 'html_cleaned', message: /class of <p>/, block_index: 0 }],
        url_breakdown: { href_count: 0 },
      },
    })
    t.notMatch(shown.body.archive_html, /Unsubscribe/)
    t.match(shown.body.archive_html, /Hi you/)
  })

  t.test('a duplicate is a draft of its own', async (t) => {
    const made = await create({ blocks: BLOCKS, subject: 'May', body_text: 'own' })
    const copy = await ask('POST', `/v1/newsletters/${made.body.id}/duplicate`)
    t.match(copy, {
      status: 201,
      body: { name: 'Copy of May', subject: 'May', status: 'draft', blocks: BLOCKS, body_text: 'own' },
    })
    t.not(copy.body.id, made.body.id)
    await ask('PATCH', `/v1/newsletters/${copy.body.id}`, { body: { body_html: '<p>x</p>' } })
    t.match((await ask('GET', `/v1/newsletters/${made.body.id}`)).body, { blocks: BLOCKS })
    t.equal((await ask('DELETE', `/v1/newsletters/${made.body.id}`)).status, 204)
    t.equal((await ask('GET', `/v1/newsletters/${copy.body.id}`)).status, 200)
  })

  t.test('the sender is of the newsletter domain, by default its newsletter address', async (t) => {
    const domain = { d: { name: 'second.test' } }
    await request([['Domain/set', { accountId: organization.accountId, create: domain }]])
    const { body } = await ask('GET', '/v1/newsletter-domains')
    t.match(body.data[0], {
      object: 'newsletter_domain',
      id: /^nwd_/,
      domain_id: domainId,
      domain_name: 'example.test',
      verified: true,
      from_addresses: ['newsletter@example.test', 'ada@example.test'],
      default_reply_to_mailbox_id: ada.accountId,
      created_at: /Z$/,
    })
    t.match(body.data[1], { domain_name: 'second.test', default_reply_to_mailbox_id: null })
    const second = body.data[1].id
    const made = await create({ blocks: BLOCKS, newsletter_domain_id: body.data[0].id })
    t.equal(made.body.from_address, 'newsletter@example.test')
    const path = `/v1/newsletters/${made.body.id}`
    t.same(faults(await ask('PATCH', path, { body: { newsletter_domain_id: domainId } })), [
      ['newsletter_domain_id', 'unknown_reference'],
    ])
    const moved = await ask('PATCH', path, { body: { newsletter_domain_id: second } })
    t.match(moved, { body: { from_address: 'newsletter@second.test', newsletter_domain_id: second } })
  })

  t.test(
    'a newsletter is tested, scheduled, scheduled again and cancelled; each state refuses what it does not allow',
    async (t) => {
      const made = await create({ blocks: BLOCKS })
      const path = `/v1/newsletters/${made.body.id}`
      const at = (ms: number) => ({ body: { scheduled_at: new Date(Date.UTC(2100, 0, 1) + ms).toISOString() } })
      const refused = await ask('POST', `${path}/schedule`, at(0))
      t.equal(refused.status, 422)
      const details = refused.body.error.details as { key: string; field: string | null; message: string }[]
      t.same(
        details.map(({ key, field }) => [key, field]),
        [
          ['audience_consent', 'audience_id'],
          ['body', 'subject'],
        ],
      )
      t.match(details[0]!.message, /Set audience_id/)
      t.same(faults(await ask('POST', `${path}/schedule`, { body: { scheduled_at: '2020-01-01T00:00:00Z' } })), [
        ['scheduled_at', 'must_be_future'],
      ])
      const test = (recipient_email: string) => ask('POST', `${path}/test-send`, { body: { recipient_email } })
      t.same(faults(await test('reader@example.org')), [['recipient_email', 'not_allowed']])
      t.match((await test('ada@example.test')).body.error.details, [{ key: 'body' }])
      const audience_id = await audience()
      await ask('POST', `/v1/audiences/${audience_id}/subscribers`, { body: { email_address: 'reader@example.org' } })
      await ask('PATCH', path, { body: { audience_id, subject: 'May' } })
      t.match(await test('ada@example.test'), {
        status: 200,
        body: {
          object: 'newsletter_test_send',
          newsletter_id: made.body.id,
          recipient_email: 'ada@example.test',
          message_id: /^msg_/,
          sent_at: /Z$/,
        },
      })
      t.equal((await ask('POST', `${path}/cancel`)).status, 409)
      t.equal((await ask('POST', `${path}/resume`)).status, 409)
      const first = { status: 'scheduled', scheduled_at: '2100-01-01T00:00:00.000Z' }
      t.match(await ask('POST', `${path}/schedule`, at(0)), { status: 200, body: first })
      t.match((await ask('POST', `${path}/schedule`, at(1_000))).body, { scheduled_at: '2100-01-01T00:00:01.000Z' })
      for (const [method, body] of [
        ['PATCH', { name: 'x' }],
        ['DELETE', undefined],
      ] as const)
        t.match(await ask(method, path, body && { body }), { status: 409, body: { error: { code: 'invalid_state' } } })
      t.match(await ask('POST', `${path}/cancel`), { status: 200, body: { status: 'draft', scheduled_at: null } })
      const empty = { data: [], pagination: { next_cursor: null, has_more: false, limit: 50 } }
      t.match(await ask('GET', `${path}/recipients?status=bounced`), { status: 200, body: empty })
      t.same(faults(await ask('GET', `${path}/recipients?status=lost`)), [['status', 'not_allowed']])
      for (const verb of ['schedule', 'cancel', 'resume', 'test-send'])
        t.equal(
          (
            await ask('POST', `${path}/${verb}`, {
              ...at(0),
              body: { ...at(0).body, recipient_email: 'a@b.example' },
              key: foreign.key,
            })
          ).status,
          404,
          verb,
        )
    },
  )

  t.test('other organizations and limited keys see nothing, and scopes are separate', async (t) => {
    const { body } = await create({ blocks: BLOCKS })
    const path = `/v1/newsletters/${body.id}`
    const theirs = { key: foreign.key }
    t.equal((await ask('GET', path, theirs)).status, 404)
    t.same((await ask('GET', '/v1/newsletters', theirs)).body.data, [])
    for (const verb of ['preview', 'preflight', 'duplicate'])
      t.equal((await ask('POST', `${path}/${verb}`, theirs)).status, 404, verb)
    const limited = { key: await key(['newsletters:read', 'newsletters:write'], { mailboxIds: [ada.accountId] }) }
    t.match(await ask('GET', path, limited), { status: 403, body: { error: { code: 'mailbox_access_denied' } } })
    const reader = { key: await key(['newsletters:read']) }
    t.equal((await ask('GET', path, reader)).status, 200)
    t.equal((await ask('POST', `${path}/preview`, reader)).status, 200)
    t.match(await create({ blocks: BLOCKS }, reader), { status: 403, body: { error: { code: 'missing_scope' } } })
    const writer = { key: await key(['newsletters:write']) }
    t.equal((await ask('GET', path, writer)).status, 403)
    for (const verb of ['preview', 'preflight'])
      t.equal((await ask('POST', `${path}/${verb}`, writer)).status, 200, verb)
  })
})
