import { defineType, objectStorage } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { CALENDAR_SCOPES, CALENDARS } from '../capability.ts'
import type { Alerts } from '../jscalendar/alert.ts'

/** JMAP Calendars 4 */
const CalendarRights = p.object({
  mayReadFreeBusy: p.bool(),
  mayReadItems: p.bool(),
  mayWriteAll: p.bool(),
  mayWriteOwn: p.bool(),
  mayUpdatePrivate: p.bool(),
  mayRSVP: p.bool(),
  mayShare: p.bool(),
  mayDelete: p.bool(),
})

const defaultAlerts = () => p.json<Alerts>({ type: 'object' }).nullable().defaults(null)

export const Calendar = defineType({
  name: 'Calendar',
  capability: CALENDARS,
  spec: 'draft-ietf-jmap-calendars 4',
  idPrefix: 'cal',
  accounts: 'mailbox',
  storage: objectStorage(),
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ minLength: 1 }),
    description: p.string().nullable().defaults(null),
    color: p.string().nullable().defaults(null),
    sortOrder: p.uint({ maximum: 2_147_483_647 }).defaults(0),
    isSubscribed: p.bool().defaults(true),
    isVisible: p.bool().defaults(true),
    isDefault: p.bool().server(),
    includeInAvailability: p.oneOf(['all', 'attending', 'none']).defaults('all'),
    defaultAlertsWithTime: defaultAlerts(),
    defaultAlertsWithoutTime: defaultAlerts(),
    timeZone: p.string().nullable().defaults(null),
    // Nothing is shared here yet, so that it can only be null.
    shareWith: p.map(CalendarRights).nullable().defaults(null),
    myRights: CalendarRights.server().compute(),
  },
  args: {
    set: {
      onDestroyRemoveEvents: p.bool().defaults(false),
      onSuccessSetIsDefault: p.string().nullable().defaults(null),
    },
  },
  scopes: CALENDAR_SCOPES,
  account: ({ principal: { scopes } }) => ({
    mayCreateCalendar: scopes === null || scopes.includes(CALENDAR_SCOPES.write),
  }),
})
