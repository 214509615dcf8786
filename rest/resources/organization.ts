import { LOGO_URL_MAX_CHARS } from '../../server/base/image-limits.ts'
import { get, onlyOne, returned, set, updated } from '../calls/jmap-calls.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'

const TAG: Tag = { name: 'Organization', description: 'What the organization shows of itself on public pages.' }

const Organization = s.resource('Organization', 'organization', {
  id: s.id('org_aaaaaaaaaeaaaaaaaaaaaaif7mwq'),
  name: s.string({ examples: ['Example'] }),
  legal_name: s.nullable(s.string({ description: 'In every newsletter.', examples: ['Example Ltd'] })),
  postal_address: s.nullable(
    s.string({ description: 'In every newsletter; lines by \\n.', examples: ['1 Long Lane'] }),
  ),
  require_test_send: s.boolean('Whether a newsletter can only be sent after a test.'),
  slug: s.string({ description: 'In the URLs of public pages.', examples: ['example-1'] }),
  logo_url: s.nullable(
    s.string({ description: 'Where the logo was fetched.', examples: ['https://www.example.com/logo.png'] }),
  ),
  accent_color: s.nullable(s.string({ description: 'Of public pages; null: the usual one.', examples: ['#1a56b0'] })),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

const PROPERTIES = [
  'id',
  'name',
  'legalName',
  'postalAddress',
  'requireTestSend',
  'slug',
  'logoUrl',
  'accentColor',
  'createdAt',
  'updatedAt',
] as const

const text = (maxLength: number) => s.optional(s.nullable(s.string({ minLength: 1, maxLength, pattern: '\\S' })))

export const getOrganization = endpoint({
  method: 'GET',
  path: '/v1/organization',
  operationId: 'getOrganization',
  tag: TAG,
  summary: 'Get the organization of the key',
  description: 'Its name and its look on public pages. A key belongs to one organization.',
  scope: 'organization:read',
  response: Organization,
  calls: ({ organization }) => ({
    found: get('Organization', { accountId: organization, ids: [organization], properties: PROPERTIES }),
  }),
  reply: ({ found }) => toSnake(Organization, onlyOne(found, 'organization')),
})

export const updateOrganization = endpoint({
  method: 'PATCH',
  path: '/v1/organization',
  operationId: 'updateOrganization',
  resource: getOrganization,
  tag: TAG,
  summary: 'Change what the organization shows of itself',
  description:
    'At least one member. `logo_url` is fetched once, now; the image is encoded again and served from here. JPEG, PNG, GIF and WebP are taken.',
  scope: 'organization:write',
  body: s.object({
    name: s.optional(s.string({ minLength: 1, maxLength: 200 })),
    legal_name: text(200),
    postal_address: text(500),
    require_test_send: s.optional(s.boolean()),
    logo_url: s.optional(
      s.nullable(
        s.string({ minLength: 1, maxLength: LOGO_URL_MAX_CHARS, description: 'An https:// URL. null: no logo.' }),
      ),
    ),
    accent_color: s.optional(
      s.nullable(s.string({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Such as `#1a56b0`. null: the usual one.' })),
    ),
  }),
  bodyExample: { accent_color: '#1a56b0' },
  response: Organization,
  errors: ['forbidden'],
  async run({ body, organization }, jmap) {
    const patch = toCamel(body, [
      'name',
      'legal_name',
      'postal_address',
      'require_test_send',
      'logo_url',
      'accent_color',
    ])
    if (Object.keys(patch).length === 0) throw invalid(null, 'required', 'Send at least one member of an organization.')
    const { accentColor } = patch
    const { changed } = await jmap.call({
      changed: set('Organization', {
        accountId: organization,
        update: { [organization]: { ...patch, ...(accentColor && { accentColor: accentColor.toLowerCase() }) } },
        returning: PROPERTIES,
      }),
    })
    updated(changed, organization)
    return toSnake(Organization, returned(changed, 'organization'))
  },
})

export const organizationEndpoints = [getOrganization, updateOrganization]
