/** Handlers of Calendar: JMAP Calendars 4. */
import { CALENDAR_NAME_MAX_BYTES, MAX_CALENDARS } from '../../../server/base/calendar-data-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { recalculateReminders } from '../../../storage/repos/reminders.ts'
import { invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json-object.ts'
import type { EndingSet, WriteContext } from '../../type/handlers.ts'
import { objectHandlers } from '../../type/object-handlers.ts'
import { updateStored } from '../../type/object-store.ts'
import { reportServerSet } from '../../type/report-server-set.ts'
import { hasEvents, removeFromCalendar } from '../event/calendar-removal.ts'
import { isTimeZone } from '../event/wall-time.ts'
import { removeFeedsOf } from '../feed/calendar-feed.handlers.ts'
import type { Alerts } from '../jscalendar/alert.ts'
import { defaultAlerts } from '../jscalendar/event-shape.ts'
import { Faults } from '../jscalendar/shape.ts'
import { Calendar } from './calendar.type.ts'
import { listCalendars, requireDefaultCalendar, type StoredCalendar } from './calendars.ts'
import { isColor } from './color.ts'

export const calendarHandlers = objectHandlers(Calendar, {
  async create({ unit }, input) {
    await requireDefaultCalendar(unit)
    const others = await listCalendars(unit, unit.account)
    if (others.length >= MAX_CALENDARS)
      return { error: setError('overQuota', `An account has at most ${MAX_CALENDARS} calendars.`) }
    const error = faultOf(input, others)
    return error ? { error } : { stored: { ...input, isDefault: false } }
  },

  async update({ unit }, number, { next, changed }) {
    const others = (await listCalendars(unit, unit.account)).filter(({ id }) => id !== number)
    const error = faultOf(next, others)
    if (error) return { error }
    if (changed.some((name) => REMINDING.includes(name))) await recalculateReminders(unit)
    return { stored: next }
  },

  async destroy(write, number, { isDefault }) {
    if (isDefault) return setError('forbidden', 'The default calendar stays: make another one the default before.')
    if (write.args.onDestroyRemoveEvents) await removeFromCalendar(write, number)
    else if (await hasEvents(write.unit, number))
      return setError('calendarHasEvent', 'The calendar has events, and onDestroyRemoveEvents is false.')
    await removeFeedsOf(write.unit, write.method.id(Calendar, number))
    return null
  },

  present: (_method, { isDefault }) => ({
    myRights: {
      mayReadFreeBusy: true,
      mayReadItems: true,
      mayWriteAll: true,
      mayWriteOwn: true,
      mayUpdatePrivate: true,
      mayRSVP: true,
      // There is nobody to share with yet.
      mayShare: false,
      mayDelete: !isDefault,
    },
  }),

  finish: setDefault,
})

/** What the reminders of all events in the calendar depend on. */
const REMINDING: readonly string[] = ['defaultAlertsWithTime', 'defaultAlertsWithoutTime', 'isSubscribed', 'timeZone']

interface Checked {
  readonly name: string
  readonly color: string | null
  readonly timeZone: string | null
  readonly shareWith: unknown
  readonly defaultAlertsWithTime: Alerts | null
  readonly defaultAlertsWithoutTime: Alerts | null
}

function faultOf(calendar: Checked, others: readonly StoredCalendar[]): SetError | null {
  // JMAP Calendars 4: at most 255 octets.
  if (Buffer.byteLength(calendar.name) > CALENDAR_NAME_MAX_BYTES)
    return invalidProperties(['name'], `name has at most ${CALENDAR_NAME_MAX_BYTES} octets.`)
  if (calendar.color !== null && !isColor(calendar.color))
    return invalidProperties(['color'], 'color is a CSS color name, #rgb or #rrggbb.')
  if (calendar.timeZone !== null && !isTimeZone(calendar.timeZone))
    return invalidProperties(['timeZone'], 'timeZone is the name of a zone in the IANA Time Zone Database.')
  if (calendar.shareWith !== null) return setError('forbidden', 'Calendars cannot be shared.')
  return alertsFault(calendar, others)
}

const ALERTS = ['defaultAlertsWithTime', 'defaultAlertsWithoutTime'] as const

/** JMAP Calendars 4: well-formed, without absolute times, and with ids that no other default alert of the account has. */
function alertsFault(calendar: Checked, others: readonly StoredCalendar[]): SetError | null {
  const taken = new Set(others.flatMap(({ data }) => ALERTS.flatMap((name) => Object.keys(data[name] ?? {}))))
  for (const name of ALERTS) {
    const alerts: JsonObject = calendar[name] ?? {}
    const faults = new Faults()
    defaultAlerts.check(alerts, name, faults)
    for (const [id, alert] of Object.entries(alerts)) {
      const trigger = isObject(alert) ? alert['trigger'] : null
      if (isObject(trigger) && trigger['@type'] === 'AbsoluteTrigger')
        faults.add(`${name}/${id}/trigger`, 'is not an AbsoluteTrigger in a calendar')
      if (taken.has(id)) faults.add(`${name}/${id}`, 'has the id of another default alert of the account')
      taken.add(id)
    }
    const [first] = faults.list
    if (first)
      return invalidProperties(
        faults.list.map(({ path }) => path),
        `${first.path} ${first.fault}.`,
      )
  }
  return null
}

/** JMAP Calendars 4.3: if no record was refused. An id that does not exist is ignored. */
async function setDefault({ unit, method, args }: WriteContext<typeof Calendar>, set: EndingSet): Promise<void> {
  const wanted = args.onSuccessSetIsDefault
  if (wanted === null || !set.isWhole) return
  const number = method.number(Calendar, set.resolve(wanted))
  const calendars = await listCalendars(unit, unit.account)
  if (!calendars.some(({ id }) => id === number)) return
  for (const { id, data } of calendars) {
    const isDefault = id === number
    if (data.isDefault === isDefault) continue
    await updateStored(unit, Calendar, { id, data: { ...data, isDefault } }, ['isDefault', 'myRights'])
    reportServerSet(set, method.id(Calendar, id), { isDefault })
  }
  // The zone of the default calendar may be the owner's.
  await recalculateReminders(unit)
}
