import {
  ADD_OUTCOMES,
  SUBSCRIBER_STATUSES,
  SubscriberAdd,
  SubscriberUnsubscribe,
} from '../../jmap/newsletters/subscriber/subscriber.type.ts'
import {
  MERGE_FIELD_MAX_CHARS,
  MERGE_FIELD_NAME_PATTERN,
  MERGE_FIELDS_MAX,
  SUBSCRIBER_NAME_MAX_CHARS,
  SUBSCRIBERS_PER_CALL_MAX,
} from '../../server/base/audience-limits.ts'
import type { Json, JsonObject } from '../../server/base/json.ts'
import { knownId } from '../access/ids.ts'
import { call, get, idsOf, onlyOne, query } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { endpoint } from '../endpoint.ts'
import { invalid, notFound } from '../errors/api-error.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import type { SubscriberObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'
import { audiencesOf, TAG } from './audiences.ts'

const displayName = s.nullable(
  s.string({ maxLength: SUBSCRIBER_NAME_MAX_CHARS, pattern: '^[^\\u0000-\\u001f\\u007f]*$', examples: ['Jane Doe'] }),
)
const mergeFields = s.map(
  s.nullable(s.union([s.string({ maxLength: MERGE_FIELD_MAX_CHARS }), s.number(), s.boolean()])),
  {
    maxProperties: MERGE_FIELDS_MAX,
    keyPattern: MERGE_FIELD_NAME_PATTERN,
    description: `Values for the text of newsletters by their names: a letter, then letters, digits and _. At most ${MERGE_FIELDS_MAX}.`,
  },
)

