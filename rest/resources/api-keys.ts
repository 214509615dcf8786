import { formatUTCDate } from '../../jmap/protocol/primitives.ts'
import { SCOPES, type Scope } from '../../jmap/service/scopes.ts'
import { API_KEY_LIST_MAX } from '../../server/base/limits.ts'
import { type Context, endpoint } from '../endpoint.ts'
import { created, destroyed, get, onlyOne, set, updated } from '../jmap-calls.ts'
import type { JmapClient } from '../jmap-client.ts'
import type { ApiKeyObject } from '../jmap-types.ts'
import { listOrganization } from '../organization-list.ts'
import { cursorPage, pageQuery } from '../pagination.ts'
import { invalid } from '../problem.ts'
import type { SetErrorRules } from '../problems.ts'
import { array, constant, type Infer, named, nullable, object, oneOf, optional, string, timestamp } from '../schema.ts'
import { id, knownId } from '../shapes/common.ts'
import { instant, instantOrNull, parseTime } from '../timestamps.ts'

const shape = {
  object: constant('api_key'),
  id: id('key_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  name: string({ examples: ['Shop'] }),
  prefix: string({ description: 'How the key begins.', examples: ['sk_4fT9xQ2'] }),
  scopes: array(string({ examples: ['messages:write'] })),
  mailbox_ids: nullable(array(string(), { description: 'The mailboxes that it may use; null: all.' })),
  domain_ids: nullable(array(string(), { description: 'The domains that it may use; null: all.' })),
  allowed_ips: nullable(array(string(), { description: 'Where it may be used from; null: from anywhere.' })),
  expires_at: nullable(timestamp()),
  last_used_at: nullable(timestamp('Noted now and then.')),
  created_at: timestamp(),
  updated_at: timestamp(),
}

const ApiKey = named('ApiKey', object(shape))
const NewApiKey = named(
  'NewApiKey',
  object({
    ...shape,
    key: string({ description: 'The key itself: told here and never again.', examples: ['sk_4fT9xQ2…'] }),
  }),
)

const ids = (description: string) => nullable(array(string(), { minItems: 1, maxItems: API_KEY_LIST_MAX, description }))
const name = string({ minLength: 1, maxLength: 200, examples: ['Shop'] })
const scopes = array(oneOf(Object.keys(SCOPES) as Scope[]), {
  minItems: 1,
  maxItems: Object.keys(SCOPES).length,
  description: 'Those of the key that asks, or fewer.',
})
const limits = {
  mailbox_ids: optional(ids('Only these mailboxes; null: all.')),
  domain_ids: optional(ids('Only these domains and their mailboxes; null: all.')),
  allowed_ips: optional(
    nullable(
      array(string({ examples: ['192.0.2.0/24'] }), {
        minItems: 1,
        maxItems: API_KEY_LIST_MAX,
        description: 'Addresses and ranges that it may be used from; null: from anywhere.',
      }),
    ),
  ),
  expires_at: optional(nullable(timestamp('In the future; null: never.'))),
}

const RULES: SetErrorRules = {
  what: 'API key',
  fields: {
    mailboxIds: 'mailbox_ids',
    domainIds: 'domain_ids',
    allowedIps: 'allowed_ips',
    expiresAt: 'expires_at',
  },
  details: { mailboxIds: 'unknown_reference', domainIds: 'unknown_reference' },
}

export const createApiKey = endpoint({
  method: 'POST',
  path: '/v1/api-keys',
  operationId: 'createApiKey',
  tag: 'API keys',
  summary: 'Create an API key',
  description: 'A key cannot grant what it may not do itself.',
  scope: 'api_keys:write',
  tier: 'write',
  body: object({ name, scopes, ...limits }),
  status: 201,
  response: NewApiKey,
  errors: ['forbidden'],
  async run(input, jmap) {
    const { organization: accountId } = input
    const create = { key: { ...toPatch(input.body, input.now), name: input.body.name, scopes: input.body.scopes } }
    const { made } = await jmap.withOwnScopes().call({ made: set('ApiKey', { accountId, create }) })
    const { id, key } = created(made, 'key', RULES)
    return { ...(await readKey(jmap, accountId, id)), key: key! }
  },
})

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/v1/api-keys',
  operationId: 'listApiKeys',
  tag: 'API keys',
  summary: 'List API keys, newest first',
  scope: 'api_keys:read',
  tier: 'read',
  query: object(pageQuery),
  status: 200,
  response: cursorPage(ApiKey),
  errors: [],
  run: (input, jmap) => listOrganization(input, jmap, { list: 'api-keys', type: 'ApiKey', show: toApiKey }),
})

