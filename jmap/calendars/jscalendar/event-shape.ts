/** The shape of an Event and of the objects in it (jscalendarbis 1 to 4; JMAP Calendars 5). */
import {
  EVENT_MAX_ALERTS,
  EVENT_MAX_DATE_TIME,
  EVENT_MAX_DESCRIPTION_CHARS,
  EVENT_MAX_PARTICIPANTS,
  EVENT_MAX_TEXT_CHARS,
  EVENT_MIN_DATE_TIME,
  RECURRENCE_MAX_ITEMS,
  SCHEDULE_STATUSES_MAX,
} from '../../../server/base/calendar-data-limits.ts'
import type { Json } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { isId } from '../../protocol/primitives.ts'
import { CONFERENCING_PROVIDERS, CONFERENCING_STATUSES } from './conferencing.ts'
import { parseDuration, parseLocal, parseSignedDuration, parseUTC } from './date-times.ts'
import { FREQUENCIES, SKIPS, WEEKDAYS } from './recurrence-rule.ts'
import { boolean, integer, listOf, mapOf, objectOf, oneOf, type Shape, text, that, words } from './shape.ts'

const FIRST = parseUTC(EVENT_MIN_DATE_TIME)!
const LAST = parseUTC(EVENT_MAX_DATE_TIME)!
const within = (time: number | null) => time !== null && time >= FIRST && time <= LAST

export function isLocalDateTime(value: string): boolean {
  return within(parseLocal(value))
}

const SPAN = `from ${EVENT_MIN_DATE_TIME.slice(0, 4)} to ${EVENT_MAX_DATE_TIME.slice(0, 4)}`
export const localDateTime = text(
  isLocalDateTime,
  `is a LocalDateTime without a fraction, such as 2026-07-25T09:30:00, ${SPAN}`,
)
export const utcDateTime = text(
  (value) => within(parseUTC(value)),
  `is a UTCDateTime without a fraction, such as 2026-07-25T09:30:00Z, ${SPAN}`,
)
export const duration = text(
  (value) => parseDuration(value) !== null,
  'is a Duration such as PT1H30M, of at most a century',
)
const signedDuration = text((value) => parseSignedDuration(value) !== null, 'is a SignedDuration such as -PT15M')
/** Whether the zone exists is checked by who knows the zones. */
export const timeZone = text(
  (value) => /^[A-Za-z][\w+/-]{0,63}$/.test(value),
  'is the name of a zone in the IANA Time Zone Database',
)
const title = words(EVENT_MAX_TEXT_CHARS)
const description = words(EVENT_MAX_DESCRIPTION_CHARS)
const uri = text(
  (value) => value.length <= EVENT_MAX_TEXT_CHARS && /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}]+$/u.test(value),
  `is a URI of at most ${EVENT_MAX_TEXT_CHARS} characters`,
)
/** An embedded file is a URI too: the octets of the whole event bound it. */
const anyUri = text((value) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(value) && !/\s/.test(value), 'is a URI')
/** Registered or vendor-specific values of an enumeration: jscalendarbis has a reader treat unknown ones as the default. */
const token = text((value) => /^[A-Za-z0-9][A-Za-z0-9.:_/-]{0,254}$/.test(value), 'is a short ASCII name')
const yes = that((value) => value === true, 'is true')
const isText = (key: string) => key.length > 0 && key.length <= EVENT_MAX_TEXT_CHARS
const IDS = 'Ids of 1 to 255 characters from A-Za-z0-9_-'
const byId = (shape: Shape, max?: number) => mapOf(shape, isId, IDS, max)
const setOf = () => mapOf(yes, isText, `texts of at most ${EVENT_MAX_TEXT_CHARS} characters`)
const typed = (name: string) => ({ '@type': oneOf([name]) })

const relation = objectOf({ ...typed('Relation'), relation: setOf() })

const link = objectOf(
  {
    ...typed('Link'),
    href: anyUri,
    blobId: text(isId, 'is an Id'),
    contentType: words(EVENT_MAX_TEXT_CHARS),
    size: integer(0),
    rel: words(EVENT_MAX_TEXT_CHARS, 1),
    display: setOf(),
    title,
  },
  [],
  (value, path, faults) => {
    // JMAP Calendars 5.3: a blobId may stand in place of href.
    if (isObject(value) && value['href'] === undefined && value['blobId'] === undefined)
      faults.add(`${path}/href`, 'is missing, and there is no blobId')
  },
)
const links = byId(link)

const location = objectOf({ ...typed('Location'), name: title, locationTypes: setOf(), coordinates: uri, links })
const virtualLocation = objectOf({ ...typed('VirtualLocation'), name: title, uri, features: setOf() }, ['uri'])

export const participant = objectOf({
  ...typed('Participant'),
  name: title,
  email: words(EVENT_MAX_TEXT_CHARS),
  description,
  descriptionContentType: words(EVENT_MAX_TEXT_CHARS),
  calendarAddress: uri,
  kind: token,
  roles: setOf(),
  participationStatus: token,
  expectReply: boolean,
  sentBy: words(EVENT_MAX_TEXT_CHARS),
  delegatedTo: setOf(),
  delegatedFrom: setOf(),
  memberOf: setOf(),
  links,
  percentComplete: integer(0, 100),
  scheduleSequence: integer(0),
  scheduleUpdated: utcDateTime,
  scheduleAgent: token,
  scheduleStatus: listOf(words(EVENT_MAX_TEXT_CHARS), SCHEDULE_STATUSES_MAX),
  participationComment: description,
})

