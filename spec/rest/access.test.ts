import t from 'tap'
import type { Endpoint } from '../../rest/endpoint.ts'
import { ENDPOINTS } from '../../rest/endpoints.ts'
import { png } from '../support/png.ts'
import { mail, startApi } from '../support/rest-api.ts'
import type { Ask } from '../support/rest-server.ts'

const api = await startApi(t)
const { ask, domainId } = api
const alice = await api.mailbox('alice')
const stranger = await api.stranger()
const message = await alice.receive(mail())
const made = async (path: string, body: object) => (await ask('POST', path, { body })).body.id as string
const webhook = await made('/v1/webhooks', { url: 'https://hooks.example.org/', events: ['message.received'] })
await ask('POST', `/v1/webhooks/${webhook}/test`)
const audience = await made('/v1/audiences', { name: 'News', consent_source: 'Form' })
await ask('POST', `/v1/audiences/${audience}/subscribers`, { body: { email_address: 'gone@example.org' } })
const octets = (bytes: Buffer) => ({ raw: new Uint8Array(bytes), headers: { 'Content-Type': 'image/png' } })
const IDS: { readonly [name: string]: string } = {
  domain_id: domainId,
  mailbox_id: alice.accountId,
  message_id: message,
  thread_id: (await ask('GET', `/v1/messages/${message}`)).body.thread_id,
  folder_id: await made(`/v1/mailboxes/${alice.accountId}/folders`, { name: 'Invoices' }),
  alias_id: await made('/v1/aliases', { domain_id: domainId, address: 'sales', mailbox_id: alice.accountId }),
  webhook_id: webhook,
  delivery_id: (await ask('GET', `/v1/webhooks/${webhook}/deliveries`)).body.data[0].id,
  event_id: await made('/v1/calendar/events', { mailbox: alice.address, title: 'Call', start: '2027-01-05T09:00' }),
  feed_id: await made('/v1/calendar/feeds', { mailbox: alice.address }),
  booking_page_id: await made('/v1/booking-pages', { mailbox: alice.address, name: 'Call' }),
  provider: 'jitsi',
  import_id: await startedImport(),
  audience_id: audience,
  subscriber_id: (await ask('GET', `/v1/audiences/${audience}/subscribers`)).body.data[0].id,
  newsletter_id: await made('/v1/newsletters', { body_text: 'News' }),
  asset_id: (await ask('POST', '/v1/newsletter-assets?filename=a.png', octets(png({ width: 9, height: 9 })))).body.id,
  key_id: await made('/v1/api-keys', { name: 'Shop', scopes: ['domains:read'] }),
  email: 'gone@example.org',
}
await ask('POST', '/v1/suppressions', { body: { email_address: IDS['email'] } })

/** The id of an import of a file. */
async function startedImport(): Promise<string> {
  const path = `/v1/mailboxes/${alice.accountId}/imports`
  const { body } = await ask('POST', `${path}/files`, { body: { file_name: 'a.mbox', size_bytes: 1 } })
  const upload = (await api.core.imports.findUpload(body.upload_url.split('/').at(-1)))!
  await api.core.imports.completeUpload(upload.account, upload.id)
  return made(path, { source: { type: 'files', provider: 'generic', file_ids: [body.file_id] } })
}

/** Parameters without which an endpoint refuses all. */
const REQUIRED: { readonly [name: string]: string } = {
  blob_id: 'blb_any',
  mailbox: alice.address,
  from: '2027-01-01T00:00:00Z',
  to: '2027-01-08T00:00:00Z',
}

/** The endpoints whose path names an object of the organization. An id of a new kind must be added above. */
const ENDS = ENDPOINTS.filter(({ path }) => path.includes('{'))

function asked(endpoint: Endpoint): [method: string, path: string, body: Pick<Ask, 'body'>] {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name) => IDS[name] ?? name)
  const { query, bodyExample: example } = endpoint
  const required = (query?.required ?? []).map((name) => `${name}=${encodeURIComponent(REQUIRED[name] ?? name)}`)
  const body = example && ('mailbox' in example ? { ...example, mailbox: alice.address } : example)
  return [endpoint.method, required.length > 0 ? `${path}?${required.join('&')}` : path, body ? { body } : {}]
}

t.test('every operation answers 404 for an object of another organization', async (t) => {
  t.ok(ENDS.length > 40)
  const names = ENDS.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))
  t.same(
    names.filter((name) => !IDS[name]),
    [],
    'an object of each kind is there',
  )
  for (const endpoint of ENDS) {
    const [method, path, body] = asked(endpoint)
    const { status, body: told } = await ask(method, path, { ...body, key: stranger.key })
    t.same([status, told?.error?.type], [404, 'not_found'], `${method} ${endpoint.path}`)
  }
  for (const endpoint of ENDS.filter(({ method }) => method === 'GET')) {
    // A message without attachments has none to get.
    const wanted = /\/attachments\//.test(endpoint.path) || endpoint.operationId === 'downloadAttachment' ? 404 : 200
    t.equal((await ask('GET', asked(endpoint)[1])).status, wanted, `control: ${endpoint.path} to its owner`)
  }
})

t.test('every operation answers 403 for a mailbox that the key may not use', async (t) => {
  const other = await api.mailbox('other')
  const byAddress = ENDPOINTS.filter(
    ({ query, bodyExample: body }) => query?.required?.includes('mailbox') || (body && 'mailbox' in body),
  )
  t.ok(byAddress.length > 5, 'endpoints of calendars name the mailbox by its address')
  const byId = ENDS.filter(({ path }) => /\{(mailbox|thread|message)_id\}/.test(path))
  const inMailbox = [...new Set([...byId, ...byAddress])]
  t.ok(inMailbox.length > 25)
  const scopes = inMailbox.flatMap((endpoint) => endpoint.scope ?? [])
  const key = await api.key([...new Set(scopes)], { mailboxIds: [other.accountId] })
  for (const endpoint of inMailbox) {
    const [method, path, body] = asked(endpoint)
    const { status, body: told } = await ask(method, path, { ...body, key })
    t.same([status, told?.error?.code], [403, 'mailbox_access_denied'], `${method} ${endpoint.path}`)
  }
  t.equal((await ask('GET', `/v1/mailboxes/${other.accountId}`, { key })).status, 200, 'its own mailbox is open')
})
