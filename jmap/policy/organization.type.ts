import { ACCOUNT_IDS } from '../../server/base/ids.ts'
import { LOGO_URL_MAX_CHARS } from '../../server/base/image-limits.ts'
import { PLAN_NAMES } from '../../server/base/sending-limits.ts'
import { SERVICE } from '../type/capabilities.ts'
import { defineType, objectStorage } from '../type/define-type.ts'
import { p } from '../type/property.ts'

/** The tenant that owns domains, mailbox accounts and keys: one object in its own account. */
export const Organization = defineType({
  name: 'Organization',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: ACCOUNT_IDS.organization.idPrefix,
  isAccount: true,
  accounts: 'organization',
  storage: objectStorage(),
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ minLength: 1, maxLength: 200 }),
    slug: p.string().server(),
    // Its subscription; null: none. Only an administrator sets these (decision D27).
    plan: p.oneOf(PLAN_NAMES).nullable().defaults(null),
    trialEndsAt: p.utcDate().nullable().defaults(null),
    subscribedAt: p.utcDate().nullable().server(),
    // Where the server sends mail about the organization; null: to its oldest mailbox.
    ownerEmail: p.string({ maxLength: 320 }).nullable().defaults(null),
    // Whether API keys may set the passwords of mailboxes (decision D31).
    passwordsByApi: p.bool().defaults(true),
    // In every newsletter (decision D31). Lines of the address by \n.
    legalName: p.string({ minLength: 1, maxLength: 200, pattern: '\\S' }).nullable().defaults(null),
    postalAddress: p.string({ minLength: 1, maxLength: 500, pattern: '\\S' }).nullable().defaults(null),
    // Whether a newsletter can only be sent after a test.
    requireTestSend: p.bool().defaults(false),
    // Where the logo of its public pages was fetched; null: none. Setting it fetches the image (jmap/directory/organization-logo.ts).
    logoUrl: p.string({ minLength: 1, maxLength: LOGO_URL_MAX_CHARS }).nullable().defaults(null),
    // Of its public pages, as `#1a56b0`; null: the usual one.
    accentColor: p.string({ pattern: '^#[0-9a-f]{6}$' }).nullable().defaults(null),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  invalidates: ['credentials'],
  scopes: { read: 'organization:read', write: 'organization:write' },
})
