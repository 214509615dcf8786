/** spec/contract.tsv, Webhooks, through HTTP; decision D24. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { createReach, faultOfTarget } from '../../server/egress/reach.ts'
import { mail } from '../jmap/mails.ts'
import { faults, startApi } from '../support/rest-api.ts'
import { answering, RECEIVER_NAME, startReceiver, startWebhookWorker, taking } from '../support/webhooks.ts'

const ADDRESSES: { readonly [name: string]: string } = {
  [RECEIVER_NAME]: '127.0.0.1',
  'inside.example.org': '10.0.0.1',
}
const lookup = async (name: string) => (ADDRESSES[name] === undefined ? [] : [ADDRESSES[name]])
const reach = createReach({ allowNetworks: ['127.0.0.0/8'] })
const api = await startApi(t, { webhookTargets: (url) => faultOfTarget(reach, url, lookup) })
const { ask, mailbox, key, stranger } = api
const receiver = await startReceiver(t)
const worker = startWebhookWorker(t, api, receiver)
const box = await mailbox('hello')
const url = `https://${RECEIVER_NAME}:${receiver.port}/hooks`
const other = await stranger()

async function make(body: object = {}) {
  const { status, body: made } = await ask('POST', '/v1/webhooks', {
    body: { url, events: ['message.received'], ...body },
  })
  if (status !== 201) throw new Error(JSON.stringify(made))
  return made
}

/** Leaves nothing for the next test. */
t.afterEach(async () => {
  receiver.answer = taking
  await worker.settled()
  for (const { id } of (await ask('GET', '/v1/webhooks')).body.data) await ask('DELETE', `/v1/webhooks/${id}`)
})