const Subscriber = s.resource('Subscriber', 'subscriber', {
  id: s.id('sub_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  audience_id: s.id('aud_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  email_address: s.string({ description: 'In lower case, the domain in ASCII.', examples: ['jane@example.org'] }),
  display_name: s.nullable(s.string({ examples: ['Jane Doe'] })),
  status: s.oneOf(SUBSCRIBER_STATUSES, 'Only `subscribed` ones get newsletters.'),
  merge_fields: mergeFields,
  consent_source: s.string({ examples: ['Checkbox in the checkout of shop.example.com'] }),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

/** Decision E8: both adds answer with this status, since an outcome is no created resource. */
const ADD_STATUS = 200

const Outcome = s.named(
  'SubscriberAddOutcome',
  s.object({
    email_address: s.string({ description: 'As sent, trimmed and in lower case.', examples: ['jane@example.org'] }),
    outcome: s.oneOf(ADD_OUTCOMES, 'Why an address is not mailable is not told.'),
  }),
)

const RULES =
  'Invalid addresses and those of functions (`info@`) are `skipped_invalid`; suppressed, unsubscribed, bounced and complaining ones are `skipped_not_mailable`. An address that is in the audience is `updated`: a sent display_name replaces the stored one, sent merge_fields are merged into the stored ones. If the rest of the monthly quota does not admit all new addresses of the call, all of them are `skipped_quota`. Beyond 10,000 subscribed members new ones are `skipped_cap`.'

const subscribers = new OrganizationObjects({ type: 'Subscriber', what: 'subscriber', show: toSubscriber })

export const addSubscriber = endpoint({
  method: 'POST',
  path: '/v1/audiences/{audience_id}/subscribers',
  operationId: 'addSubscriber',
  tag: TAG,
  summary: 'Add a subscriber',
  description: RULES,
  scope: 'audiences:write',
  wholeOrganization: true,
  body: s.object({
    email_address: s.string({ examples: ['jane@example.org'] }),
    display_name: s.optional(displayName),
    merge_fields: s.optional(mergeFields),
  }),
  bodyExample: { email_address: 'jane@example.org', display_name: 'Jane Doe', merge_fields: { city: 'Berlin' } },
  status: ADD_STATUS,
  response: Outcome,
  errors: ['not_found'],
  async run({ params, body, organization }, jmap) {
    const [result] = await addRows(jmap, organization, params.audience_id, [toCamelRow(body)])
    const { email, outcome, property } = result!
    // The schema has checked the form of the row, so that only the sum of stored and sent fields is left.
    if (property === 'mergeFields')
      throw invalid('merge_fields', 'too_long', `A subscriber has at most ${MERGE_FIELDS_MAX} merge_fields.`)
    return { email_address: email, outcome }
  },
})

export const addSubscribers = endpoint({
  method: 'POST',
  path: '/v1/audiences/{audience_id}/subscribers/batch',
  operationId: 'addSubscribers',
  tag: TAG,
  summary: 'Add up to 1,000 subscribers',
  description: `${RULES} A row with values of a wrong form is \`skipped_invalid\`. There is one result for each row, in their order.`,
  scope: 'audiences:write',
  wholeOrganization: true,
  body: s.object({
    subscribers: s.array(
      s.map(s.anything(), { description: 'As the body of addSubscriber: email_address, display_name, merge_fields.' }),
      { minItems: 1, maxItems: SUBSCRIBERS_PER_CALL_MAX },
    ),
  }),
  bodyExample: {
    subscribers: [
      { email_address: 'jane@example.org', display_name: 'Jane Doe' },
      { email_address: 'joe@example.org', merge_fields: { city: 'Berlin' } },
    ],
  },
  status: ADD_STATUS,
  response: s.named('SubscriberAddOutcomes', s.object({ results: s.array(Outcome) })),
  errors: ['not_found'],
  async run({ params, body, organization }, jmap) {
    const results = await addRows(jmap, organization, params.audience_id, body.subscribers.map(toCamelRow))
    return { results: results.map(({ email, outcome }) => ({ email_address: email, outcome })) }
  },
})

export const listSubscribers = endpoint({
  method: 'GET',
  path: '/v1/audiences/{audience_id}/subscribers',
  operationId: 'listSubscribers',
  tag: TAG,
  summary: "List an audience's subscribers, newest first",
  description: 'Of all statuses, unless one is asked for.',
  scope: 'audiences:read',
  wholeOrganization: true,
  query: s.object({
    status: s.optional(s.oneOf(SUBSCRIBER_STATUSES)),
    email: s.optional(s.string({ minLength: 1, description: 'Only this address.' })),
    email_address: s.optional(s.string({ minLength: 1, description: 'The same as `email`.' })),
    ...pageQuery,
  }),
  response: cursorPage(Subscriber),
  errors: ['not_found'],
  async run(input, jmap) {
    const { status, email, email_address = email } = input.query
    if (email !== undefined && email !== email_address)
      throw invalid('email_address', 'not_allowed', 'email and email_address are the same filter: send one of them.')
    const { id: audienceId } = await audiencesOf(input).read(jmap, input.organization, input.params.audience_id)
    return subscribers.list(input, jmap, {
      list: `subscribers of ${audienceId}`,
      filters: { status, email: email_address },
      filter: (filters) => ({ audienceId, ...filters }),
    })
  },
})

export const getSubscriber = endpoint({
  method: 'GET',
  path: '/v1/audiences/{audience_id}/subscribers/{subscriber_id}',
  operationId: 'getSubscriber',
  tag: TAG,
  summary: 'Get a subscriber',
  description: 'By its id. 404 if it is in another audience.',
  scope: 'audiences:read',
  wholeOrganization: true,
  response: Subscriber,
  errors: ['not_found'],
  run: async ({ params, organization }, jmap) => toSubscriber(await readSubscriber(jmap, organization, params)),
})

export const getSubscriberByEmail = endpoint({
  method: 'GET',
  path: '/v1/audiences/{audience_id}/subscribers/by-email/{email}',
  operationId: 'getSubscriberByEmail',
  tag: TAG,
  summary: 'Get a subscriber by address',
  description: 'Upper and lower case are the same, and so are both forms of an internationalised domain.',
  scope: 'audiences:read',
  wholeOrganization: true,
  response: Subscriber,
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const filter = { audienceId: knownId(params.audience_id, 'audience'), email: params.email }
    const { found } = await jmap.call({
      matching: query('Subscriber', { accountId, filter, limit: 1 }),
      found: get('Subscriber', { accountId, '#ids': idsOf('matching', 'Subscriber') }),
    })
    return toSubscriber(onlyOne(found, 'subscriber'))
  },
})

export const updateSubscriber = endpoint({
  method: 'PATCH',
  path: '/v1/audiences/{audience_id}/subscribers/{subscriber_id}',
  operationId: 'updateSubscriber',
  resource: getSubscriber,
  tag: TAG,
  summary: 'Change name or merge fields of a subscriber',
  description: '`merge_fields` replaces all stored ones; `display_name: null` clears the name.',
  scope: 'audiences:write',
  wholeOrganization: true,
  body: s.object({ display_name: s.optional(displayName), merge_fields: s.optional(mergeFields) }),
  bodyExample: { display_name: 'Jane Doe', merge_fields: { city: 'Berlin' } },
  response: Subscriber,
  errors: ['not_found'],
  async run({ params, body, organization }, jmap) {
    const patch = toCamel(body, ['display_name', 'merge_fields'])
    if (Object.keys(patch).length === 0) throw invalid(null, 'required', 'Send display_name or merge_fields.')
    const { id } = await readSubscriber(jmap, organization, params)
    return subscribers.update(jmap, organization, id, patch)
  },
})

export const unsubscribeSubscriber = endpoint({
  method: 'POST',
  path: '/v1/audiences/{audience_id}/subscribers/{subscriber_id}/unsubscribe',
  operationId: 'unsubscribeSubscriber',
  tag: TAG,
  summary: 'Unsubscribe a subscriber from all newsletters of the organization',
  description:
    'The address opts out of the organization: it is `unsubscribed` in all audiences, and adding it again is skipped. Repeating it changes nothing.',
  scope: 'audiences:write',
  wholeOrganization: true,
  response: Subscriber,
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const { id: subscriberId } = await readSubscriber(jmap, accountId, params)
    const { done } = await jmap.call({ done: call(SubscriberUnsubscribe, { accountId, subscriberId }) })
    return toSubscriber(done.subscriber)
  },
})

export const deleteSubscriber = endpoint({
  method: 'DELETE',
  path: '/v1/audiences/{audience_id}/subscribers/{subscriber_id}',
  operationId: 'deleteSubscriber',
  resource: getSubscriber,
  tag: TAG,
  summary: 'Delete a subscriber',
  description: 'Opt-out and suppression of the address stay.',
  scope: 'audiences:write',
  wholeOrganization: true,
  status: 204,
  errors: ['not_found'],
  async run({ params, organization }, jmap) {
    const { id } = await readSubscriber(jmap, organization, params)
    return subscribers.destroy(jmap, organization, id)
  },
})

/** Subscriber/add. @throws ApiError 404 */
export async function addRows(jmap: JmapClient, accountId: string, audience: string, rows: readonly JsonObject[]) {
  const audienceId = knownId(audience, 'audience')
  const { added } = await jmap
    .call({ added: call(SubscriberAdd, { accountId, audienceId, subscribers: rows }) })
    .catch((error: unknown) => {
      throw isNotFound(error) ? notFound('audience') : error
    })
  return added.results
}

function isNotFound(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'not_found'
}

function toCamelRow(row: { readonly [name: string]: unknown }): JsonObject {
  const { email_address: email, display_name: displayName, merge_fields: mergeFields } = row
  const members = Object.entries({ email, displayName, mergeFields }).filter(([, value]) => value !== undefined)
  // It was parsed from JSON.
  return Object.fromEntries(members) as { [name: string]: Json }
}

/** @throws ApiError 404, also for a subscriber of another audience */
async function readSubscriber(
  jmap: JmapClient,
  accountId: string,
  params: { readonly audience_id: string; readonly subscriber_id: string },
): Promise<SubscriberObject> {
  const ids = [knownId(params.subscriber_id, 'subscriber')]
  const { found } = await jmap.call({ found: get('Subscriber', { accountId, ids }) })
  const subscriber = onlyOne(found, 'subscriber')
  if (subscriber.audienceId !== params.audience_id) throw notFound('subscriber')
  return subscriber
}

function toSubscriber(subscriber: SubscriberObject): s.Infer<typeof Subscriber> {
  return toSnake(Subscriber, subscriber, { email_address: subscriber.email })
}

export const subscriberEndpoints = [
  addSubscriber,
  addSubscribers,
  listSubscribers,
  getSubscriberByEmail,
  getSubscriber,
  updateSubscriber,
  unsubscribeSubscriber,
  deleteSubscriber,
]
