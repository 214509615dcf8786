/** Domains that are bought through the service, and records that are written at DNS providers (decisions D7 and D33). */
import { DomainApplyDns } from '../../jmap/policy/domain/domain.type.ts'
import { DomainRegister, DomainSearch } from '../../jmap/policy/registration/registration.methods.ts'
import { REGISTRATION_YEARS_MAX, SEARCH_KEYWORD_MAX_CHARS } from '../../server/base/registration-limits.ts'
import { knownId } from '../access/ids.ts'
import { call, get, onlyOne } from '../calls/jmap-calls.ts'
import { Answer, endpoint } from '../endpoint.ts'
import { notFound } from '../errors/api-error.ts'
import { fromSetError } from '../errors/jmap-errors.ts'
import * as s from '../schema/schema.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'
import { Domain, TAG } from './domains.ts'

const price = (description: string) => s.nullable(s.string({ description, examples: ['11.08'] }))

const DomainSearchResult = s.named(
  'DomainSearchResult',
  s.object({
    domain_name: s.string({ examples: ['example.com'] }),
    available: s.boolean(),
    purchase_price: price('For the first year, in major units; null: the domain is not available.'),
    renewal_price: price('For each further year.'),
    currency: s.string({ description: 'ISO 4217.', examples: ['USD'] }),
  }),
)

export const searchDomains = endpoint({
  method: 'POST',
  path: '/v1/domains/search',
  operationId: 'searchDomains',
  tag: TAG,
  summary: 'Search domains that can be bought',
  description:
    'A name is looked up first, then its first part under other endings; at most 20 results. Names about which the registrar gives no answer in time are left out.',
  scope: 'domains:read',
  tier: 'read',
  wholeOrganization: true,
  body: s.object({ keyword: s.string({ minLength: 1, maxLength: SEARCH_KEYWORD_MAX_CHARS, examples: ['example'] }) }),
  bodyExample: { keyword: 'example' },
  response: s.object({ results: s.array(DomainSearchResult) }),
  errors: ['registrar_not_configured'],
  calls: ({ body, organization: accountId }) => ({ found: call(DomainSearch, { accountId, keyword: body.keyword }) }),
  reply({ found }) {
    if (found.notSearched) throw fromSetError(found.notSearched)
    return {
      results: found.offers.map(({ name, isAvailable, purchasePrice, renewalPrice, currency }) => ({
        domain_name: name,
        available: isAvailable,
        purchase_price: purchasePrice,
        renewal_price: renewalPrice,
        currency,
      })),
    }
  },
})

const text = (example: string, description?: string) =>
  s.optional(s.string({ maxLength: 1_000, examples: [example], ...(description !== undefined && { description }) }))

const Contact = s.named(
  'RegistrationContact',
  s.object({
    first_name: text('Ada'),
    last_name: text('Lovelace'),
    address1: text('12 St James Square'),
    city: text('San Francisco'),
    state: text('CA', 'Required in US, CA, AU, BR, CN, IN, JP, MX and MY; a code in US, CA and AU.'),
    zip: text('94105'),
    country: text('US', 'ISO 3166-1 alpha-2.'),
    phone: text('+14155550100', 'E.164, or `+1.4155550100`.'),
    email: text('ada@example.com'),
  }),
)

const MEMBERS = ['first_name', 'last_name', 'address1', 'city', 'state', 'zip', 'country', 'phone', 'email'] as const