export const getApiKey = endpoint({
  method: 'GET',
  path: '/v1/api-keys/{key_id}',
  operationId: 'getApiKey',
  tag: 'API keys',
  summary: 'Get an API key; its text is not told again',
  scope: 'api_keys:read',
  tier: 'read',
  status: 200,
  response: ApiKey,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => readKey(jmap, organization, knownId(params.key_id, 'API key')),
})

export const updateApiKey = endpoint({
  method: 'PATCH',
  path: '/v1/api-keys/{key_id}',
  operationId: 'updateApiKey',
  tag: 'API keys',
  summary: 'Rename an API key, or change what it may do',
  scope: 'api_keys:write',
  tier: 'write',
  body: object({ name: optional(name), scopes: optional(scopes), ...limits }),
  status: 200,
  response: ApiKey,
  errors: ['not_found', 'forbidden'],
  async run({ params, body, organization: accountId, now }, jmap) {
    const patch = toPatch(body, now)
    if (Object.keys(patch).length === 0) throw invalid(null, 'required', 'Give at least one member to change.')
    const id = knownId(params.key_id, 'API key')
    const { changed } = await jmap
      .withOwnScopes()
      .call({ changed: set('ApiKey', { accountId, update: { [id]: patch } }) })
    updated(changed, id, RULES)
    return readKey(jmap, accountId, id)
  },
})

export const deleteApiKey = endpoint({
  method: 'DELETE',
  path: '/v1/api-keys/{key_id}',
  operationId: 'deleteApiKey',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description: 'It works no longer within a second; connections that were opened with it end within 30.',
  scope: 'api_keys:write',
  tier: 'write',
  status: 204,
  response: null,
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const id = knownId(params.key_id, 'API key')
    const { gone } = await jmap.call({ gone: set('ApiKey', { accountId, destroy: [id] }) })
    destroyed(gone, id, RULES)
    return null
  },
})

interface Changes {
  readonly name?: string
  readonly scopes?: readonly string[]
  readonly mailbox_ids?: readonly string[] | null
  readonly domain_ids?: readonly string[] | null
  readonly allowed_ips?: readonly string[] | null
  readonly expires_at?: string | null
}

/** @throws Problem for a time that is over */
function toPatch(body: Changes, now: Context['now']): object {
  const expires = body.expires_at ? parseTime(body.expires_at)! : null
  if (expires !== null && expires <= now)
    throw invalid('expires_at', 'must_be_future', 'expires_at must be in the future.')
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.scopes !== undefined && { scopes: [...new Set(body.scopes)] }),
    ...(body.mailbox_ids !== undefined && { mailboxIds: body.mailbox_ids }),
    ...(body.domain_ids !== undefined && { domainIds: body.domain_ids }),
    ...(body.allowed_ips !== undefined && { allowedIps: body.allowed_ips }),
    ...(body.expires_at !== undefined && { expiresAt: expires === null ? null : formatUTCDate(expires) }),
  }
}

async function readKey(jmap: JmapClient, accountId: string, id: string): Promise<Infer<typeof ApiKey>> {
  const { found } = await jmap.call({ found: get('ApiKey', { accountId, ids: [id] }) })
  return toApiKey(onlyOne(found, 'API key'))
}

function toApiKey(key: ApiKeyObject): Infer<typeof ApiKey> {
  return {
    object: 'api_key',
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    mailbox_ids: key.mailboxIds,
    domain_ids: key.domainIds,
    allowed_ips: key.allowedIps,
    expires_at: instantOrNull(key.expiresAt),
    last_used_at: instantOrNull(key.lastUsedAt),
    created_at: instant(key.createdAt),
    updated_at: instant(key.updatedAt),
  }
}
