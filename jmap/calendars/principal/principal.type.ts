import type { JsonObject } from '../../../server/base/json.ts'
import { defineType } from '../../type/define-type.ts'
import { declareMethod } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'
import { AVAILABILITY, CALENDAR_SCOPES, PRINCIPAL_ID, PRINCIPALS } from '../capability.ts'

/** Who owns the account (RFC 9670 2). */
export const Principal = defineType({
  name: 'Principal',
  capability: PRINCIPALS,
  spec: 'RFC 9670 2',
  ...PRINCIPAL_ID,
  accounts: 'mailbox',
  methods: ['get', 'changes', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    type: p.oneOf(['individual', 'group', 'resource', 'location', 'other']).server(),
    name: p.string().server(),
    description: p.string().nullable().server(),
    email: p.string().nullable().server(),
    timeZone: p.string().nullable().server(),
    capabilities: p.json<JsonObject>({ type: 'object' }).server(),
    accounts: p.json<JsonObject | null>({ type: ['object', 'null'] }).server(),
  },
  filters: {
    accountIds: p.ids().nullable(),
    email: p.string(),
    name: p.string(),
    text: p.string(),
    type: p.string(),
    timeZone: p.string(),
    // JMAP Calendars 2.3
    calendarAddress: p.string().extension(AVAILABILITY),
  },
  sorts: [],
  scopes: CALENDAR_SCOPES,
})

/** JMAP Calendars 2.2 */
export const PrincipalGetAvailability = declareMethod({
  name: 'Principal/getAvailability',
  capability: AVAILABILITY,
  accounts: 'mailbox',
  scope: CALENDAR_SCOPES.read,
  writes: false,
  weight: 'much',
  args: {
    id: p.id(),
    utcStart: p.utcDate(),
    utcEnd: p.utcDate(),
    showDetails: p.bool().defaults(false),
    eventProperties: p.list(p.string()).nullable().defaults(null),
  },
  answer: { list: p.list(p.json<JsonObject>({ type: 'object' })) },
})
