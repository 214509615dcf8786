/** The members of each resource in the contract, in real answers. There may be more, but none of these may be missing or have another type. */
import t, { type Test } from 'tap'
import { mail, startApi } from '../support/rest-api.ts'

/** `string?` is a string or null. */
type Kind = 'string' | 'boolean' | 'integer' | 'array' | 'object' | 'time'
type Shape = { readonly [member: string]: Kind | `${Kind}?` }
type Security = { readonly apiKey?: readonly string[] }

function has(t: Test, resource: unknown, shape: Shape): void {
  const given = resource as { readonly [member: string]: unknown }
  const wrong = Object.entries(shape).filter(([member, kind]) => {
    const value = given[member]
    return value === null ? !kind.endsWith('?') : !kinds(value).includes(kind.replace('?', ''))
  })
  t.same(
    wrong.map(([member, kind]) => `${member} is ${JSON.stringify(given[member])}, not ${kind}`),
    [],
  )
}

function kinds(value: unknown): string[] {
  if (Array.isArray(value)) return ['array']
  if (Number.isInteger(value)) return ['integer']
  if (typeof value !== 'string') return [typeof value]
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) ? ['string', 'time'] : ['string']
}

const TIMES: Shape = { created_at: 'time', updated_at: 'time' }
const OF_MAILBOX: Shape = { mailbox_id: 'string', address: 'string' }

