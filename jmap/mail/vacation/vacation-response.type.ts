import { MESSAGE_SUBJECT_MAX_CHARS, VACATION_BODY_MAX_CHARS } from '../../../server/base/limits.ts'
import type { Capability } from '../../type/capability.ts'
import { defineType, objectStorage, SINGLETON_ID } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/** RFC 8621 1.3 */
const VACATION_RESPONSE: Capability = { urn: 'urn:ietf:params:jmap:vacationresponse', accounts: 'mailbox' }

const body = p.string({ maxLength: VACATION_BODY_MAX_CHARS }).nullable().defaults(null)

export const VacationResponse = defineType({
  name: 'VacationResponse',
  capability: VACATION_RESPONSE,
  spec: 'RFC 8621 8',
  idPrefix: SINGLETON_ID,
  accounts: 'mailbox',
  storage: objectStorage(),
  methods: ['get', 'set'],
  properties: {
    id: p.id().server().fixed(),
    isEnabled: p.bool().defaults(false),
    fromDate: p.utcDate().nullable().defaults(null),
    toDate: p.utcDate().nullable().defaults(null),
    subject: p.string({ maxLength: MESSAGE_SUBJECT_MAX_CHARS }).nullable().defaults(null),
    textBody: body,
    htmlBody: body,
  },
  invalidates: ['deliverySettings'],
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})
