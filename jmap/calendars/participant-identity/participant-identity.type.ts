import { defineType, objectStorage } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { CALENDAR_SCOPES, CALENDARS } from '../capability.ts'

/** An address under which the owner of the account takes part in events. */
export const ParticipantIdentity = defineType({
  name: 'ParticipantIdentity',
  capability: CALENDARS,
  spec: 'draft-ietf-jmap-calendars 3',
  idPrefix: 'pid',
  accounts: 'mailbox',
  storage: objectStorage(),
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ maxLength: 1_024 }).defaults(''),
    calendarAddress: p.string({ minLength: 1, maxLength: 1_024 }),
    isDefault: p.bool().server(),
  },
  args: { set: { onSuccessSetIsDefault: p.string().nullable().defaults(null) } },
  scopes: CALENDAR_SCOPES,
})
