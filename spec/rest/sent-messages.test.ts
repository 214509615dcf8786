import t from 'tap'
import { PLANS } from '../../server/base/sending-limits.ts'
import { faults, mail, startApi } from '../support/rest-api.ts'

const api = await startApi(t, { limits: { plan: { ...PLANS.team, sends: 45 } } })
const { ask, clock } = api
const stranger = await api.stranger()
const [alice, bob] = [await api.mailbox('alice'), await api.mailbox('bob')]

async function send(more: object = {}) {
  clock.advance(1_000)
  const body = { from: alice.address, to: 'jane@example.org', subject: 'Hi', text: 'Hello.', ...more }
  const sent = await ask('POST', '/v1/messages', { body })
  if (sent.status !== 201) throw new Error(sent.text)
  return sent.body
}
const list = async (query = '', key?: string) => ask('GET', `/v1/messages${query}`, key === undefined ? {} : { key })
const idsOf = async (query: string, key?: string) =>
  (await list(query, key)).body.data.map(({ id }: { id: string }) => id)

t.test('sent messages of all mailboxes are listed newest first, in pages', async (t) => {
  await alice.receive(mail())
  const first = await send({ tags: { order: '17' } })
  const second = await send({ from: bob.address })
  const third = await send({ scheduled_at: new Date(clock.now() + 600_000).toISOString() })
  const { status, body } = await list()
  t.equal(status, 200)
  t.same(body.data, [third, second, first], 'each as it was answered, and no inbound mail')
  t.same(body.pagination, { next_cursor: null, has_more: false, limit: 50 })
  const page = (await list('?limit=2')).body
  t.same(page.data, [third, second])
  t.equal(page.pagination.has_more, true)
  await send({ subject: 'Meanwhile' })
  const rest = (await list(`?limit=2&cursor=${page.pagination.next_cursor}`)).body
  t.same(rest.data, [first])
  t.same(rest.pagination, { next_cursor: null, has_more: false, limit: 2 })
  t.same(await idsOf(`?mailbox_id=${bob.accountId}`), [second.id])
  t.same(await idsOf('?tag=order:17'), [first.id])
  t.same(await idsOf('?tag=order:18'), [])
  t.same(await idsOf('?status=scheduled'), [third.id])
  t.equal((await ask('POST', `/v1/messages/${third.id}/cancel`)).body.status, 'cancelled')
  t.same(await idsOf('?status=cancelled'), [third.id])
  t.same(await idsOf('?status=scheduled'), [])
  const other = await list(`?tag=order:17&cursor=${page.pagination.next_cursor}`)
  t.equal(other.body.error.code, 'invalid_cursor', 'a cursor is bound to its filters')
})

t.test('the list of messages reports errors of its query', async (t) => {
  const cases: [query: string, field: string, code: string][] = [
    ['?limit=0', 'limit', 'out_of_range'],
    ['?limit=101', 'limit', 'out_of_range'],
    ['?limit=many', 'limit', 'invalid_type'],
    ['?status=sent', 'status', 'not_allowed'],
    ['?tag=order', 'tag', 'invalid_format'],
    ['?tag=a%20b:c', 'tag', 'invalid_format'],
  ]
  for (const [query, field, code] of cases) t.same(faults(await list(query)), [[field, code]], query)
  t.equal((await list('?cursor=abc')).body.error.code, 'invalid_cursor')
})

t.test('the list of messages is closed to other organizations, restricted keys and missing scopes', async (t) => {
  t.same(await idsOf('', stranger.key), [])
  t.equal((await list(`?mailbox_id=${alice.accountId}`, stranger.key)).status, 404)
  t.equal((await list('?mailbox_id=mbx_nothing')).status, 404)
  const limited = await api.key(['messages:read'], { mailboxIds: [bob.accountId] })
  const mailboxes = (await list('', limited)).body.data.map((one: { mailbox_id: string }) => one.mailbox_id)
  t.same([...new Set(mailboxes)], [bob.accountId])
  t.equal((await list(`?mailbox_id=${alice.accountId}`, limited)).body.error.code, 'mailbox_access_denied')
  t.equal((await list('', await api.key(['threads:read']))).body.error.code, 'missing_scope')
})

