import { SCOPE_NAMES } from '../../jmap/directory/scopes.ts'
import { formatUTCDate } from '../../jmap/protocol/primitives.ts'
import { API_KEY_LIST_MAX } from '../../server/base/limits.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { parseTime } from '../schema/timestamps.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'

const shape = {
  id: s.id('key_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  name: s.string({ examples: ['Shop'] }),
  prefix: s.string({ description: 'The beginning of the key.', examples: ['sk_4fT9xQ2'] }),
  scopes: s.array(s.string({ examples: ['messages:write'] })),
  mailbox_ids: s.nullable(s.array(s.string(), { description: 'The mailboxes that it may use; null: all.' })),
  domain_ids: s.nullable(s.array(s.string(), { description: 'The domains that it may use; null: all.' })),
  allowed_ips: s.nullable(s.array(s.string(), { description: 'IP addresses and ranges that may use it; null: all.' })),
  expires_at: s.nullable(s.timestamp()),
  last_used_at: s.nullable(s.timestamp('Updated at intervals.')),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
}

const ApiKey = s.resource('ApiKey', 'api_key', shape)
const NewApiKey = s.resource('NewApiKey', 'api_key', {
  ...shape,
  key: s.string({ description: 'The key itself: returned here and never again.', examples: ['sk_4fT9xQ2…'] }),
})

const ids = (description: string) =>
  s.nullable(s.array(s.string(), { minItems: 1, maxItems: API_KEY_LIST_MAX, description }))
const name = s.string({ minLength: 1, maxLength: 200, examples: ['Shop'] })
const scopes = s.array(s.oneOf(SCOPE_NAMES), {
  minItems: 1,
  maxItems: SCOPE_NAMES.length,
  description: 'A subset of the scopes of the calling key.',
})
const limits = {
  mailbox_ids: s.optional(ids('Only these mailboxes; null: all.')),
  domain_ids: s.optional(ids('Only these domains and their mailboxes; null: all.')),
  allowed_ips: s.optional(
    s.nullable(
      s.array(s.string({ examples: ['192.0.2.0/24'] }), {
        minItems: 1,
        maxItems: API_KEY_LIST_MAX,
        description: 'IP addresses and ranges that may use the key; null: all.',
      }),
    ),
  ),
  expires_at: s.optional(s.nullable(s.timestamp('In the future; null: never.'))),
}

const TAG: Tag = {
  name: 'API keys',
  description: 'Keys with their scopes, mailboxes and domains.',
}

const objects = new OrganizationObjects({
  type: 'ApiKey',
  what: 'API key',
  show: (key) => toSnake(ApiKey, key),
  details: { mailboxIds: 'unknown_reference', domainIds: 'unknown_reference' },
})

export const createApiKey = endpoint({
  method: 'POST',
  path: '/v1/api-keys',
  operationId: 'createApiKey',
  tag: TAG,
  summary: 'Create an API key',
  description: 'A key cannot grant more than it has itself.',
  scope: 'api_keys:write',
  body: s.object({ name, scopes, ...limits }),
  bodyExample: {
    name: 'Shop',
    scopes: ['messages:read', 'messages:write'],
    mailbox_ids: ['mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'],
  },
  status: 201,
  response: NewApiKey,
  errors: ['forbidden'],
  async run({ body, organization, now }, jmap) {
    const values = { ...toPatch(body, now), name: body.name, scopes: body.scopes }
    const { record, shown } = await objects.create(jmap, organization, values, jmap.withOwnScopes())
    return { ...shown, key: record.key }
  },
})

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/v1/api-keys',
  operationId: 'listApiKeys',
  tag: TAG,
  summary: 'List API keys, newest first',
  description: 'The keys themselves are not returned; `prefix` is their beginning.',
  scope: 'api_keys:read',
  query: s.object(pageQuery),
  response: cursorPage(ApiKey),
  run: (input, jmap) => objects.list(input, jmap, { list: 'api-keys' }),
})

export const getApiKey = endpoint({
  method: 'GET',
  path: '/v1/api-keys/{key_id}',
  operationId: 'getApiKey',
  tag: TAG,
  summary: 'Get an API key, without the key itself',
  description: 'Its limits, and the time of its last use.',
  scope: 'api_keys:read',
  response: ApiKey,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => objects.read(jmap, organization, params.key_id),
})

export const updateApiKey = endpoint({
  method: 'PATCH',
  path: '/v1/api-keys/{key_id}',
  operationId: 'updateApiKey',
  resource: getApiKey,
  tag: TAG,
  summary: 'Rename an API key, or change its limits',
  description:
    'At least one member. A key cannot change a key that has more rights, and cannot grant more than it has itself.',
  scope: 'api_keys:write',
  body: s.object({ name: s.optional(name), scopes: s.optional(scopes), ...limits }),
  bodyExample: { name: 'Shop, read only', scopes: ['messages:read'] },
  response: ApiKey,
  errors: ['not_found', 'forbidden'],
  async run({ params, body, organization, now }, jmap) {
    const patch = toPatch(body, now)
    if (Object.keys(patch).length === 0) throw invalid(null, 'required', 'Give at least one member to change.')
    return objects.update(jmap, organization, params.key_id, patch, jmap.withOwnScopes())
  },
})

export const deleteApiKey = endpoint({
  method: 'DELETE',
  path: '/v1/api-keys/{key_id}',
  operationId: 'deleteApiKey',
  resource: getApiKey,
  tag: TAG,
  summary: 'Revoke an API key',
  description:
    'The key stops working within a second; open connections end within 30 seconds. A key cannot revoke a key that has more rights.',
  scope: 'api_keys:write',
  status: 204,
  errors: ['not_found', 'forbidden'],
  run: ({ params, organization }, jmap) =>
    objects.destroy(jmap, organization, params.key_id, undefined, jmap.withOwnScopes()),
})

interface Changes {
  readonly name?: string
  readonly scopes?: readonly string[]
  readonly mailbox_ids?: readonly string[] | null
  readonly domain_ids?: readonly string[] | null
  readonly allowed_ips?: readonly string[] | null
  readonly expires_at?: string | null
}

/** @throws ApiError for a time in the past */
function toPatch(body: Changes, now: number) {
  const patch = toCamel(body, ['name', 'scopes', 'mailbox_ids', 'domain_ids', 'allowed_ips', 'expires_at'])
  const expires = patch.expiresAt ? parseTime(patch.expiresAt) : null
  if (expires !== null && expires <= now)
    throw invalid('expires_at', 'must_be_future', 'expires_at must be in the future.')
  return {
    ...patch,
    ...(patch.scopes && { scopes: [...new Set(patch.scopes)] }),
    ...(expires !== null && { expiresAt: formatUTCDate(expires) }),
  }
}

export const apiKeyEndpoints = [createApiKey, listApiKeys, getApiKey, updateApiKey, deleteApiKey]
