import fc from 'fast-check'
import t from 'tap'
import { Newsletter } from '../../jmap/newsletters/newsletter/newsletter.type.ts'
import type { Endpoint } from '../../rest/endpoint.ts'
import { ENDPOINTS } from '../../rest/endpoints.ts'
import { exampleOf } from '../../rest/openapi/examples.ts'
import { openApiDocument } from '../../rest/rest.ts'
import type { JsonSchema } from '../../rest/schema/schema.ts'
import { updateNewsletter } from '../../storage/repos/newsletters.ts'
import { ANY_CREDENTIALS, fakeShop } from '../support/fake-shop.ts'
import { png } from '../support/png.ts'
import { mail, startApi } from '../support/rest-api.ts'
import type { Ask, TestAnswer } from '../support/rest-server.ts'

/** Requests for each operation; for a long run: `CONTRACT_RUNS=2000 npx node spec/support/run-tests.ts --timeout 0 spec/rest/contract.test.ts`. */
const RUNS = Number(process.env['CONTRACT_RUNS'] ?? 7)
/** Operations to test instead of all, separated by commas. */
const ONLY = process.env['CONTRACT_ONLY']?.split(',')

/** Values that fit a schema, and others. */
function anyValue(schema: JsonSchema, pool: readonly string[]): fc.Arbitrary<unknown> {
  const fitting: fc.Arbitrary<unknown>[] = [fc.constant(exampleOf(schema))]
  if (schema.anyOf) fitting.push(...schema.anyOf.map((branch) => anyValue(branch, pool)))
  if (schema.enum) fitting.push(fc.constantFrom(...schema.enum))
  const types = [schema.type].flat()
  if (types.includes('string')) fitting.push(fc.constantFrom(...pool), fc.string(), fc.string({ unit: 'binary' }))
  if (types.includes('integer')) fitting.push(fc.integer(), fc.integer({ min: 0, max: 20 }))
  if (types.includes('boolean')) fitting.push(fc.boolean())
  if (types.includes('array')) fitting.push(fc.array(anyValue(schema.items ?? {}, pool), { maxLength: 3 }))
  if (types.includes('object')) fitting.push(objectOf(schema, pool))
  return fc.oneof(
    { weight: 5, arbitrary: fc.oneof(...fitting) },
    { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<unknown> },
  )
}

function objectOf(schema: JsonSchema, pool: readonly string[]): fc.Arbitrary<unknown> {
  const { properties = {} } = schema
  if (Object.keys(properties).length === 0) return fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 })
  const members = Object.entries(properties).map(([name, child]) => [name, anyValue(child, pool)])
  return fc.record(Object.fromEntries(members), { requiredKeys: [] })
}

/** A valid request with at most two members changed. @param good a valid body or query of the endpoint */
function spoiled(schema: JsonSchema, good: object, pool: readonly string[]): fc.Arbitrary<object> {
  const names = Object.keys(schema.properties ?? {})
  return fc
    .record({ all: objectOf(schema, pool), some: fc.subarray(names, { maxLength: Math.min(2, names.length) }) })
    .map(({ all, some }) => {
      const given = all as { [name: string]: unknown }
      return { ...good, ...Object.fromEntries(some.filter((name) => name in given).map((name) => [name, given[name]])) }
    })
}

interface World {
  readonly pool: readonly string[]
  /** Valid ids by the name of the parameter of the path. */
  readonly ids: { readonly [name: string]: string }
  /** The same for one operation that needs other objects. */
  readonly own: { readonly [operationId: string]: { readonly [name: string]: string } }
  /** Valid bodies and queries by operation. */
  readonly good: { readonly [operationId: string]: object }
}

function requestOf(endpoint: Endpoint, { pool, good, ...world }: World) {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const ids = { ...world.ids, ...world.own[endpoint.operationId] }
  const param = (name: string) => fc.oneof({ weight: 4, arbitrary: fc.constant(ids[name]!) }, fc.constantFrom(...pool))
  const given = good[endpoint.operationId] ?? {}
  return fc.record({
    params: fc.record(Object.fromEntries(names.map((name) => [name, param(name)]))),
    query: endpoint.query ? spoiled(endpoint.query, given, pool) : fc.constant({}),
    body: bodyOf(endpoint, given, pool),
  })
}

function bodyOf({ body, bodyType }: Endpoint, given: object, pool: readonly string[]): fc.Arbitrary<unknown> {
  if (body === null) return fc.constant(undefined)
  if (bodyType !== undefined) {
    const good = TEXTS[bodyType]!
    return fc.constantFrom(good, good.replace('DTSTART', 'DTEND'), good.replace('email', '"'), '', ...pool)
  }
  return fc.oneof({ weight: 9, arbitrary: spoiled(body, given, pool) }, { weight: 1, arbitrary: fc.jsonValue() })
}

const CALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Example//EN',
  'BEGIN:VEVENT',
  'UID:call-1',
  'DTSTAMP:20260101T000000Z',
  'DTSTART:20260105T090000Z',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n')

/** Bodies that are no JSON, by their type. */
const TEXTS: { readonly [type: string]: string } = {
  'text/calendar': CALENDAR,
  'text/csv': 'email_address,city\r\njane@example.org,Rome\r\n',
}

function sent({ bodyType }: Endpoint, body: unknown): Ask {
  if (body === undefined) return {}
  return bodyType === undefined ? { body } : { raw: String(body), headers: { 'Content-Type': bodyType } }
}

function pathOf(endpoint: Endpoint, params: { [name: string]: string }, query: unknown): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]!.toWellFormed() || ' '))
  const pairs = Object.entries(query as object).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${name}=${encodeURIComponent((text ?? '').toWellFormed())}`
  })
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path
}

/** The request that the document shows. */
function exactly(endpoint: Endpoint, { good, ...world }: World) {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const ids = { ...world.ids, ...world.own[endpoint.operationId] }
  const given = good[endpoint.operationId] ?? {}
  return {
    params: Object.fromEntries(names.map((name) => [name, ids[name]!])),
    query: endpoint.query ? given : {},
    body: endpoint.body ? (endpoint.bodyType === undefined ? given : TEXTS[endpoint.bodyType]) : undefined,
  }
}

/** An example with the ids of this server instead of those that the document shows. */
function withIds(example: object, ids: { readonly [name: string]: string }): object {
  const text = JSON.stringify(example)
    .replaceAll(/dom_[a-z2-7]{20,}/g, ids['domain_id']!)
    .replaceAll(/mbx_[a-z2-7]{20,}/g, ids['mailbox_id']!)
    .replaceAll(/msg_[a-z2-7]{20,}/g, ids['message_id']!)
    .replaceAll(/(?:support|ada)@example\.com/g, ids['address']!)
  return JSON.parse(text)
}

const { paths } = openApiDocument() as {
  readonly paths: { readonly [path: string]: { readonly [method: string]: { readonly responses: object } } }
}

/** A fault of an answer that the server itself does not check; null: none. */
function faultOf({ path, method }: Endpoint, asked: string, { status, headers, body }: TestAnswer): string | null {
  if (status >= 500) return 'it failed'
  // fetch() removes a segment `.` from a path, which leads to another endpoint.
  const isAsked = new URL(asked, 'http://host').pathname.split('/').length === path.split('/').length
  const told = paths[path]![method.toLowerCase()]!.responses
  if (isAsked && !(status in told)) return `${status} is not in the document`
  const requestId = headers.get('x-request-id')
  if (!/^req_[a-z2-7]+$/.test(requestId ?? '')) return 'it has no request id'
  if (status < 400) return null
  const { type, message, request_id } = body?.error ?? {}
  if (typeof type !== 'string' || typeof message !== 'string' || message === '') return 'it has no envelope'
  return request_id === requestId ? null : 'it names another request'
}

// Promise J8. The server under test checks every answer against its declaration: an undeclared answer is a 500.
t.test('no request makes an endpoint fail or give an undeclared answer', async (t) => {
  // Without billing its pages are 503.
  const billing = { kind: 'fake' } as const
  const { ask, mailbox, domainId, stranger, store, organization, core } = await startApi(t, {
    imapLogin: async () => ({ host: 'imap.example.org', port: 993, security: 'tls', username: 'a' }),
    ...fakeShop(),
    billing,
  })
  // Domains are sold to subscribers whose card pays, and the portal is theirs.
  await core.billing.setFake(organization.account, { plan: 'team', card: '4242424242424242', trialDays: 0 })
  const { body: zone } = await ask('POST', '/v1/domains', { body: { name: 'zone.test' } })
  await ask('PATCH', `/v1/domains/${zone.id}`, { body: { dns_credentials: ANY_CREDENTIALS } })
  const alice = await mailbox('alice')
  const { mailboxId, domainId: otherDomain } = await stranger()
  const id = await alice.receive(
    mail({ 'Content-Type': 'text/plain; name=a.txt', 'Content-Disposition': 'attachment' }),
  )
  const { body: message } = await ask('GET', `/v1/messages/${id}`)
  const aliased = { domain_id: domainId, mailbox_id: alice.accountId }
  const { body: alias } = await ask('POST', '/v1/aliases', { body: { ...aliased, address: 'other' } })
  const { body: page } = await ask('POST', '/v1/booking-pages', { body: { name: 'Call', mailbox: alice.address } })
  const meeting = { mailbox: alice.address, title: 'Call', start: '2026-01-05T09:00' }
  const { body: event } = await ask('POST', '/v1/calendar/events', { body: meeting })
  const { body: feed } = await ask('POST', '/v1/calendar/feeds', { body: { mailbox: alice.address } })
  const host = 'mailto:host@example.org'
  const invitation = {
    calendarIds: { [event.calendar_id]: true },
    start: '2026-01-06T09:00:00',
    organizerCalendarAddress: host,
    participants: { host: { calendarAddress: host }, alice: { calendarAddress: `mailto:${alice.address}` } },
  }
  const { created } = await alice.call('CalendarEvent/set', { create: { e: invitation } })
  const folders = `/v1/mailboxes/${alice.accountId}/folders`
  const { body: folder } = await ask('POST', folders, { body: { name: 'Orders' } })
  const { body: audience } = await ask('POST', '/v1/audiences', { body: { name: 'News', consent_source: 'Form' } })
  const { body: spare } = await ask('POST', '/v1/audiences', { body: { name: 'Old', consent_source: 'Form' } })
  const subscribers = `/v1/audiences/${audience.id}/subscribers`
  for (const email_address of ['joe@example.org', 'gone@example.org'])
    await ask('POST', subscribers, { body: { email_address } })
  const { body: subscriber } = await ask('GET', `${subscribers}/by-email/joe@example.org`)
  const { body: newsletter } = await ask('POST', '/v1/newsletters', { body: { body_text: 'News' } })
  const { body: spareDraft } = await ask('POST', '/v1/newsletters', { body: { body_text: 'News' } })
  const upload = async (width: number) => {
    const raw = new Uint8Array(png({ width, height: 9 }))
    const headers = { 'Content-Type': 'image/png' }
    return (await ask('POST', '/v1/newsletter-assets?filename=a.png', { raw, headers })).body
  }
  const [asset, spareAsset] = [await upload(9), await upload(10)]
  await ask('PATCH', '/v1/organization', { body: { legal_name: 'News Ltd', postal_address: '1 Way' } })
  const ready = async () => {
    const body = { body_text: 'News', subject: 'News', audience_id: audience.id }
    return (await ask('POST', '/v1/newsletters', { body })).body.id as string
  }
  const inTime = async () => {
    const newsletter = await ready()
    const at = { body: { scheduled_at: '2099-01-01T00:00:00Z' } }
    await ask('POST', `/v1/newsletters/${newsletter}/schedule`, at)
    return newsletter
  }
  const paused = await inTime()
  await store.write([organization.account], (work) =>
    updateNewsletter(work.account(organization.account), core.ids.decode(Newsletter, paused)!.object, {
      status: 'paused',
    }),
  )
  await ask('POST', '/v1/suppressions', { body: { email_address: 'gone@example.org' } })
  const newKey = { name: 'Shop', scopes: ['usage:read'] }
  const { body: apiKey } = await ask('POST', '/v1/api-keys', { body: newKey })
  const newHook = { url: 'https://hooks.example.org/', events: ['message.received'] }
  const { body: webhook } = await ask('POST', '/v1/webhooks', { body: newHook })
  await ask('POST', `/v1/webhooks/${webhook.id}/test`)
  const { body: deliveries } = await ask('GET', `/v1/webhooks/${webhook.id}/deliveries`)
  const binned = await alice.receive(mail({ Subject: 'Away with it' }))
  const trash = { target_role: 'trash' }
  await ask('POST', `/v1/mailboxes/${alice.accountId}/inbox/messages/${binned}/move`, { body: trash })
  const source = { type: 'imap', provider: 'imap', email: 'a@example.org', password: 'p' }
  const startImport = async (box: typeof alice) =>
    (await ask('POST', `/v1/mailboxes/${box.accountId}/imports`, { body: { source } })).body.id as string
  const [bob, carl] = [await mailbox('bob'), await mailbox('carl')]
  const [running, over, ended] = [await startImport(bob), await startImport(carl), await startImport(alice)]
  await ask('POST', `/v1/mailboxes/${carl.accountId}/imports/${over}/cancel`)
  await ask('POST', `/v1/mailboxes/${alice.accountId}/imports/${ended}/cancel`)
  const later = { from: alice.address, to: 'bob@example.org', text: 'Hi', scheduled_at: '2026-01-02T00:00:00Z' }
  const { body: scheduled } = await ask('POST', '/v1/messages', { body: later })
  const blobId = message.attachments[0].blob_id
  const pool = [
    blobId,
    alice.accountId,
    alice.address,
    alice.roles['inbox']!,
    domainId,
    id,
    message.thread_id,
    mailboxId,
    otherDomain,
    'nothing',
    '.',
    'a b',
    '\u0000',
    '__proto__',
    'constructor',
    'x'.repeat(400),
    'Jane <jane@example.org>',
    '2026-01-01T00:10:00.000Z',
    '\r\nX: y',
    '\ud800',
  ]
  const world: World = {
    pool,
    ids: {
      mailbox_id: alice.accountId,
      message_id: id,
      thread_id: message.thread_id,
      folder_id: folder.id,
      domain_id: domainId,
      alias_id: alias.id,
      booking_page_id: page.id,
      provider: 'jitsi',
      import_id: ended,
      audience_id: audience.id,
      subscriber_id: subscriber.id,
      newsletter_id: newsletter.id,
      asset_id: asset.id,
      event_id: event.id,
      feed_id: feed.id,
      key_id: apiKey.id,
      webhook_id: webhook.id,
      delivery_id: deliveries.data[0].id,
      email: 'gone@example.org',
    },
    own: {
      applyDnsRecords: { domain_id: zone.id },
      deleteInboxMessage: { message_id: binned },
      cancelMessage: { message_id: scheduled.id },
      deleteAudience: { audience_id: spare.id },
      deleteNewsletter: { newsletter_id: spareDraft.id },
      deleteNewsletterAsset: { asset_id: spareAsset.id },
      scheduleNewsletter: { newsletter_id: await ready() },
      cancelNewsletter: { newsletter_id: await inTime() },
      resumeNewsletter: { newsletter_id: paused },
      respondToCalendarEvent: { event_id: created.e.id },
      cancelImport: { mailbox_id: bob.accountId, import_id: running },
      undoImport: { mailbox_id: carl.accountId, import_id: over },
    },
    good: {
      downloadAttachment: { blob_id: blobId },
      getAvailability: { mailbox: alice.address, from: '2026-01-05T00:00:00Z', to: '2026-01-06T00:00:00Z' },
      listThreads: { mailbox_id: alice.accountId },
      listCalendarEvents: { mailbox: alice.address, from: '2026-01-05T00:00:00Z', to: '2026-01-06T00:00:00Z' },
      getCalendarEvent: { mailbox: alice.address },
      deleteCalendarEvent: { mailbox: alice.address },
      exportCalendar: { mailbox: alice.address },
      importCalendar: { mailbox: alice.address },
      listCalendarFeeds: { mailbox: alice.address },
      getCalendarFeed: { mailbox: alice.address },
      deleteCalendarFeed: { mailbox: alice.address },
    },
  }
  for (const { operationId, bodyExample } of ENDPOINTS)
    if (bodyExample)
      Object.assign(world.good, { [operationId]: withIds(bodyExample, { ...world.ids, address: alice.address }) })
  Object.assign(world.good, { uploadNewsletterAsset: { url: asset.url, filename: 'a.png' } })
  // What other operations need is switched off and deleted last.
  const last = ['updateWebhook', 'deleteWebhook', 'deleteMailbox', 'deleteDomain']
  const endpoints = ENDPOINTS.filter(({ operationId }) => ONLY?.includes(operationId) ?? true).toSorted(
    (a, b) => last.indexOf(a.operationId) - last.indexOf(b.operationId),
  )
  for (const [seed, endpoint] of endpoints.entries()) {
    const statuses = new Set<number>()
    const property = fc.asyncProperty(requestOf(endpoint, world), async ({ params, query, body }) => {
      const path = pathOf(endpoint, params as { [name: string]: string }, query)
      const answer = await ask(endpoint.method, path, sent(endpoint, body))
      statuses.add(answer.status)
      const fault = faultOf(endpoint, path, answer)
      if (fault) throw new Error(`${fault}: ${endpoint.method} ${path} ${JSON.stringify(body)}: ${answer.text}`)
    })
    const first = exactly(endpoint, world)
    const run = await fc.check(property, { numRuns: RUNS, seed, endOnFailure: true, examples: [[first]] })
    const reached = [...statuses].some((status) => status < 300)
    t.ok(reached, `${endpoint.operationId} is reached`)
    t.notOk(
      run.failed,
      `${endpoint.operationId}: ${[...statuses].sort().join(' ')} ${run.failed ? `${fc.defaultReportMessage(run)} ${String(run.errorInstance)}` : ''}`,
    )
  }
})
