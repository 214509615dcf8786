import { created, destroyed, get, onlyOne, set, updated } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { AliasObject } from '../calls/jmap-types.ts'
import { openMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import { byIds, listOrganization } from '../pagination/organization-list.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import {
  boolean,
  constant,
  type Infer,
  named,
  nullable,
  object,
  optional,
  string,
  timestamp,
  withDefault,
} from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { id, knownId } from '../shapes/common.ts'

const Alias = named(
  'Alias',
  object({
    object: constant('alias'),
    id: id('als_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
    domain_id: id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
    address: string({ examples: ['sales@example.com'] }),
    mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
    enabled: boolean(),
    description: nullable(string()),
    created_at: timestamp(),
    updated_at: timestamp(),
  }),
)

// D8, D16: as of a mailbox.
const LOCAL_PART = '^(?!.*\\.\\.)[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$'
const description = nullable(string({ maxLength: 500 }))
const mailboxId = string({
  description: 'The mailbox that it leads to.',
  examples: ['mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'],
})
const SAID = { codes: { alreadyExists: 'address_taken' }, fields: { localPart: 'address' } } as const

export const createAlias = endpoint({
  method: 'POST',
  path: '/v1/aliases',
  operationId: 'createAlias',
  tag: 'Aliases',
  summary: 'Give a mailbox another address',
  description: 'It takes mail for the mailbox and may be used as `from`. `+tag` addresses need no alias.',
  scope: 'mailboxes:write',
  tier: 'write',
  body: object({
    domain_id: string({ description: 'A verified domain.', examples: ['dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'] }),
    address: string({
      minLength: 1,
      maxLength: 64,
      pattern: LOCAL_PART,
      description: 'The local part: letters, digits, and dots, hyphens and underscores between them.',
      examples: ['sales'],
    }),
    mailbox_id: mailboxId,
    enabled: withDefault(boolean(), true),
    description: optional(description),
  }),
  status: 201,
  response: Alias,
  errors: ['forbidden', 'quota_exceeded', 'not_found', 'mailbox_access_denied', 'address_taken', 'domain_not_verified'],
  async run(input, jmap) {
    const { body, organization: accountId } = input
    const domainId = knownId(body.domain_id, 'domain')
    const { domains } = await jmap.call({ domains: get('Domain', { accountId, ids: [domainId], properties: ['id'] }) })
    onlyOne(domains, 'domain')
    const { id: mailbox } = await openMailbox(input, jmap, body.mailbox_id)
    const alias = {
      domainId,
      localPart: body.address.toLowerCase(),
      mailboxId: mailbox,
      enabled: body.enabled,
      description: body.description ?? null,
    }
    const { made } = await jmap.call({ made: set('Alias', { accountId, create: { alias } }) })
    return readAlias(jmap, accountId, created(made, 'alias', SAID).id)
  },
})

export const listAliases = endpoint({
  method: 'GET',
  path: '/v1/aliases',
  operationId: 'listAliases',
  tag: 'Aliases',
  summary: 'List aliases, newest first',
  description: 'A key that is limited to some mailboxes or domains sees none.',
  scope: 'mailboxes:read',
  tier: 'read',
  query: object({
    domain_id: optional(string({ description: 'Only those of this domain.' })),
    mailbox_id: optional(string({ description: 'Only those of this mailbox.' })),
    ...pageQuery,
  }),
  status: 200,
  response: cursorPage(Alias),
  errors: [],
  run: (input, jmap) =>
    listOrganization(input, jmap, {
      list: 'aliases',
      type: 'Alias',
      filters: { domain_id: input.query.domain_id, mailbox_id: input.query.mailbox_id },
      filter: byIds({ domain_id: 'domainId', mailbox_id: 'mailboxId' }),
      show: toAlias,
    }),
})

export const getAlias = endpoint({
  method: 'GET',
  path: '/v1/aliases/{alias_id}',
  operationId: 'getAlias',
  tag: 'Aliases',
  summary: 'Get an alias',
  scope: 'mailboxes:read',
  tier: 'read',
  status: 200,
  response: Alias,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => readAlias(jmap, organization, knownId(params.alias_id, 'alias')),
})

export const updateAlias = endpoint({
  method: 'PATCH',
  path: '/v1/aliases/{alias_id}',
  operationId: 'updateAlias',
  tag: 'Aliases',
  summary: 'Turn an alias to another mailbox, or on and off',
  scope: 'mailboxes:write',
  tier: 'write',
  body: object({
    mailbox_id: optional(mailboxId),
    enabled: optional(boolean()),
    description: optional(description),
  }),
  status: 200,
  response: Alias,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden'],
  async run(input, jmap) {
    const { body, organization: accountId } = input
    const { id } = await readAlias(jmap, accountId, knownId(input.params.alias_id, 'alias'))
    const mailbox = body.mailbox_id === undefined ? null : await openMailbox(input, jmap, body.mailbox_id)
    const patch = {
      ...(mailbox && { mailboxId: mailbox.id }),
      ...(body.enabled !== undefined && { enabled: body.enabled }),
      ...(body.description !== undefined && { description: body.description }),
    }
    const { changed } = await jmap.call({ changed: set('Alias', { accountId, update: { [id]: patch } }) })
    updated(changed, id, { what: 'alias' })
    return readAlias(jmap, accountId, id)
  },
})

export const deleteAlias = endpoint({
  method: 'DELETE',
  path: '/v1/aliases/{alias_id}',
  operationId: 'deleteAlias',
  tag: 'Aliases',
  summary: 'Delete an alias',
  scope: 'mailboxes:write',
  tier: 'write',
  status: 204,
  response: null,
  errors: ['not_found', 'forbidden'],
  async run({ params, organization: accountId }, jmap) {
    const id = knownId(params.alias_id, 'alias')
    const { gone } = await jmap.call({ gone: set('Alias', { accountId, destroy: [id] }) })
    destroyed(gone, id, { what: 'alias' })
    return null
  },
})

async function readAlias(jmap: JmapClient, accountId: string, id: string): Promise<Infer<typeof Alias>> {
  const { found } = await jmap.call({ found: get('Alias', { accountId, ids: [id] }) })
  return toAlias(onlyOne(found, 'alias'))
}

function toAlias(alias: AliasObject): Infer<typeof Alias> {
  return {
    object: 'alias',
    id: alias.id,
    domain_id: alias.domainId,
    address: alias.address,
    mailbox_id: alias.mailboxId,
    enabled: alias.enabled,
    description: alias.description,
    created_at: instant(alias.createdAt),
    updated_at: instant(alias.updatedAt),
  }
}
