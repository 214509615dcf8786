import { TSIG_ALGORITHMS } from '../../jmap/type/dns-provider-port.ts'
import { DNS_CREDENTIAL_MAX_CHARS } from '../../server/base/registration-limits.ts'
import { knownId } from '../access/ids.ts'
import { get, onlyOne } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import { sendableDomain } from '../schema/addresses.ts'
import * as s from '../schema/schema.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'

export const Domain = s.resource('Domain', 'domain', {
  id: s.id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  name: s.string({ examples: ['example.com'] }),
  status: s.string({
    description:
      '`pending`, `verified`, `degraded` or `failed`; of a domain that is bought also `registering` and `registration_failed`. Further values may be added.',
    examples: ['verified'],
  }),
  managed_by: s.string({
    description: '`external`: the customer manages DNS. `service`: bought here; its DNS is configured automatically.',
    examples: ['external'],
  }),
  dns_provider: s.string({ examples: ['manual'] }),
  mx_verified: s.boolean(),
  spf_verified: s.boolean(),
  dkim_verified: s.boolean(),
  dmarc_verified: s.boolean(),
  outbound_verified: s.boolean(),
  dmarc_managed_externally: s.boolean(),
  catch_all_mailbox_id: s.nullable(s.string()),
  verified_at: s.nullable(s.timestamp()),
  expires_at: s.nullable(s.timestamp('Of a domain that was bought here.')),
  auto_renew: s.nullable(
    s.boolean(
      'Whether a domain that was bought here is renewed, 30 days before it expires; null: it was not bought here.',
    ),
  ),
  renewal_error: s.nullable(
    s.string({
      description: 'Why the last attempt at its renewal failed; null: none has failed since it was last renewed.',
      examples: ['Your card was declined.'],
    }),
  ),
  dns_api: s.nullable(
    s.string({
      description: 'The provider at which the server writes the DNS records; null: none.',
      examples: ['cloudflare'],
    }),
  ),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

const credential = (description: string) =>
  s.optional(s.string({ minLength: 1, maxLength: DNS_CREDENTIAL_MAX_CHARS, description }))

const DnsCredentials = s.named(
  'DnsCredentials',
  s.object({
    provider: s.oneOf(['cloudflare', 'powerdns', 'rfc2136']),
    zone: s.optional(
      s.string({ minLength: 1, maxLength: 253, description: 'Apex of the zone; by default the registered domain.' }),
    ),
    token: credential('Of `cloudflare`: an API token that may edit the DNS of the zone.'),
    url: credential('Of `powerdns`: URL of its web server, https.'),
    api_key: credential('Of `powerdns`.'),
    server_id: credential('Of `powerdns`; by default `localhost`.'),
    server: credential('Of `rfc2136`: `host:port` of the primary server.'),
    key_name: credential('Of `rfc2136`: name of the TSIG key.'),
    algorithm: s.optional(s.oneOf(TSIG_ALGORITHMS, 'Of `rfc2136`; by default `hmac-sha256`.')),
    secret: credential('Of `rfc2136`: the key, in base64.'),
  }),
)

export const TAG: Tag = {
  name: 'Domains',
  description: 'Domains of the organization, the DNS records that they need, and the records found.',
}

const objects = new OrganizationObjects({
  type: 'Domain',
  what: 'domain',
  show: (domain) => toSnake(Domain, domain),
  codes: { alreadyExists: 'domain_exists' },
})

/** RFC 1035 2.3.4: octets of a name as written. */
const NAME_MAX_CHARS = 253

export const createDomain = endpoint({
  method: 'POST',
  path: '/v1/domains',
  operationId: 'createDomain',
  tag: TAG,
  summary: 'Add a domain',
  description: 'The name may be internationalised; it is stored in lower case, in A-labels.',
  scope: 'domains:write',
  body: s.object({ name: s.string({ minLength: 1, maxLength: NAME_MAX_CHARS, examples: ['example.com'] }) }),
  bodyExample: { name: 'example.com' },
  status: 201,
  response: Domain,
  errors: ['forbidden', 'quota_exceeded', 'domain_exists'],
  async run({ body, organization }, jmap) {
    return (await objects.create(jmap, organization, { name: normalName(body.name) })).shown
  },
})

export const listDomains = endpoint({
  method: 'GET',
  path: '/v1/domains',
  operationId: 'listDomains',
  tag: TAG,
  summary: 'List domains, newest first',
  description: 'A key that is limited to some domains sees only those.',
  scope: 'domains:read',
  query: s.object(pageQuery),
  response: cursorPage(Domain),
  run: (input, jmap) => objects.list(input, jmap, { list: 'domains' }),
})

export const getDomain = endpoint({
  method: 'GET',
  path: '/v1/domains/{domain_id}',
  operationId: 'getDomain',
  tag: TAG,
  summary: 'Get a domain',
  description: 'The flags show which DNS records were right at the last check.',
  scope: 'domains:read',
  response: Domain,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => objects.read(jmap, organization, params.domain_id),
})

export const updateDomain = endpoint({
  method: 'PATCH',
  path: '/v1/domains/{domain_id}',
  operationId: 'updateDomain',
  resource: getDomain,
  tag: TAG,
  summary: 'Change a domain',
  description: 'At least one member. A catch-all mailbox gets mail for addresses of the domain that do not exist.',
  scope: 'domains:write',
  body: s.object({
    catch_all_mailbox_id: s.optional(
      s.nullable(
        s.string({
          description: 'A mailbox of this domain, which gets mail for addresses that do not exist; null: none.',
        }),
      ),
    ),
    dmarc_managed_externally: s.optional(
      s.boolean('false: the DMARC record must be ours; a record of another service is not accepted.'),
    ),
    auto_renew: s.optional(s.boolean('Of a domain that was bought here.')),
    dns_credentials: s.optional(s.nullable(DnsCredentials)),
  }),
  bodyExample: { catch_all_mailbox_id: 'mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq' },
  response: Domain,
  errors: ['not_found', 'forbidden'],
  async run({ params, body, organization }, jmap) {
    const { dns_credentials: credentials, ...rest } = body
    const patch = {
      ...toCamel(rest, ['catch_all_mailbox_id', 'dmarc_managed_externally', 'auto_renew']),
      ...(credentials !== undefined && { dnsCredentials: credentials && credentialsOf(credentials) }),
    }
    if (Object.keys(patch).length === 0)
      throw invalid(
        null,
        'required',
        'Send catch_all_mailbox_id, dmarc_managed_externally, auto_renew or dns_credentials.',
      )
    return objects.update(jmap, organization, params.domain_id, patch)
  },
})

export const deleteDomain = endpoint({
  method: 'DELETE',
  path: '/v1/domains/{domain_id}',
  operationId: 'deleteDomain',
  resource: getDomain,
  tag: TAG,
  summary: 'Delete a domain with its mailboxes',
  description:
    'Also deletes its mailboxes, aliases and DKIM keys, and the DNS records that the server wrote. A domain that was bought here stays registered until it expires.',
  scope: 'domains:write',
  status: 204,
  errors: ['not_found', 'forbidden', 'invalid_state'],
  run: ({ params, organization }, jmap) =>
    objects.destroy(jmap, organization, params.domain_id, { onDestroyRemoveMailAccounts: true }),
})

function credentialsOf({ provider, algorithm, ...rest }: s.Infer<typeof DnsCredentials>) {
  const more = toCamel(rest, ['zone', 'token', 'url', 'api_key', 'server_id', 'server', 'key_name', 'secret'])
  return { provider, ...(algorithm !== undefined && { algorithm }), ...more }
}

/** Decision D7: lower case, A-labels. Addresses and single labels are refused here, public suffixes by the core. */
function normalName(written: string): string {
  const name = sendableDomain(written.trim().replace(/\.$/, ''))
  if (name !== null) return name
  throw invalid('name', 'invalid_format', 'name must be a domain name such as example.com.')
}

/** The id of a domain of the organization. @throws ApiError 404 */
export async function requireDomain(jmap: JmapClient, accountId: string, given: string): Promise<string> {
  const ids = [knownId(given, 'domain')]
  const { found } = await jmap.call({ found: get('Domain', { accountId, ids, properties: ['id'] }) })
  return onlyOne(found, 'domain').id
}

export const domainEndpoints = [createDomain, listDomains, getDomain, updateDomain, deleteDomain]
