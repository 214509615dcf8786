import { get, idsOf, onlyOne, query } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import type { SuppressionObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'

const Suppression = s.resource('Suppression', 'suppression', {
  id: s.id('sup_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  email_address: s.string({ examples: ['jane@example.org'] }),
  reason: s.string({
    description: '`hard_bounce`, `complaint` or `manual`; further values may be added.',
    examples: ['hard_bounce'],
  }),
  source_message_id: s.nullable(s.string({ description: 'The message that bounced or was complained about.' })),
  smtp_response: s.nullable(s.string({ examples: ['550 5.1.1 No such user'] })),
  created_at: s.timestamp(),
})

const TAG: Tag = {
  name: 'Suppressions',
  description: 'Addresses that get no mail, because they bounced, complained or were added.',
}

const objects = new OrganizationObjects({
  type: 'Suppression',
  what: 'suppression',
  show: toSuppression,
  fields: { email: 'email_address' },
})

export const listSuppressions = endpoint({
  method: 'GET',
  path: '/v1/suppressions',
  operationId: 'listSuppressions',
  tag: TAG,
  summary: 'List suppressed addresses, newest first',
  description: 'Addresses are added by a hard bounce, a complaint, or createSuppression.',
  scope: 'suppressions:read',
  query: s.object({
    email: s.optional(s.string({ minLength: 1, description: 'Only this address.' })),
    reason: s.optional(s.oneOf(['hard_bounce', 'complaint', 'manual'])),
    ...pageQuery,
  }),
  response: cursorPage(Suppression),
  run: (input, jmap) =>
    objects.list(input, jmap, {
      list: 'suppressions',
      filters: { email: input.query.email, reason: input.query.reason },
      filter: (filters) => filters,
    }),
})

export const createSuppression = endpoint({
  method: 'POST',
  path: '/v1/suppressions',
  operationId: 'createSuppression',
  tag: TAG,
  summary: 'Suppress an address',
  description: 'Messages to it are refused with 422 until the suppression is removed.',
  scope: 'suppressions:write',
  body: s.object({ email_address: s.string({ minLength: 3, maxLength: 320, examples: ['jane@example.org'] }) }),
  bodyExample: { email_address: 'jane@example.org' },
  status: 201,
  response: Suppression,
  errors: ['already_exists'],
  async run({ body, organization: accountId }, jmap) {
    return (await objects.create(jmap, accountId, { email: body.email_address })).shown
  },
})

export const getSuppression = endpoint({
  method: 'GET',
  path: '/v1/suppressions/{email}',
  operationId: 'getSuppression',
  tag: TAG,
  summary: 'Get the suppression of an address',
  description: '404 if the address is not suppressed.',
  scope: 'suppressions:read',
  response: Suppression,
  errors: ['not_found'],
  run: async ({ params, organization }, jmap) => toSuppression(await ofAddress(jmap, organization, params.email)),
})

export const deleteSuppression = endpoint({
  method: 'DELETE',
  path: '/v1/suppressions/{email}',
  operationId: 'deleteSuppression',
  resource: getSuppression,
  tag: TAG,
  summary: 'Remove the suppression of an address',
  description: 'Messages may be sent to it again. Another hard bounce suppresses it again.',
  scope: 'suppressions:write',
  status: 204,
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const { id } = await ofAddress(jmap, accountId, params.email)
    return objects.destroy(jmap, accountId, id)
  },
})

/** @throws ApiError 404 */
async function ofAddress(jmap: JmapClient, accountId: string, address: string): Promise<SuppressionObject> {
  const { found } = await jmap.call({
    matching: query('Suppression', { accountId, filter: { email: address }, limit: 1 }),
    found: get('Suppression', { accountId, '#ids': idsOf('matching', 'Suppression') }),
  })
  return onlyOne(found, 'suppression')
}

function toSuppression(suppression: SuppressionObject): s.Infer<typeof Suppression> {
  return toSnake(Suppression, suppression, { email_address: suppression.email })
}

export const suppressionEndpoints = [listSuppressions, createSuppression, getSuppression, deleteSuppression]
