import { openMailbox } from '../calls/mailbox-access.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import { byIds, OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'
import { requireDomain } from './domains.ts'
import { localPart } from './mailboxes.ts'

const Alias = s.resource('Alias', 'alias', {
  id: s.id('als_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  domain_id: s.id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  address: s.string({ examples: ['sales@example.com'] }),
  mailbox_id: s.id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
  enabled: s.boolean(),
  description: s.nullable(s.string()),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

const description = s.nullable(s.string({ maxLength: 500 }))
const mailboxId = s.string({
  description: 'The mailbox that gets its mail.',
  examples: ['mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'],
})

const TAG: Tag = { name: 'Aliases', description: 'Further addresses of a mailbox.', after: 'Mailboxes' }

const objects = new OrganizationObjects({
  type: 'Alias',
  what: 'alias',
  show: (alias) => toSnake(Alias, alias),
  codes: { alreadyExists: 'address_taken' },
  details: { domainId: 'unknown_reference', mailboxId: 'unknown_reference' },
  fields: { localPart: 'address' },
})

export const createAlias = endpoint({
  method: 'POST',
  path: '/v1/aliases',
  operationId: 'createAlias',
  tag: TAG,
  summary: 'Add another address to a mailbox',
  description: 'It receives mail for the mailbox and may be used as `from`. `+tag` addresses need no alias.',
  scope: 'mailboxes:write',
  body: s.object({
    domain_id: s.string({ description: 'A verified domain.', examples: ['dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'] }),
    address: localPart('sales'),
    mailbox_id: mailboxId,
    enabled: s.withDefault(s.boolean(), true),
    description: s.optional(description),
  }),
  bodyExample: {
    domain_id: 'dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq',
    address: 'sales',
    mailbox_id: 'mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq',
    description: 'For the shop',
  },
  status: 201,
  response: Alias,
  errors: ['forbidden', 'quota_exceeded', 'not_found', 'mailbox_access_denied', 'address_taken', 'domain_not_verified'],
  async run(input, jmap) {
    const { body, organization: accountId } = input
    const domainId = await requireDomain(jmap, accountId, body.domain_id)
    const { id: mailbox } = await openMailbox(input, jmap, body.mailbox_id)
    const alias = {
      domainId,
      localPart: body.address.toLowerCase(),
      mailboxId: mailbox,
      enabled: body.enabled,
      description: body.description ?? null,
    }
    return (await objects.create(jmap, accountId, alias)).shown
  },
})

export const listAliases = endpoint({
  method: 'GET',
  path: '/v1/aliases',
  operationId: 'listAliases',
  tag: TAG,
  summary: 'List aliases, newest first',
  description: 'A key that is limited to some mailboxes or domains sees none.',
  scope: 'mailboxes:read',
  query: s.object({
    domain_id: s.optional(s.string({ description: 'Only aliases of this domain.' })),
    mailbox_id: s.optional(s.string({ description: 'Only aliases of this mailbox.' })),
    ...pageQuery,
  }),
  response: cursorPage(Alias),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { domain_id, mailbox_id } = input.query
    if (domain_id !== undefined) await requireDomain(jmap, input.organization, domain_id)
    if (mailbox_id !== undefined) await openMailbox(input, jmap, mailbox_id)
    return objects.list(input, jmap, {
      list: 'aliases',
      filters: { domain_id, mailbox_id },
      filter: byIds({ domain_id: 'domainId', mailbox_id: 'mailboxId' }),
    })
  },
})

export const getAlias = endpoint({
  method: 'GET',
  path: '/v1/aliases/{alias_id}',
  operationId: 'getAlias',
  tag: TAG,
  summary: 'Get an alias',
  description: 'An alias belongs to one mailbox, and may be used as `from`.',
  scope: 'mailboxes:read',
  response: Alias,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => objects.read(jmap, organization, params.alias_id),
})

export const updateAlias = endpoint({
  method: 'PATCH',
  path: '/v1/aliases/{alias_id}',
  operationId: 'updateAlias',
  resource: getAlias,
  tag: TAG,
  summary: 'Move an alias to another mailbox, or switch it on or off',
  description: 'At least one member. While it is off, it receives no mail and cannot be used as `from`.',
  scope: 'mailboxes:write',
  body: s.object({
    mailbox_id: s.optional(mailboxId),
    enabled: s.optional(s.boolean()),
    description: s.optional(description),
  }),
  bodyExample: { enabled: false },
  response: Alias,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden'],
  async run(input, jmap) {
    const { body, organization: accountId } = input
    if ([body.mailbox_id, body.enabled, body.description].every((given) => given === undefined))
      throw invalid(null, 'required', 'Send mailbox_id, enabled or description.')
    const { id } = await objects.read(jmap, accountId, input.params.alias_id)
    const mailbox = body.mailbox_id === undefined ? null : await openMailbox(input, jmap, body.mailbox_id)
    const patch = { ...(mailbox && { mailboxId: mailbox.id }), ...toCamel(body, ['enabled', 'description']) }
    return objects.update(jmap, accountId, id, patch)
  },
})

export const deleteAlias = endpoint({
  method: 'DELETE',
  path: '/v1/aliases/{alias_id}',
  operationId: 'deleteAlias',
  resource: getAlias,
  tag: TAG,
  summary: 'Delete an alias',
  description: 'Mail to it is refused at once, and the address is free.',
  scope: 'mailboxes:write',
  status: 204,
  errors: ['not_found', 'forbidden'],
  run: ({ params, organization }, jmap) => objects.destroy(jmap, organization, params.alias_id),
})

export const aliasEndpoints = [createAlias, listAliases, getAlias, updateAlias, deleteAlias]