t.test('the resources', async (t) => {
  const { ask, mailbox, domainId, server, key } = await startApi(t)
  const alice = await mailbox('alice')
  const attached = { 'Content-Type': 'text/plain; name=a.txt', 'Content-Disposition': 'attachment; filename="a b.txt"' }
  const id = await alice.receive(mail(attached))
  const get = async (path: string) => (await ask('GET', path)).body
  const inMailbox = (path: string) => get(`/v1/mailboxes/${alice.accountId}${path}`)

  t.test('a domain', async (t) => {
    const domain = await get(`/v1/domains/${domainId}`)
    t.equal(domain.object, 'domain')
    has(t, domain, { id: 'string', name: 'string', status: 'string', managed_by: 'string', dns_provider: 'string' })
    for (const flag of ['mx', 'spf', 'dkim', 'dmarc', 'outbound']) has(t, domain, { [`${flag}_verified`]: 'boolean' })
    has(t, domain, { dmarc_managed_externally: 'boolean', catch_all_mailbox_id: 'string?', verified_at: 'time?' })
    has(t, domain, TIMES)
    t.equal(domain.managed_by, 'external')
  })

  t.test('a record set, with the six records that a domain needs', async (t) => {
    const set = await get(`/v1/domains/${domainId}/dns-records`)
    t.equal(set.object, 'dns_record_set')
    has(t, set, { domain_id: 'string', domain_name: 'string', all_verified: 'boolean', checked_at: 'time' })
    t.same(
      set.records.map((record: { key: string }) => record.key),
      ['mx', 'spf', 'mail_from_mx', 'mail_from_spf', 'dkim', 'dmarc'],
    )
    for (const record of set.records) {
      has(t, record, { key: 'string', type: 'string', host: 'string', ttl: 'integer', found_values: 'array' })
      t.ok(['verified', 'not_found', 'mismatch', 'pending'].includes(record.status), record.status)
      if (record.status !== 'pending') has(t, record, { value: 'string' })
      t.equal('priority' in record, record.type === 'MX', record.key)
      if (record.type === 'MX') has(t, record, { priority: 'integer' })
    }
  })

  t.test('a mailbox', async (t) => {
    const one = await inMailbox('')
    t.equal(one.object, 'mailbox')
    has(t, one, { id: 'string', domain_id: 'string', address: 'string', display_name: 'string?' })
    has(t, one, { suspended_at: 'time?', spam_filter_threshold: 'integer', auto_reply: 'object', ...TIMES })
    const dates: Shape = { from_date: 'time?', to_date: 'time?' }
    has(t, one.auto_reply, { enabled: 'boolean', subject: 'string?', body: 'string?', ...dates })
    t.equal(one.address, 'alice@example.test')
  })

  t.test('folders', async (t) => {
    const list = await inMailbox('/folders')
    t.equal(list.object, 'mailbox_folders')
    has(t, list, { ...OF_MAILBOX, data: 'array' })
    for (const folder of list.data) {
      t.equal(folder.object, 'mailbox_folder')
      has(t, folder, { id: 'string', name: 'string', parent_id: 'string?', role: 'string?', kind: 'string' })
      has(t, folder, { total_emails: 'integer', unread_emails: 'integer', unread_threads: 'integer' })
      has(t, folder, { sort_order: 'integer' })
    }
    t.match(
      list.data.find((folder: { role: string }) => folder.role === 'inbox'),
      { kind: 'system', total_emails: 1, unread_emails: 1, unread_threads: 1 },
    )
  })

  t.test('identities', async (t) => {
    const list = await inMailbox('/identities')
    t.equal(list.object, 'mailbox_identities')
    has(t, list, { ...OF_MAILBOX, data: 'array' })
    t.equal(list.data[0].object, 'mailbox_identity')
    has(t, list.data[0], { id: 'string', name: 'string', email: 'string' })
  })

  t.test('the inbox, its messages and their attachments', async (t) => {
    const list = await inMailbox('/inbox/messages')
    t.equal(list.object, 'inbox_messages')
    has(t, list, OF_MAILBOX)
    t.same(list.pagination, { position: 0, limit: 50, total: 1, has_more: false, next_position: null })
    const [message] = list.data
    t.equal(message.object, 'inbox_message_full')
    has(t, message, { id: 'string', thread_id: 'string', ...OF_MAILBOX, folder_ids: 'array', keywords: 'object' })
    has(t, message, { from: 'array?', to: 'array?', cc: 'array?', reply_to: 'array?', message_id: 'array?' })
    has(t, message, { in_reply_to: 'array?', references: 'array?', subject: 'string', received_at: 'time' })
    has(t, message, { preview: 'string', has_attachment: 'boolean', size: 'integer', body_values: 'object' })
    has(t, message, { text_body: 'array', html_body: 'array', attachments: 'array' })
    t.same(message.from, [{ name: 'Jane Doe', email: 'jane@example.org' }])
    const [attachment] = message.attachments
    has(t, attachment, {
      part_id: 'string',
      blob_id: 'string',
      name: 'string',
      content_type: 'string',
      size: 'integer',
    })
    const query = `blob_id=${attachment.blob_id}&name=a%20b.txt`
    t.equal(attachment.download_path, `/v1/mailboxes/${alice.accountId}/inbox/attachments?${query}`)
  })

  t.test('bodies by their part', async (t) => {
    const plain = await alice.receive(mail({ Subject: 'Plain' }))
    const message = await inMailbox(`/inbox/messages/${plain}`)
    const [part] = message.text_body
    has(t, part, { part_id: 'string', type: 'string' })
    t.same(message.body_values[part.part_id], { value: 'Hello there.\n', is_encoding_problem: false })
  })

  t.test('an action on a message answers with the message action', async (t) => {
    const path = `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}`
    const { status, body } = await ask('PATCH', path, { body: { read: true } })
    t.equal(status, 200)
    const expected = { object: 'inbox_message_action', mailbox_id: alice.accountId, address: alice.address }
    t.same(body, { ...expected, message_id: id, ok: true })
  })

  t.test('rules', async (t) => {
    const conditions = [{ type: 'from_contains', value: 'jane' }]
    const actions = [{ type: 'star' }, { type: 'ai_draft_reply', reply_mode: 'reply_all', instructions: 'Thank them.' }]
    const rules = [{ name: 'Jane', conditions, actions }]
    const { body: set } = await ask('PUT', `/v1/mailboxes/${alice.accountId}/rules`, { body: { rules } })
    t.equal(set.object, 'mailbox_rules')
    has(t, set, { ...OF_MAILBOX, rules: 'array', folders: 'array' })
    const [rule] = set.rules
    t.match(rule.id, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    has(t, rule, { name: 'string', enabled: 'boolean', position: 'integer', match_mode: 'string', stop: 'boolean' })
    t.same([rule.position, rule.match_mode, rule.conditions, rule.actions], [0, 'all', conditions, actions])
    for (const folder of set.folders)
      has(t, folder, { id: 'string', name: 'string', parent_id: 'string?', role: 'string?', kind: 'string' })
  })

  t.test('a thread, and its latest message', async (t) => {
    const [thread] = (await get(`/v1/threads?mailbox_id=${alice.accountId}`)).data
    t.equal(thread.object, 'thread')
    has(t, thread, { id: 'string', mailbox_id: 'string', subject: 'string', message_count: 'integer', ...TIMES })
    const message = thread.latest_message
    t.equal(message.object, 'message')
    has(t, message, { id: 'string', mailbox_id: 'string', thread_id: 'string', subject: 'string', ...TIMES })
    has(t, message, { from_address: 'string', to_addresses: 'array', cc_addresses: 'array?', bcc_addresses: 'array?' })
    has(t, message, { attachments: 'array?' })
    t.same([message.source, message.status], ['inbound', 'delivered'])
    has(t, message.to_addresses[0], { address: 'string' })
  })

  t.test('a suppression', async (t) => {
    const { body } = await ask('POST', '/v1/suppressions', { body: { email_address: 'gone@example.org' } })
    t.equal(body.object, 'suppression')
    has(t, body, { email_address: 'string', reason: 'string', created_at: 'time' })
  })

  t.test('an error', async (t) => {
    const { body } = await ask('POST', '/v1/domains', { body: {} })
    has(t, body.error, { type: 'string', message: 'string', request_id: 'string', details: 'array' })
    t.equal(body.error.type, 'validation_error')
  })

  t.test('every cursor list has data and pagination', async (t) => {
    const lists = [
      '/v1/domains',
      '/v1/mailboxes',
      '/v1/aliases',
      '/v1/suppressions',
      `/v1/threads?mailbox_id=${alice.accountId}`,
    ]
    for (const list of lists) {
      const { data, pagination } = await get(list)
      t.ok(Array.isArray(data), list)
      t.same(pagination, { next_cursor: null, has_more: false, limit: 50 }, list)
    }
  })

  t.test('only the status and the OpenAPI document are available without a key', async (t) => {
    const { paths } = await get('/v1/openapi.json')
    const open: string[] = []
    for (const [path, item] of Object.entries(paths))
      for (const method of Object.keys(item as object)) {
        const { status, body } = await ask(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), { key: null })
        if (status === 200) open.push(path)
        else t.match({ status, body }, { status: 401, body: { error: { type: 'authentication_error' } } }, path)
      }
    t.same(open, ['/v1/status', '/v1/openapi.json'])
  })

  t.test('a key without the scope is refused everywhere', async (t) => {
    const bare = await key(['organization:read'])
    const { paths } = await get('/v1/openapi.json')
    let asked = 0
    for (const [path, item] of Object.entries(paths))
      for (const [method, { security }] of Object.entries(item as { [method: string]: { security: Security[] } })) {
        // The key has this scope alone.
        if (security.length === 0 || security.some(({ apiKey }) => apiKey?.includes('organization:read'))) continue
        const request = { key: bare, ...(/post|put|patch/.test(method) && { body: {} }) }
        const { status, body } = await server.ask(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), request)
        asked++
        t.match(
          { status, body },
          { status: 403, body: { error: { type: 'authorization_error' } } },
          `${method} ${path}`,
        )
      }
    t.ok(asked > 60, `${asked} endpoints`)
  })
})
