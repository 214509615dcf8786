import {
  AUDIENCE_DESCRIPTION_MAX_CHARS,
  AUDIENCE_NAME_MAX_CHARS,
  CONSENT_SOURCE_MAX_CHARS,
} from '../../server/base/audience-limits.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'

const Audience = s.resource('Audience', 'audience', {
  id: s.id('aud_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  name: s.string({ examples: ['Product news'] }),
  description: s.nullable(s.string()),
  member_count: s.integer({ description: 'All subscribers, whatever their status.', examples: [120] }),
  subscribed_count: s.integer({ description: 'Subscribers that get newsletters.', examples: [117] }),
  consent_source: s.string({ examples: ['Checkbox in the checkout of shop.example.com'] }),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

export const TAG: Tag = {
  name: 'Audiences',
  description: 'Lists of newsletter recipients, and their subscribers.',
}

// Both stand in mails and on pages: a line, and not blank.
const name = s.string({
  minLength: 1,
  maxLength: AUDIENCE_NAME_MAX_CHARS,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  examples: ['Product news'],
})
const description = s.nullable(s.string({ maxLength: AUDIENCE_DESCRIPTION_MAX_CHARS }))

export const audiences = new OrganizationObjects({
  type: 'Audience',
  what: 'audience',
  show: (audience) => toSnake(Audience, audience),
  codes: { overQuota: 'audience_limit_reached' },
})

export const createAudience = endpoint({
  method: 'POST',
  path: '/v1/audiences',
  operationId: 'createAudience',
  tag: TAG,
  summary: 'Create an audience',
  description: 'An organization has at most 1,000 audiences.',
  scope: 'audiences:write',
  wholeOrganization: true,
  body: s.object({
    name,
    description: s.optional(description),
    consent_source: s.string({
      minLength: 1,
      maxLength: CONSENT_SOURCE_MAX_CHARS,
      pattern: '\\S',
      description: 'How its members have opted in. Every subscriber that is added takes it over.',
      examples: ['Checkbox in the checkout of shop.example.com'],
    }),
  }),
  bodyExample: { name: 'Product news', consent_source: 'Checkbox in the checkout of shop.example.com' },
  status: 201,
  response: Audience,
  errors: ['audience_limit_reached'],
  async run({ body, organization }, jmap) {
    const { name, description = null, consent_source } = body
    const { shown } = await audiences.create(jmap, organization, { name, description, consentSource: consent_source })
    return shown
  },
})

export const listAudiences = endpoint({
  method: 'GET',
  path: '/v1/audiences',
  operationId: 'listAudiences',
  tag: TAG,
  summary: 'List audiences, newest first',
  description: 'The scope `audiences:write` allows reading too.',
  scope: 'audiences:read',
  wholeOrganization: true,
  query: s.object(pageQuery),
  response: cursorPage(Audience),
  run: (input, jmap) => audiences.list(input, jmap, { list: 'audiences' }),
})

export const getAudience = endpoint({
  method: 'GET',
  path: '/v1/audiences/{audience_id}',
  operationId: 'getAudience',
  tag: TAG,
  summary: 'Get an audience',
  description: 'With the counts of its subscribers.',
  scope: 'audiences:read',
  wholeOrganization: true,
  response: Audience,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => audiences.read(jmap, organization, params.audience_id),
})

export const updateAudience = endpoint({
  method: 'PATCH',
  path: '/v1/audiences/{audience_id}',
  operationId: 'updateAudience',
  resource: getAudience,
  tag: TAG,
  summary: 'Change name or description of an audience',
  description: '`consent_source` stays as it was attested.',
  scope: 'audiences:write',
  wholeOrganization: true,
  body: s.object({ name: s.optional(name), description: s.optional(description) }),
  bodyExample: { name: 'Product news' },
  response: Audience,
  errors: ['not_found'],
  async run({ params, body, organization }, jmap) {
    const patch = toCamel(body, ['name', 'description'])
    if (Object.keys(patch).length === 0) throw invalid(null, 'required', 'Send name or description.')
    return audiences.update(jmap, organization, params.audience_id, patch)
  },
})

export const deleteAudience = endpoint({
  method: 'DELETE',
  path: '/v1/audiences/{audience_id}',
  operationId: 'deleteAudience',
  resource: getAudience,
  tag: TAG,
  summary: 'Delete an audience with its subscribers',
  description:
    'Opt-outs and suppressions stay: addresses that are added to another audience later are skipped because of them.',
  scope: 'audiences:write',
  wholeOrganization: true,
  status: 204,
  errors: ['not_found'],
  run: ({ params, organization }, jmap) => audiences.destroy(jmap, organization, params.audience_id),
})

export const audienceEndpoints = [createAudience, listAudiences, getAudience, updateAudience, deleteAudience]
