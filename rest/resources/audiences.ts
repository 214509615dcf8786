import {
  AUDIENCE_DESCRIPTION_MAX_CHARS,
  AUDIENCE_NAME_MAX_CHARS,
  CONSENT_SOURCE_MAX_CHARS,
} from '../../server/base/audience-limits.ts'
import { type Context, endpoint, type Tag } from '../endpoint.ts'
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
  signup_page: s.boolean('Whether anybody may sign up at `signup_url`. A mail must be confirmed.'),
  signup_url: s.nullable(
    s.string({ examples: ['https://mail.example.com/subscribe/aud_aaaaaaaaaeaaaaaaaaaaipjaxmoq'] }),
  ),
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
const signupPage = s.boolean('Switches the public sign-up page on and off; off by default.')
const description = s.nullable(s.string({ maxLength: AUDIENCE_DESCRIPTION_MAX_CHARS }))

export function audiencesOf({ baseUrl }: Pick<Context, 'baseUrl'>) {
  return new OrganizationObjects({
    type: 'Audience',
    what: 'audience',
    show: (audience) =>
      toSnake(Audience, audience, { signup_url: audience.signupPage ? `${baseUrl}/subscribe/${audience.id}` : null }),
    codes: { overQuota: 'audience_limit_reached' },
  })
}

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
    signup_page: s.optional(signupPage),
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
  async run(input, jmap) {
    const values = toCamel(input.body, ['name', 'description', 'consent_source', 'signup_page'])
    const { name, consent_source: consentSource } = input.body
    return (await audiencesOf(input).create(jmap, input.organization, { ...values, name, consentSource })).shown
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
  run: (input, jmap) => audiencesOf(input).list(input, jmap, { list: 'audiences' }),
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
  run: (input, jmap) => audiencesOf(input).read(jmap, input.organization, input.params.audience_id),
})

export const updateAudience = endpoint({
  method: 'PATCH',
  path: '/v1/audiences/{audience_id}',
  operationId: 'updateAudience',
  resource: getAudience,
  tag: TAG,
  summary: 'Change name or description of an audience, or switch its sign-up page',
  description: '`consent_source` stays as it was attested.',
  scope: 'audiences:write',
  wholeOrganization: true,
  body: s.object({
    name: s.optional(name),
    description: s.optional(description),
    signup_page: s.optional(signupPage),
  }),
  bodyExample: { name: 'Product news' },
  response: Audience,
  errors: ['not_found'],
  async run(input, jmap) {
    const patch = toCamel(input.body, ['name', 'description', 'signup_page'])
    if (Object.keys(patch).length === 0) throw invalid(null, 'required', 'Send name, description or signup_page.')
    return audiencesOf(input).update(jmap, input.organization, input.params.audience_id, patch)
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
    '409 while a newsletter is being sent to it; one that is scheduled becomes a draft. Opt-outs and suppressions stay: addresses that are added to another audience later are skipped because of them.',
  scope: 'audiences:write',
  wholeOrganization: true,
  status: 204,
  errors: ['not_found', 'invalid_state'],
  run: (input, jmap) => audiencesOf(input).destroy(jmap, input.organization, input.params.audience_id),
})

export const audienceEndpoints = [createAudience, listAudiences, getAudience, updateAudience, deleteAudience]