t.test('a message whose copy was deleted keeps its delivery record under the same id', async (t) => {
  const sent = await send({ cc: 'joe@example.org', tags: { kind: 'deleted' }, html: '<p>Hello.</p>' })
  await alice.call('Email/set', { destroy: [sent.id] })
  const { status, body } = await ask('GET', `/v1/messages/${sent.id}`)
  t.equal(status, 200)
  t.same(body, { ...sent, preview: '', text: null, html: null }, 'all but the content')
  t.same((await list('?tag=kind:deleted')).body.data, [body])
  t.equal((await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${sent.id}`)).status, 404)
  t.equal((await ask('POST', `/v1/messages/${sent.id}/cancel`)).body.error.code, 'invalid_state')
  t.equal((await ask('GET', `/v1/messages/${sent.id}`, { key: stranger.key })).status, 404)
})

t.test('a message without a copy is shown as it was sent, and later from its record', async (t) => {
  const sent = await send({ save_to_sent: false, tags: { kind: 'unsaved' } })
  t.match(sent, { status: 'queued', text: 'Hello.', subject: 'Hi', tags: { kind: 'unsaved' }, source: 'api' })
  const { body } = await ask('GET', `/v1/messages/${sent.id}`)
  t.same(body, { ...sent, text: null })
})

t.test('a scheduled message whose copy was deleted can be cancelled', async (t) => {
  const sent = await send({ scheduled_at: new Date(clock.now() + 600_000).toISOString() })
  await alice.call('Email/set', { destroy: [sent.id] })
  t.equal((await ask('POST', `/v1/messages/${sent.id}/cancel`)).body.status, 'cancelled')
})

t.test('the messages of a batch are sent or refused independently, in their order', async (t) => {
  const good = { from: alice.address, to: 'jane@example.org', text: 'Hello.' }
  await ask('POST', '/v1/suppressions', { body: { email_address: 'gone@example.org' } })
  const messages = [
    good,
    { ...good, from: bob.address, subject: 'From Bob' },
    { ...good, to: 'not an address' },
    { ...good, to: 'gone@example.org' },
    { ...good, from: 'nobody@example.test' },
    { ...good, mailbox_id: stranger.mailboxId },
    { ...good, dry_run: true },
    { ...good, attachments: [{ filename: 'a', blob_id: 'blb_nothing' }] },
    { ...good, to: Array.from({ length: 50 }, (_, i) => `r${i}@example.org`) },
    { ...good, text: 'The last one.' },
  ]
  const before = (await list()).body.data.length
  const { status, body } = await ask('POST', '/v1/messages/batch', { body: { messages } })
  t.equal(status, 200)
  t.equal(body.object, 'message_batch')
  const items = body.data as { index: number; status: number; error: { code: string; details: { field: string }[] } }[]
  t.same(
    items.map(({ index, status, error }) => [index, status, error && [error.code, error.details?.[0]?.field]]),
    [
      [0, 201, null],
      [1, 201, null],
      [2, 422, ['validation_error', 'to']],
      [3, 422, ['validation_error', 'to']],
      [4, 422, ['validation_error', 'from']],
      [5, 422, ['validation_error', 'mailbox_id']],
      [6, 422, ['validation_error', 'dry_run']],
      [7, 422, ['validation_error', 'attachments[0].blob_id']],
      [8, 403, ['quota_exceeded', undefined]],
      [9, 201, null],
    ],
  )
  t.match(body.data[1].message, { object: 'message', mailbox_id: bob.accountId, subject: 'From Bob' })
  t.equal((await list()).body.data.length, before + 3)
})

t.test('a batch has 1 to 100 valid messages', async (t) => {
  const good = { from: alice.address, to: 'jane@example.org', text: 'Hello.' }
  const cases: [body: object, field: string, code: string][] = [
    [{}, 'messages', 'required'],
    [{ messages: [] }, 'messages', 'too_short'],
    [{ messages: Array.from({ length: 101 }, () => good) }, 'messages', 'too_long'],
    [{ messages: 'x' }, 'messages', 'invalid_type'],
    [{ messages: [good, { ...good, subject: 7 }] }, 'messages[1].subject', 'invalid_type'],
  ]
  for (const [body, field, code] of cases)
    t.same(faults(await ask('POST', '/v1/messages/batch', { body })), [[field, code]], field)
  const key = await api.key(['messages:read'])
  t.equal(
    (await ask('POST', '/v1/messages/batch', { key, body: { messages: [good] } })).body.error.code,
    'missing_scope',
  )
})

t.test('a batch that is sent twice with the same key is sent once', async (t) => {
  const body = { messages: [{ from: alice.address, to: 'jane@example.org', text: 'Hello.', tags: { once: 'yes' } }] }
  const headers = { 'Idempotency-Key': 'batch-1' }
  const first = await ask('POST', '/v1/messages/batch', { body, headers })
  const second = await ask('POST', '/v1/messages/batch', { body, headers })
  t.same([second.text, second.headers.get('idempotent-replayed')], [first.text, 'true'])
  t.equal((await list('?tag=once:yes')).body.data.length, 1)
})
