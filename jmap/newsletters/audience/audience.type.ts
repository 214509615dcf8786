import {
  AUDIENCE_DESCRIPTION_MAX_CHARS,
  AUDIENCE_NAME_MAX_CHARS,
  CONSENT_SOURCE_MAX_CHARS,
} from '../../../server/base/audience-limits.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

export const AUDIENCE_SCOPES = { read: 'audiences:read', write: 'audiences:write' } as const

/** A list of newsletter recipients of an organization (decision D18). */
export const Audience = defineType({
  name: 'Audience',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'aud',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    // It stands in mails and on pages: one line.
    name: p.string({
      minLength: 1,
      maxLength: AUDIENCE_NAME_MAX_CHARS,
      pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
    }),
    description: p.string({ maxLength: AUDIENCE_DESCRIPTION_MAX_CHARS }).nullable().defaults(null),
    /** How its members opted in, as the organization attests. Every new subscriber takes it over. */
    consentSource: p.string({ minLength: 1, maxLength: CONSENT_SOURCE_MAX_CHARS, pattern: '\\S' }).fixed(),
    /** Whether anybody may sign up at /subscribe/<id>, confirmed by mail. */
    signupPage: p.bool().defaults(false),
    /** All subscribers, and those with the status `subscribed`. */
    memberCount: p.uint().server(),
    subscribedCount: p.uint().server(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string() },
  sorts: ['createdAt'],
  scopes: AUDIENCE_SCOPES,
})
