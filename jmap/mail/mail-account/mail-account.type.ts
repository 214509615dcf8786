import { ACCOUNT_IDS } from '../../../server/base/ids.ts'
import { MESSAGE_SUBJECT_MAX_CHARS, VACATION_BODY_MAX_CHARS } from '../../../server/base/limits.ts'
import { SPAM_THRESHOLD_DEFAULT } from '../../../server/base/spam-limits.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { defineType, objectStorage } from '../../type/define-type.ts'
import type { StoredOf } from '../../type/derived.ts'
import { p } from '../../type/property.ts'

/** The VacationResponse of the account in the shape of REST (jmap/mail/vacation/auto-reply.ts). */
const autoReply = p.object({
  enabled: p.bool(),
  subject: p.string({ maxLength: MESSAGE_SUBJECT_MAX_CHARS }).nullable(),
  body: p.string({ maxLength: VACATION_BODY_MAX_CHARS }).nullable(),
  fromDate: p.utcDate().nullable(),
  toDate: p.utcDate().nullable(),
})

/**
 * An address with its mail, which REST calls a mailbox. The object is in the organization's account and has the id of the mailbox's own
 * JMAP account.
 */
export const MailAccount = defineType({
  name: 'MailAccount',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: ACCOUNT_IDS.mailbox.idPrefix,
  isAccount: true,
  accounts: 'organization',
  storage: objectStorage(),
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    domainId: p.id().fixed(),
    localPart: p.string().fixed(),
    address: p.string().server().fixed(),
    displayName: p.string({ minLength: 1, maxLength: 200 }).nullable().defaults(null),
    /** IANA zone of the owner; null: UTC (decision D32). */
    timezone: p.string({ minLength: 1, maxLength: 64 }).nullable().defaults(null),
    /** Language tag (RFC 5646) of what the server writes to the owner; null: `en`. */
    language: p.string({ minLength: 2, maxLength: 35 }).nullable().defaults(null),
    password: p.string().secret(),
    suspendedAt: p.utcDate().nullable().server(),
    spamFilterThreshold: p.uint({ minimum: 1, maximum: 14 }).defaults(SPAM_THRESHOLD_DEFAULT),
    autoReply: autoReply.defaults({ enabled: false, subject: null, body: null, fromDate: null, toDate: null }),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  // sendsAs: finds the mailbox that an address, an alias or a tagged form belongs to; it cannot be combined with other conditions.
  filters: { beforeId: p.string(), domainId: p.id(), address: p.string(), sendsAs: p.string() },
  sorts: ['address', 'createdAt'],
  invalidates: ['credentials', 'deliverySettings'],
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})

export type StoredMailAccount = StoredOf<typeof MailAccount>
