import { CONFERENCING_PROVIDERS } from '../../jmap/calendars/jscalendar/conferencing.ts'
import { MEETING_TEMPLATE_MAX_CHARS, ZOOM_CREDENTIAL_MAX_CHARS } from '../../server/base/conferencing-limits.ts'
import { isOneOf } from '../../server/base/known-names.ts'
import { created, destroyed, get, set, updated } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { inMailbox } from '../calls/mailbox-access.ts'
import { type Context, endpoint, type Tag } from '../endpoint.ts'
import { notFound } from '../errors/api-error.ts'
import type { JmapObjects } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'

const TAG: Tag = {
  name: 'Conferencing',
  description:
    'Providers of video meetings that are connected to a mailbox. Secrets are stored encrypted and never returned.',
  after: 'Booking pages',
}

const Conferencing = s.resource('Conferencing', 'conferencing', {
  provider: s.oneOf(CONFERENCING_PROVIDERS),
  connected: s.boolean(),
  url_template: s.nullable(s.string({ description: 'Of `jitsi`.', examples: ['https://meet.example.com/{room}'] })),
  account: s.nullable(s.string({ description: 'Of `zoom`: id of the account.', examples: ['AbCdEfGhIjKlMnOpQrStUv'] })),
})

const RULES = {
  what: 'connection',
  fields: { account: 'account_id' },
} as const

type Connection = JmapObjects['ConferencingConnection']
type Provider = Connection['provider']

const credential = (example: string) =>
  s.string({ minLength: 1, maxLength: ZOOM_CREDENTIAL_MAX_CHARS, pattern: '^[\\x21-\\x7e]+$', examples: [example] })

function shown(provider: Provider, connection: Connection | undefined): s.Infer<typeof Conferencing> {
  return {
    object: 'conferencing',
    provider,
    connected: connection !== undefined,
    url_template: connection?.urlTemplate ?? null,
    account: connection?.account ?? null,
  }
}

async function connectionsOf(input: Context, jmap: JmapClient, mailboxId: string) {
  const { mailbox, found } = await inMailbox(input, jmap, mailboxId, (accountId) => ({
    found: get('ConferencingConnection', { accountId, ids: null }),
  }))
  return { accountId: mailbox.id, list: found.list }
}

/** Replaces what the provider was connected with. */
async function connect(
  input: Context,
  jmap: JmapClient,
  mailboxId: string,
  provider: Provider,
  values: { readonly urlTemplate: string } | { account: string; clientId: string; clientSecret: string },
) {
  const { accountId, list } = await connectionsOf(input, jmap, mailboxId)
  const before = list.find((one) => one.provider === provider)
  const change = before ? { update: { [before.id]: values } } : { create: { new: { provider, ...values } } }
  const { made } = await jmap.call({ made: set('ConferencingConnection', { accountId, ...change }) })
  if (before) updated(made, before.id, RULES)
  else created(made, 'new', RULES)
  const { list: after } = await connectionsOf(input, jmap, mailboxId)
  return shown(
    provider,
    after.find((one) => one.provider === provider),
  )
}

export const listConferencing = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/conferencing',
  operationId: 'listConferencing',
  tag: TAG,
  summary: 'List the providers of meetings, and which of them are connected',
  description: 'A booking page or an event can have a provider that is connected to its mailbox.',
  scope: 'calendar:read',
  response: s.object({ data: s.array(Conferencing) }),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { list } = await connectionsOf(input, jmap, input.params.mailbox_id)
    const of = (provider: Provider) => list.find((one) => one.provider === provider)
    return { data: CONFERENCING_PROVIDERS.map((provider) => shown(provider, of(provider))) }
  },
})

export const connectJitsi = endpoint({
  method: 'PUT',
  path: '/v1/mailboxes/{mailbox_id}/conferencing/jitsi',
  operationId: 'connectJitsi',
  resource: listConferencing,
  tag: TAG,
  summary: 'Connect Jitsi by the URL of its rooms',
  description: 'Each meeting gets a room with a random name. Meetings that were made keep their links.',
  scope: 'calendar:write',
  body: s.object({
    url_template: s.string({
      minLength: 1,
      maxLength: MEETING_TEMPLATE_MAX_CHARS,
      description: 'An https:// URL. The room stands in place of `{room}`, else it is the last segment of the path.',
      examples: ['https://meet.example.com/{room}'],
    }),
  }),
  bodyExample: { url_template: 'https://meet.example.com/{room}' },
  response: Conferencing,
  errors: ['not_found', 'mailbox_access_denied'],
  run: (input, jmap) =>
    connect(input, jmap, input.params.mailbox_id, 'jitsi', { urlTemplate: input.body.url_template }),
})

export const connectZoom = endpoint({
  method: 'PUT',
  path: '/v1/mailboxes/{mailbox_id}/conferencing/zoom',
  operationId: 'connectZoom',
  resource: listConferencing,
  tag: TAG,
  summary: 'Connect Zoom by a server-to-server OAuth app',
  description:
    "The credentials are tried before they are stored: what Zoom refuses is a 422. The app needs the rights to read and write meetings. Meetings are those of the account's owner.",
  scope: 'calendar:write',
  body: s.object({
    account_id: credential('AbCdEfGhIjKlMnOpQrStUv'),
    client_id: credential('a1B2c3D4e5F6g7H8i9J0kL'),
    client_secret: credential('s3cr3ts3cr3ts3cr3ts3cr3ts3cr3t12'),
  }),
  bodyExample: {
    account_id: 'AbCdEfGhIjKlMnOpQrStUv',
    client_id: 'a1B2c3D4e5F6g7H8i9J0kL',
    client_secret: 's3cr3ts3cr3ts3cr3ts3cr3ts3cr3t12',
  },
  response: Conferencing,
  errors: ['not_found', 'mailbox_access_denied'],
  run(input, jmap) {
    const { account_id: account, client_id: clientId, client_secret: clientSecret } = input.body
    return connect(input, jmap, input.params.mailbox_id, 'zoom', { account, clientId, clientSecret })
  },
})

export const disconnectConferencing = endpoint({
  method: 'DELETE',
  path: '/v1/mailboxes/{mailbox_id}/conferencing/{provider}',
  operationId: 'disconnectConferencing',
  resource: listConferencing,
  pathExamples: { provider: 'jitsi' },
  tag: TAG,
  summary: 'Disconnect a provider of meetings',
  description: 'Booking pages that have it get no more links. Meetings that were made stay.',
  scope: 'calendar:write',
  status: 204,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { mailbox_id: mailboxId, provider } = input.params
    const { accountId, list } = await connectionsOf(input, jmap, mailboxId)
    const connection = isOneOf(CONFERENCING_PROVIDERS, provider) && list.find((one) => one.provider === provider)
    if (!connection) throw notFound('connection')
    const { gone } = await jmap.call({ gone: set('ConferencingConnection', { accountId, destroy: [connection.id] }) })
    destroyed(gone, connection.id, RULES)
    return null
  },
})

export const conferencingEndpoints = [listConferencing, connectJitsi, connectZoom, disconnectConferencing]