export const registerDomain = endpoint({
  method: 'POST',
  path: '/v1/domains/register',
  operationId: 'registerDomain',
  tag: TAG,
  summary: 'Buy a domain',
  description:
    'Charges the payment method and registers the domain; its status is `registering` until it is registered and its DNS records are written, then `pending` until they are found, then `verified`. If the registration fails, the payment is given back and the status is `registration_failed`. The same name within 24 hours is the same order.',
  scope: 'domains:write',
  wholeOrganization: true,
  body: s.object({
    name: s.string({ minLength: 1, maxLength: 253, examples: ['example.com'] }),
    years: s.optional(s.integer({ minimum: 1, maximum: REGISTRATION_YEARS_MAX, description: 'By default 1.' })),
    contact: Contact,
  }),
  bodyExample: {
    name: 'example-mail.com',
    years: 1,
    contact: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      address1: '12 St James Square',
      city: 'San Francisco',
      state: 'CA',
      zip: '94105',
      country: 'US',
      phone: '+14155550100',
      email: 'ada@example.org',
    },
  },
  status: 201,
  response: Domain,
  otherResponses: { 200: Domain },
  errors: [
    'no_payment_method',
    'payment_failed',
    'subscription_required',
    'domain_exists',
    'domain_unavailable',
    'registrar_not_configured',
  ],
  async run({ body, organization: accountId }, jmap) {
    const { name, years = 1, contact } = body
    const args = { accountId, name, years, contact: toCamel(contact, MEMBERS) }
    const { order } = await jmap.call({ order: call(DomainRegister, args) })
    if (order.registered === null)
      throw fromSetError(order.notRegistered!, { codes: { alreadyExists: 'domain_exists' } })
    const { found } = await jmap.call({ found: get('Domain', { accountId, ids: [order.registered] }) })
    const domain = toSnake(Domain, onlyOne(found, 'domain'))
    return order.isNew ? domain : new Answer(200, domain)
  },
})

const ZoneRecord = s.named(
  'ZoneRecord',
  s.object({
    host: s.string({ examples: ['_dmarc.example.com'] }),
    type: s.string({ examples: ['TXT'] }),
    value: s.string({ examples: ['v=DMARC1; p=none'] }),
    priority: s.optional(s.integer({ description: 'Of MX and SRV.' })),
    ttl: s.integer({ description: 'Seconds.' }),
  }),
)

const DnsChanges = s.resource('DnsChanges', 'dns_changes', {
  applied: s.boolean('false: nothing was written.'),
  create: s.array(ZoneRecord),
  update: s.array(s.object({ before: ZoneRecord, after: ZoneRecord }), {
    description: 'Records of ours, and an SPF record of others that gets our mechanism.',
  }),
  delete: s.array(ZoneRecord, { description: 'Only records that the server wrote.' }),
  conflicts: s.array(s.object({ key: s.string(), wanted: ZoneRecord, found: s.array(ZoneRecord) }), {
    description:
      'Records that are not written, because other records stand there. Remove these yourself, and apply again.',
  }),
})

type Shown = {
  readonly name: string
  readonly type: string
  readonly value: string
  readonly priority: number | null
  readonly ttl: number
}

function shown({ name: host, type, value, priority, ttl }: Shown): s.Infer<typeof ZoneRecord> {
  return { host, type, value, ...(priority !== null && { priority }), ttl }
}

export const applyDnsRecords = endpoint({
  method: 'POST',
  path: '/v1/domains/{domain_id}/dns-records/apply',
  operationId: 'applyDnsRecords',
  tag: TAG,
  summary: "Write a domain's DNS records at its provider",
  description:
    'For a domain with `dns_credentials`, or one that was bought here. With `dry_run` it only shows what would be written. Records of others are neither changed nor deleted, except that an SPF record gets our mechanism.',
  scope: 'domains:write',
  body: s.object({ dry_run: s.optional(s.boolean('By default false.')) }),
  bodyExample: { dry_run: true },
  response: DnsChanges,
  errors: ['not_found', 'forbidden', 'invalid_state', 'dns_provider_not_configured', 'dns_provider_refused'],
  async run({ params, body, organization: accountId }, jmap) {
    const id = knownId(params.domain_id, 'domain')
    const { made } = await jmap.call({ made: call(DomainApplyDns, { accountId, id, dryRun: body.dry_run ?? false }) })
    const error = made.notApplied
    if (error) throw error.type === 'notFound' ? notFound('domain') : fromSetError(error)
    return {
      object: 'dns_changes' as const,
      applied: made.applied,
      create: made.create.map(shown),
      update: made.update.map(({ before, after }) => ({ before: shown(before), after: shown(after) })),
      delete: made.delete.map(shown),
      conflicts: made.conflicts.map(({ key, wanted, found }) => ({
        key,
        wanted: shown(wanted),
        found: found.map(shown),
      })),
    }
  },
})

export const domainRegistrationEndpoints = [searchDomains, registerDomain, applyDnsRecords]
