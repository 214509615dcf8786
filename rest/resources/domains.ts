import { created, destroyed, get, onlyOne, set, updated } from '../calls/jmap-calls.ts'
import type { DomainObject } from '../calls/jmap-types.ts'
import { endpoint } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import { listOrganization } from '../pagination/organization-list.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import { normalDomain } from '../schema/addresses.ts'
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
} from '../schema/schema.ts'
import { instant, instantOrNull } from '../schema/timestamps.ts'
import { id, knownId } from '../shapes/common.ts'

export const Domain = named(
  'Domain',
  object({
    object: constant('domain'),
    id: id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
    name: string({ examples: ['example.com'] }),
    status: string({
      description: '`pending`, `verified`, `degraded` or `failed`; more may come.',
      examples: ['verified'],
    }),
    managed_by: string({ description: '`external`: the customer manages DNS.', examples: ['external'] }),
    dns_provider: string({ examples: ['manual'] }),
    mx_verified: boolean(),
    spf_verified: boolean(),
    dkim_verified: boolean(),
    dmarc_verified: boolean(),
    outbound_verified: boolean(),
    dmarc_managed_externally: boolean(),
    catch_all_mailbox_id: nullable(string()),
    verified_at: nullable(timestamp()),
    created_at: timestamp(),
    updated_at: timestamp(),
  }),
)

/** RFC 1035 2.3.4: octets of a name as written. */
const NAME_MAX_CHARS = 253

export const createDomain = endpoint({
  method: 'POST',
  path: '/v1/domains',
  operationId: 'createDomain',
  tag: 'Domains',
  summary: 'Add a domain',
  description: 'The name may be internationalised; it is kept in lower case, in A-labels.',
  scope: 'domains:write',
  tier: 'write',
  body: object({ name: string({ minLength: 1, maxLength: NAME_MAX_CHARS, examples: ['example.com'] }) }),
  status: 201,
  response: Domain,
  errors: ['forbidden', 'quota_exceeded', 'domain_exists'],
  async run({ body, organization }, jmap) {
    const create = { domain: { name: normalName(body.name) } }
    const { made } = await jmap.call({ made: set('Domain', { accountId: organization, create }) })
    const record = created(made, 'domain', { codes: { alreadyExists: 'domain_exists' } })
    const { found } = await jmap.call({ found: get('Domain', { accountId: organization, ids: [record.id] }) })
    return toDomain(onlyOne(found, 'domain'))
  },
})

export const listDomains = endpoint({
  method: 'GET',
  path: '/v1/domains',
  operationId: 'listDomains',
  tag: 'Domains',
  summary: 'List domains, newest first',
  scope: 'domains:read',
  tier: 'read',
  query: object(pageQuery),
  status: 200,
  response: cursorPage(Domain),
  errors: [],
  run: (input, jmap) => listOrganization(input, jmap, { list: 'domains', type: 'Domain', show: toDomain }),
})

export const getDomain = endpoint({
  method: 'GET',
  path: '/v1/domains/{domain_id}',
  operationId: 'getDomain',
  tag: 'Domains',
  summary: 'Get a domain',
  scope: 'domains:read',
  tier: 'read',
  status: 200,
  response: Domain,
  errors: ['not_found'],
  calls: ({ params, organization }) => ({
    found: get('Domain', { accountId: organization, ids: [knownId(params.domain_id, 'domain')] }),
  }),
  reply: ({ found }) => toDomain(onlyOne(found, 'domain')),
})

export const updateDomain = endpoint({
  method: 'PATCH',
  path: '/v1/domains/{domain_id}',
  operationId: 'updateDomain',
  tag: 'Domains',
  summary: 'Change a domain',
  scope: 'domains:write',
  tier: 'write',
  body: object({
    catch_all_mailbox_id: optional(
      nullable(string({ description: 'A mailbox of this domain, which gets what no address matches; null: none.' })),
    ),
    dmarc_managed_externally: optional(
      boolean('false: the DMARC record should be ours; one of somebody else does not do then.'),
    ),
  }),
  status: 200,
  response: Domain,
  errors: ['not_found', 'forbidden'],
  async run({ params, body, organization }, jmap) {
    const { catch_all_mailbox_id: catchAllMailboxId, dmarc_managed_externally: dmarcManagedExternally } = body
    if (catchAllMailboxId === undefined && dmarcManagedExternally === undefined)
      throw invalid(null, 'required', 'Send catch_all_mailbox_id or dmarc_managed_externally.')
    const domainId = knownId(params.domain_id, 'domain')
    const patch = {
      ...(catchAllMailboxId !== undefined && { catchAllMailboxId }),
      ...(dmarcManagedExternally !== undefined && { dmarcManagedExternally }),
    }
    const { changed, found } = await jmap.call({
      changed: set('Domain', { accountId: organization, update: { [domainId]: patch } }),
      found: get('Domain', { accountId: organization, ids: [domainId] }),
    })
    updated(changed, domainId, { what: 'domain' })
    return toDomain(onlyOne(found, 'domain'))
  },
})

export const deleteDomain = endpoint({
  method: 'DELETE',
  path: '/v1/domains/{domain_id}',
  operationId: 'deleteDomain',
  tag: 'Domains',
  summary: 'Delete a domain with its mailboxes',
  scope: 'domains:write',
  tier: 'write',
  status: 204,
  response: null,
  errors: ['not_found', 'forbidden'],
  async run({ params, organization }, jmap) {
    const domainId = knownId(params.domain_id, 'domain')
    const args = { accountId: organization, destroy: [domainId], onDestroyRemoveMailAccounts: true }
    const { gone } = await jmap.call({ gone: set('Domain', args) })
    destroyed(gone, domainId, { what: 'domain' })
    return null
  },
})

/** D7: lower case, A-labels; addresses and single labels are no domains. Public suffixes are the core's to refuse. */
function normalName(written: string): string {
  const name = normalDomain(written.trim().replace(/\.$/, ''))
  if (name !== null) return name
  throw invalid('name', 'invalid_format', 'name must be a domain name such as example.com.')
}

export function toDomain(domain: DomainObject): Infer<typeof Domain> {
  return {
    object: 'domain',
    id: domain.id,
    name: domain.name,
    status: domain.status,
    managed_by: domain.managedBy,
    dns_provider: domain.dnsProvider,
    mx_verified: domain.mxVerified,
    spf_verified: domain.spfVerified,
    dkim_verified: domain.dkimVerified,
    dmarc_verified: domain.dmarcVerified,
    outbound_verified: domain.outboundVerified,
    dmarc_managed_externally: domain.dmarcManagedExternally,
    catch_all_mailbox_id: domain.catchAllMailboxId,
    verified_at: instantOrNull(domain.verifiedAt),
    created_at: instant(domain.createdAt),
    updated_at: instant(domain.updatedAt),
  }
}
