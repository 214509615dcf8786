import { MESSAGE_SUBJECT_MAX_CHARS, VACATION_BODY_MAX_CHARS } from '../../../server/base/limits.ts'
import { VACATION_RESPONSE } from '../../capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

const body = p.string({ max: VACATION_BODY_MAX_CHARS }).nullable().defaults(null)

export const VacationResponse = defineType({
  name: 'VacationResponse',
  capability: VACATION_RESPONSE,
  spec: 'RFC 8621 8',
  idKind: 'singleton',
  accounts: 'mailbox',
  methods: ['get', 'set'],
  properties: {
    id: p.id().server().fixed(),
    isEnabled: p.bool().defaults(false),
    fromDate: p.utcDate().nullable().defaults(null),
    toDate: p.utcDate().nullable().defaults(null),
    subject: p.string({ max: MESSAGE_SUBJECT_MAX_CHARS }).nullable().defaults(null),
    textBody: body,
    htmlBody: body,
  },
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})
