import { created, destroyed, get, idsOf, onlyOne, query, set } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { SuppressionObject } from '../calls/jmap-types.ts'
import { endpoint } from '../endpoint.ts'
import { notFound } from '../errors/api-error.ts'
import { listOrganization } from '../pagination/organization-list.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import { constant, type Infer, named, nullable, object, oneOf, optional, string, timestamp } from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { id } from '../shapes/common.ts'

const Suppression = named(
  'Suppression',
  object({
    object: constant('suppression'),
    id: id('sup_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
    email_address: string({ examples: ['jane@example.org'] }),
    reason: string({
      description: '`hard_bounce`, `complaint` or `manual`; more may come.',
      examples: ['hard_bounce'],
    }),
    source_message_id: nullable(string({ description: 'The message that bounced or was complained about.' })),
    smtp_response: nullable(string({ examples: ['550 5.1.1 No such user'] })),
    created_at: timestamp(),
  }),
)

export const listSuppressions = endpoint({
  method: 'GET',
  path: '/v1/suppressions',
  operationId: 'listSuppressions',
  tag: 'Suppressions',
  summary: 'List the addresses that nothing is sent to, newest first',
  scope: 'suppressions:read',
  tier: 'read',
  query: object({
    email: optional(string({ minLength: 1, description: 'Only this address.' })),
    reason: optional(oneOf(['hard_bounce', 'complaint', 'manual'])),
    ...pageQuery,
  }),
  status: 200,
  response: cursorPage(Suppression),
  errors: [],
  run: (input, jmap) =>
    listOrganization(input, jmap, {
      list: 'suppressions',
      type: 'Suppression',
      filters: { email: input.query.email, reason: input.query.reason },
      filter: (filters) => filters,
      show: toSuppression,
    }),
})

export const createSuppression = endpoint({
  method: 'POST',
  path: '/v1/suppressions',
  operationId: 'createSuppression',
  tag: 'Suppressions',
  summary: 'Send nothing more to an address',
  scope: 'suppressions:write',
  tier: 'write',
  body: object({ email_address: string({ minLength: 3, maxLength: 320, examples: ['jane@example.org'] }) }),
  status: 201,
  response: Suppression,
  errors: ['already_exists'],
  async run({ body, organization: accountId }, jmap) {
    const create = { suppression: { email: body.email_address } }
    const { made } = await jmap.call({ made: set('Suppression', { accountId, create }) })
    const { id } = created(made, 'suppression', { fields: { email: 'email_address' } })
    const { found } = await jmap.call({ found: get('Suppression', { accountId, ids: [id] }) })
    return toSuppression(onlyOne(found, 'suppression'))
  },
})

export const getSuppression = endpoint({
  method: 'GET',
  path: '/v1/suppressions/{email}',
  operationId: 'getSuppression',
  tag: 'Suppressions',
  summary: 'Get the suppression of an address',
  scope: 'suppressions:read',
  tier: 'read',
  status: 200,
  response: Suppression,
  errors: ['not_found'],
  run: async ({ params, organization }, jmap) => toSuppression(await ofAddress(jmap, organization, params.email)),
})

export const deleteSuppression = endpoint({
  method: 'DELETE',
  path: '/v1/suppressions/{email}',
  operationId: 'deleteSuppression',
  tag: 'Suppressions',
  summary: 'Allow an address again',
  scope: 'suppressions:write',
  tier: 'write',
  status: 204,
  response: null,
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const { id } = await ofAddress(jmap, accountId, params.email)
    const { gone } = await jmap.call({ gone: set('Suppression', { accountId, destroy: [id] }) })
    destroyed(gone, id, { what: 'suppression' })
    return null
  },
})

/** @throws Problem 404 */
async function ofAddress(jmap: JmapClient, accountId: string, address: string): Promise<SuppressionObject> {
  const { found } = await jmap.call({
    matching: query('Suppression', { accountId, filter: { email: address }, limit: 1 }),
    found: get('Suppression', { accountId, '#ids': idsOf('matching', 'Suppression') }),
  })
  const [suppression] = found.list
  if (!suppression) throw notFound('suppression')
  return suppression
}

function toSuppression(suppression: SuppressionObject): Infer<typeof Suppression> {
  return {
    object: 'suppression',
    id: suppression.id,
    email_address: suppression.email,
    reason: suppression.reason,
    source_message_id: suppression.sourceMessageId,
    smtp_response: suppression.smtpResponse,
    created_at: instant(suppression.createdAt),
  }
}
