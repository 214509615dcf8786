import {
  MERGE_FIELD_MAX_CHARS,
  MERGE_FIELD_NAME_PATTERN,
  MERGE_FIELDS_MAX,
  SUBSCRIBER_NAME_MAX_CHARS,
  SUBSCRIBERS_PER_CALL_MAX,
} from '../../../server/base/audience-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import type { ObjectOf } from '../../type/derived.ts'
import { declareMethod } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'
import { AUDIENCE_SCOPES } from '../audience/audience.type.ts'

export const SUBSCRIBER_STATUSES = [
  'subscribed',
  'unsubscribed',
  'bounced',
  'complained',
  'suppressed',
  'transactional_only',
] as const

export type MergeValue = string | number | boolean | null
export type MergeFields = { readonly [name: string]: MergeValue }

const status = p.oneOf(SUBSCRIBER_STATUSES)

/** A member of an audience (decision D18). Subscriber/add makes them: it decides which addresses may be added. */
export const Subscriber = defineType({
  name: 'Subscriber',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'sub',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    audienceId: p.id().server().fixed(),
    /** In lower case, with the domain as A-labels. */
    email: p.string().server().fixed(),
    // It stands in header fields: one line.
    displayName: p
      .string({ maxLength: SUBSCRIBER_NAME_MAX_CHARS, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })
      .nullable()
      .defaults(null),
    status: status.server(),
    mergeFields: p
      .json<MergeFields>({
        type: 'object',
        maxProperties: MERGE_FIELDS_MAX,
        propertyNames: { type: 'string', pattern: MERGE_FIELD_NAME_PATTERN },
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: MERGE_FIELD_MAX_CHARS },
      })
      .defaults({}),
    consentSource: p.string().server(),
    /** When consent was attested last. */
    consentedAt: p.utcDate().server(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string(), audienceId: p.id(), status, email: p.string() },
  sorts: ['createdAt'],
  scopes: AUDIENCE_SCOPES,
})

export type SubscriberObject = ObjectOf<typeof Subscriber>

/** Why an address was skipped is not told: the list of suppressions and opt-outs must not be readable by adding. */
export const ADD_OUTCOMES = [
  'created',
  'updated',
  'skipped_not_mailable',
  'skipped_invalid',
  'skipped_cap',
  'skipped_quota',
] as const
export type AddOutcome = (typeof ADD_OUTCOMES)[number]

const ROW_PROPERTIES = ['email', 'displayName', 'mergeFields'] as const
export type RowProperty = (typeof ROW_PROPERTIES)[number]

const WRITING = {
  capability: SERVICE,
  accounts: 'organization',
  scope: AUDIENCE_SCOPES.write,
  writes: true,
} as const

/**
 * Adds addresses to an audience, or merges what is new about those that are in it. There is one result for each of `subscribers`, in
 * their order: `{email, displayName?, mergeFields?}`. The email of a result is trimmed and in lower case, also if it is no address.
 */
export const SubscriberAdd = declareMethod({
  ...WRITING,
  name: 'Subscriber/add',
  args: {
    audienceId: p.string(),
    subscribers: p.list(p.json<JsonObject>({ type: 'object' }), { minItems: 1, maxItems: SUBSCRIBERS_PER_CALL_MAX }),
  },
  answer: {
    /** `property`: of a row that is `skipped_invalid`, the property that is wrong. */
    results: p.list(
      p.object({ email: p.string(), outcome: p.oneOf(ADD_OUTCOMES), property: p.oneOf(ROW_PROPERTIES).nullable() }),
    ),
  },
})

/** Ends newsletters of the organization to the address of a subscriber, in all audiences. Repeating it changes nothing. */
export const SubscriberUnsubscribe = declareMethod({
  ...WRITING,
  name: 'Subscriber/unsubscribe',
  args: { subscriberId: p.string() },
  answer: { subscriber: p.json<SubscriberObject>({ type: 'object' }) },
})