t.test('a webhook is created with a secret, which is shown once', async (t) => {
  const events = ['message.received', 'domain.verified']
  const { status, body } = await ask('POST', '/v1/webhooks', { body: { url, events, description: 'The shop' } })
  t.equal(status, 201)
  t.match(body, { object: 'webhook', id: /^wh_/, url, events, active: true, description: 'The shop' })
  t.match(body.secret, /^whsec_[A-Za-z0-9_-]{43}$/)
  const { secret: _secret, ...rest } = body
  t.same((await ask('GET', `/v1/webhooks/${body.id}`)).body, rest)
  t.same((await ask('GET', '/v1/webhooks')).body.data, [rest])
  t.same(Object.keys(rest), ['object', 'id', 'url', 'events', 'active', 'description', 'created_at', 'updated_at'])
  t.match(rest.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.equal((await make()).description, null)
})

t.test('the fields of a webhook are validated', async (t) => {
  const post = async (body: object) => faults(await ask('POST', '/v1/webhooks', { body }))
  const events = ['message.sent']
  t.same(await post({ events }), [['url', 'required']])
  t.same(await post({ url }), [['events', 'required']])
  t.same(await post({ url, events: [] }), [['events', 'too_short']])
  t.same(await post({ url, events: 'message.sent' }), [['events', 'invalid_type']])
  t.same(await post({ url, events: ['message.opened'] }), [['events[0]', 'not_allowed']])
  t.same(await post({ url, events: ['webhook.test'] }), [['events[0]', 'not_allowed']])
  t.same(await post({ url, events: ['message.sent', 'message.sent'] }), [['events[1]', 'not_allowed']])
  t.same(await post({ url, events, description: 'x'.repeat(501) }), [['description', 'too_long']])
  t.same(await post({ url: 1, events }), [['url', 'invalid_type']])
  t.same(await post({ url: `${url}/${'x'.repeat(2_048)}`, events }), [['url', 'too_long']])
  const wrong = ['', 'example.org', 'http://example.org/', `${url}#part`, 'https://user:pw@example.org/']
  for (const one of wrong) t.match(await post({ url: one, events }), [['url', /too_short|invalid_format/]], one)
  t.same(await post({ url: 'https://inside.example.org/', events }), [['url', 'invalid_format']])
  const inside = await ask('POST', '/v1/webhooks', { body: { url: 'https://inside.example.org/', events } })
  t.equal(inside.body.error.message, 'url cannot be used: the address is not on the public Internet.')
  t.equal((await make({ description: 'x'.repeat(500) })).description.length, 500, 'control')
  t.equal((await make({ url: 'https://nobody-knows-this.example.org/' })).active, true, 'a name may be set later')
})

t.test('an organization has at most 10 webhooks', async (t) => {
  for (let i = 0; i < 10; i++) await make()
  const { status, body } = await ask('POST', '/v1/webhooks', { body: { url, events: ['message.sent'] } })
  t.equal(status, 422)
  t.match(body.error, { type: 'validation_error', code: 'webhook_limit_reached', details: [{ field: null }] })
  const { data } = (await ask('GET', '/v1/webhooks')).body
  await ask('DELETE', `/v1/webhooks/${data[0].id}`)
  t.ok(await make())
})

t.test('a webhook is changed in part: url, events as a whole, description, active', async (t) => {
  const { id } = await make({ description: 'Old' })
  const patch = async (body: object) => ask('PATCH', `/v1/webhooks/${id}`, { body })
  t.match((await patch({ description: null })).body, { description: null, url })
  t.match((await patch({ events: ['domain.degraded'] })).body, { events: ['domain.degraded'] })
  t.match((await patch({ active: false })).body, { active: false })
  t.match((await patch({ url: `${url}/2`, active: true })).body, { url: `${url}/2`, active: true })
  t.same(faults(await patch({})), [[null, 'required']])
  t.same(faults(await patch({ url: 'https://10.0.0.1/' })), [['url', 'invalid_format']])
  t.same(faults(await patch({ events: [] })), [['events', 'too_short']])
  t.same(faults(await patch({ active: 'no' })), [['active', 'invalid_type']])
})

t.test('an unknown webhook, or one of another organization, is a 404 everywhere', async (t) => {
  const { id } = await make()
  await ask('POST', `/v1/webhooks/${id}/test`)
  await worker.settled()
  const [delivery] = (await ask('GET', `/v1/webhooks/${id}/deliveries`)).body.data
  const one = `/deliveries/${delivery.id}`
  const paths = (of: string): [string, string, object?][] => [
    ['GET', of],
    ['PATCH', of, { active: true }],
    ['POST', `${of}/rotate-secret`],
    ['POST', `${of}/test`],
    ['GET', `${of}/deliveries`],
    ['GET', of + one],
    ['POST', `${of}${one}/replay`],
    ['DELETE', of],
  ]
  const statuses = async (of: string, asker: string | undefined) => {
    const all = []
    for (const [method, path, body] of paths(of))
      all.push((await ask(method, path, { ...(asker && { key: asker }), ...(body && { body }) })).status)
    return all
  }
  t.same(await statuses(`/v1/webhooks/${id}`, other.key), Array(8).fill(404))
  t.same(await statuses('/v1/webhooks/wh_nothing', undefined), Array(8).fill(404))
  t.same(await statuses('/v1/webhooks/no%20id', undefined), Array(8).fill(404))
  const second = await make()
  t.equal((await ask('GET', `/v1/webhooks/${second.id}${one}`)).status, 404, 'the delivery of another webhook')
  t.equal((await ask('POST', `/v1/webhooks/${second.id}${one}/replay`)).status, 404)
  t.same(await statuses(`/v1/webhooks/${id}`, undefined), [200, 200, 200, 202, 200, 200, 202, 204], 'control')
})

t.test('a key limited to mailboxes sees and creates no webhooks, which get events of all mailboxes', async (t) => {
  const { id } = await make()
  const limited = await key(['webhooks:read', 'webhooks:write'], { mailboxIds: [box.accountId] })
  t.same((await ask('GET', '/v1/webhooks', { key: limited })).body.data, [])
  t.equal((await ask('GET', `/v1/webhooks/${id}`, { key: limited })).status, 404)
  const body = { url, events: ['message.received'] }
  t.equal((await ask('POST', '/v1/webhooks', { key: limited, body })).status, 403)
  const free = await key(['webhooks:write'])
  t.equal(
    (await ask('POST', '/v1/webhooks', { key: free, body })).status,
    201,
    'control; writing does not need reading',
  )
})

t.test('a test event is queued, signed and delivered; both secrets sign after a rotation', async (t) => {
  const { id, secret } = await make({ events: ['org.sending_suspended'] })
  const rotated = await ask('POST', `/v1/webhooks/${id}/rotate-secret`)
  t.equal(rotated.status, 200)
  t.same(Object.keys(rotated.body), ['secret', 'previous_secret_expires_at'])
  t.equal(Date.parse(rotated.body.previous_secret_expires_at), api.clock.now() + 86_400_000)
  const { status, body } = await ask('POST', `/v1/webhooks/${id}/test`)
  t.equal(status, 202)
  t.same(Object.keys(body), ['event_id'])
  await worker.settled()
  const { headers, body: octets, event } = receiver.posted.at(-1)!
  t.match(event, { event_id: body.event_id, event_type: 'webhook.test', data: { webhook_id: id } })
  const sign = (with_: string) =>
    createHmac('sha256', with_).update(`v1=${headers['x-service-timestamp']}\n${octets}`).digest('hex')
  t.equal(headers['x-service-signature'], sign(rotated.body.secret))
  t.equal(headers['x-service-signature-previous'], sign(secret))
})

t.test('deliveries are listed newest first, by status and type, in pages', async (t) => {
  const { id } = await make()
  for (const subject of ['one', 'two', 'three']) {
    if (subject === 'three') receiver.answer = answering(500)
    await box.receive(mail({ subject, to: box.address }))
    await worker.settled()
    api.clock.advance(1)
  }
  await ask('POST', `/v1/webhooks/${id}/test`)
  await worker.settled()
  const list = async (query = '') => (await ask('GET', `/v1/webhooks/${id}/deliveries${query}`)).body
  const { data } = await list()
  t.same(
    data.map((one: { event_type: string; status: string }) => [one.event_type, one.status]),
    [
      ['webhook.test', 'pending'],
      ['message.received', 'pending'],
      ['message.received', 'delivered'],
      ['message.received', 'delivered'],
    ],
  )
  t.match(data[1], {
    object: 'webhook_delivery',
    id: /^whd_/,
    webhook_id: id,
    event_id: /^evt_/,
    attempts: 1,
    last_status_code: 500,
    last_error: 'the receiver answered 500',
    delivered_at: null,
  })
  t.match(data[2].delivered_at, /\.\d{3}Z$/)
  const ids = (page: { data: { id: string }[] }) => page.data.map((one) => one.id)
  t.same(ids(await list('?status=delivered')), [data[2].id, data[3].id])
  t.same(ids(await list('?status=failed')), [])
  t.same(ids(await list('?event_type=webhook.test')), [data[0].id])
  t.same(ids(await list('?status=pending&event_type=message.received')), [data[1].id])
  const first = await list('?limit=3')
  t.match(first.pagination, { has_more: true, limit: 3 })
  t.same(ids(await list(`?limit=3&cursor=${first.pagination.next_cursor}`)), [data[3].id])
  const path = `/v1/webhooks/${id}/deliveries`
  t.same(faults(await ask('GET', `${path}?status=lost`)), [['status', 'not_allowed']])
  t.same(faults(await ask('GET', `${path}?event_type=nothing`)), [['event_type', 'not_allowed']])
  t.equal((await ask('GET', `${path}?cursor=nothing`)).body.error.code, 'invalid_cursor')
})

t.test('a delivery shows its request and answer, and is replayed unless the webhook is off', async (t) => {
  const { id } = await make()
  receiver.answer = answering(410, 'Gone for good')
  await box.receive(mail({ subject: 'Hello', to: box.address }))
  await worker.settled()
  const [delivery] = (await ask('GET', `/v1/webhooks/${id}/deliveries`)).body.data
  const path = `/v1/webhooks/${id}/deliveries/${delivery.id}`
  const { body: shown } = await ask('GET', path)
  t.match(shown, { ...delivery, status: 'failed', last_status_code: 410, response_body: 'Gone for good' })
  t.match(JSON.parse(shown.request_body), { event_id: delivery.event_id, data: { subject: 'Hello' } })
  t.equal((await ask('GET', `/v1/webhooks/${id}`)).body.active, false)
  const refused = await ask('POST', `${path}/replay`)
  t.equal(refused.status, 409)
  t.equal(refused.body.error.code, 'invalid_state')
  await ask('PATCH', `/v1/webhooks/${id}`, { body: { active: true } })
  receiver.answer = taking
  const replayed = await ask('POST', `${path}/replay`)
  t.equal(replayed.status, 202)
  t.match(replayed.body, { object: 'webhook_delivery', event_id: delivery.event_id, status: 'pending', attempts: 0 })
  t.not(replayed.body.id, delivery.id)
  await worker.settled()
  t.equal(receiver.posted.at(-1)!.body, shown.request_body)
  t.equal((await ask('GET', `/v1/webhooks/${id}/deliveries/${replayed.body.id}`)).body.status, 'delivered')
})

t.test('requests with the same Idempotency-Key create one webhook and send one test event', async (t) => {
  const body = { url, events: ['message.received'] }
  const headers = { 'Idempotency-Key': 'hook-1' }
  const [first, again] = [
    await ask('POST', '/v1/webhooks', { body, headers }),
    await ask('POST', '/v1/webhooks', { body, headers }),
  ]
  t.same(again.body, first.body)
  const path = `/v1/webhooks/${first.body.id}/test`
  const keyed = { headers: { 'Idempotency-Key': 'test-1' } }
  t.same((await ask('POST', path, keyed)).body, (await ask('POST', path, keyed)).body)
  t.equal((await ask('GET', `/v1/webhooks/${first.body.id}/deliveries`)).body.data.length, 1)
  t.equal((await ask('GET', '/v1/webhooks')).body.data.length, 1)
})