const offsetTrigger = objectOf(
  { ...typed('OffsetTrigger'), offset: signedDuration, relativeTo: oneOf(['start', 'end']) },
  ['offset'],
)
const absoluteTrigger = objectOf({ ...typed('AbsoluteTrigger'), when: utcDateTime }, ['when'])
const trigger: Shape = {
  check(value, path, faults) {
    const type = isObject(value) ? (value['@type'] ?? 'OffsetTrigger') : 'OffsetTrigger'
    if (type === 'OffsetTrigger') offsetTrigger.check(value, path, faults)
    else if (type === 'AbsoluteTrigger') absoluteTrigger.check(value, path, faults)
    // jscalendarbis 3.5.1: a trigger of an unknown type is kept.
    else if (typeof type !== 'string') faults.add(`${path}/@type`, 'is a text')
  },
}
export const alert = objectOf(
  {
    ...typed('Alert'),
    trigger,
    acknowledged: utcDateTime,
    relatedTo: mapOf(relation, isId, IDS),
    action: token,
  },
  ['trigger'],
)

const nDay = objectOf({ ...typed('NDay'), day: oneOf(WEEKDAYS), nthOfPeriod: integer(-53, 53, 0) }, ['day'])
const numbers = (min: number, max: number, except?: number) => listOf(integer(min, max, except), RECURRENCE_MAX_ITEMS)
export const recurrenceRule = objectOf(
  {
    ...typed('RecurrenceRule'),
    frequency: oneOf(FREQUENCIES),
    interval: integer(1, 1_000_000),
    rscale: text((value) => /^[a-z][a-z0-9-]{0,63}$/.test(value), 'is the name of a calendar of CLDR in lower case'),
    skip: oneOf(SKIPS),
    firstDayOfWeek: oneOf(WEEKDAYS),
    byDay: listOf(nDay, RECURRENCE_MAX_ITEMS),
    byMonthDay: numbers(-31, 31, 0),
    byMonth: listOf(
      text((value) => /^(?:[1-9]|1[0-3])L?$/.test(value), 'is a month such as "7", with L after a leap month'),
      RECURRENCE_MAX_ITEMS,
    ),
    byYearDay: numbers(-366, 366, 0),
    byWeekNo: numbers(-53, 53, 0),
    byHour: numbers(0, 23),
    byMinute: numbers(0, 59),
    bySecond: numbers(0, 59),
    bySetPosition: numbers(-366, 366, 0),
    count: integer(1, 1_000_000),
    until: localDateTime,
  },
  ['frequency'],
  (value, path, faults) => {
    if (isObject(value) && value['count'] !== undefined && value['until'] !== undefined)
      faults.add(`${path}/until`, 'does not go together with count')
  },
)

/** Without `recurrenceOverrides`, whose patches are checked against the event (check-event.ts). */
export const EVENT_MEMBERS: { readonly [name: string]: Shape } = {
  ...typed('Event'),
  version: words(16, 1),
  uid: words(EVENT_MAX_TEXT_CHARS, 1),
  relatedTo: mapOf(relation, isText, `texts of at most ${EVENT_MAX_TEXT_CHARS} characters`),
  prodId: words(EVENT_MAX_TEXT_CHARS),
  created: utcDateTime,
  updated: utcDateTime,
  sequence: integer(0),
  title,
  description,
  descriptionContentType: words(EVENT_MAX_TEXT_CHARS),
  showWithoutTime: boolean,
  locations: byId(location),
  mainLocationId: text(isId, 'is an Id'),
  virtualLocations: byId(virtualLocation),
  links,
  locale: words(255, 1),
  keywords: setOf(),
  categories: setOf(),
  color: words(255, 1),
  recurrenceId: localDateTime,
  recurrenceIdTimeZone: timeZone,
  recurrenceRule,
  priority: integer(0, 9),
  freeBusyStatus: token,
  privacy: token,
  organizerCalendarAddress: uri,
  sentBy: words(EVENT_MAX_TEXT_CHARS),
  participants: byId(participant, EVENT_MAX_PARTICIPANTS),
  alerts: byId(alert, EVENT_MAX_ALERTS),
  timeZone,
  start: localDateTime,
  duration,
  endTimeZone: timeZone,
  status: token,
  mayInviteSelf: boolean,
  mayInviteOthers: boolean,
  hideAttendees: boolean,
  useDefaultAlerts: boolean,
  conferencing: objectOf(
    {
      provider: oneOf(CONFERENCING_PROVIDERS),
      status: oneOf(CONFERENCING_STATUSES),
      note: words(EVENT_MAX_TEXT_CHARS),
    },
    ['provider'],
  ),
  iCalendar: that((value: Json) => isObject(value), 'is an object'),
}

/** Alerts of a calendar (JMAP Calendars 4). */
export const defaultAlerts = byId(alert, EVENT_MAX_ALERTS)
