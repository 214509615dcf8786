import { AvailabilityGet } from '../../jmap/calendars/availability/availability.type.ts'
import { isTimeZone } from '../../jmap/calendars/recurrence/zone-offsets.ts'
import { formatUTCDate } from '../../jmap/protocol/primitives.ts'
import {
  AVAILABILITY_MAX_DAYS,
  BUFFER_MAX_MINUTES,
  NOTICE_MAX_MINUTES,
  SLOT_DEFAULT_MINUTES,
  SLOT_MAX_MINUTES,
  SLOT_MIN_MINUTES,
  WINDOW_DEFAULT_END,
  WINDOW_DEFAULT_START,
  WINDOW_MAX,
  WORKING_DAYS,
} from '../../server/base/booking-limits.ts'
import { call } from '../calls/jmap-calls.ts'
import { openAddress } from '../calls/mailbox-access.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'
import { instant, parseTime } from '../schema/timestamps.ts'

const DAY_MS = 86_400_000

const CalendarAvailability = s.resource('CalendarAvailability', 'calendar_availability', {
  mailbox: s.string({ examples: ['support@example.com'] }),
  from: s.timestamp(),
  to: s.timestamp(),
  duration_minutes: s.integer(),
  timezone: s.string({ examples: ['Europe/Berlin'] }),
  slots: s.array(s.object({ start: s.timestamp(), end: s.timestamp() }), { description: 'In ascending order.' }),
})

const minutes = (minimum: number, maximum: number, description: string) => s.integer({ minimum, maximum, description })

const TAG: Tag = { name: 'Calendar', description: 'Events and availability of the calendar of a mailbox.' }

export const getAvailability = endpoint({
  method: 'GET',
  path: '/v1/calendar/availability',
  operationId: 'getAvailability',
  tag: TAG,
  summary: 'Get the free slots of a calendar',
  description:
    'Computed from the calendar at each call. Candidates start at `window_start` and every `interval` minutes after it on each local day in `timezone`. A slot lies wholly within the window and within `from` and `to`, and meets no busy time, with `buffer` minutes free on both sides. Busy are events that are neither free nor cancelled nor declined by the owner. Local times that the clock skips are left out; of two passings the first is offered.',
  scope: 'calendar:read',
  query: s.object({
    mailbox: s.string({ maxLength: 320, description: 'Address of the mailbox.', examples: ['support@example.com'] }),
    from: s.timestamp(),
    to: s.timestamp(`At most ${AVAILABILITY_MAX_DAYS} days after \`from\`.`),
    duration: s.withDefault(minutes(SLOT_MIN_MINUTES, SLOT_MAX_MINUTES, 'Minutes of a slot.'), SLOT_DEFAULT_MINUTES),
    interval: s.optional(
      minutes(SLOT_MIN_MINUTES, SLOT_MAX_MINUTES, 'Minutes between two starts; by default `duration`.'),
    ),
    timezone: s.withDefault(s.string({ maxLength: 64, description: 'IANA zone of `days` and the window.' }), 'UTC'),
    days: s.withDefault(
      s.string({ pattern: '^[0-6](?:,[0-6]){0,6}$', description: 'Separated by commas; 0 is Sunday.' }),
      WORKING_DAYS.join(','),
    ),
    window_start: s.withDefault(minutes(0, WINDOW_MAX, 'Minutes from midnight.'), WINDOW_DEFAULT_START),
    window_end: s.withDefault(minutes(0, WINDOW_MAX, 'Minutes from midnight.'), WINDOW_DEFAULT_END),
    buffer: s.withDefault(minutes(0, BUFFER_MAX_MINUTES, 'Free minutes before and after a slot.'), 0),
    minimum_notice: s.withDefault(minutes(0, NOTICE_MAX_MINUTES, 'Minutes from now to the first slot.'), 0),
  }),
  response: CalendarAvailability,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { query } = input
    // The schema has checked both.
    const [from, to] = [parseTime(query.from)!, parseTime(query.to)!]
    if (to <= from) throw invalid('to', 'out_of_range', 'to is not after from.')
    if (to - from > AVAILABILITY_MAX_DAYS * DAY_MS)
      throw invalid('to', 'out_of_range', `to is at most ${AVAILABILITY_MAX_DAYS} days after from.`)
    if (!isTimeZone(query.timezone))
      throw invalid('timezone', 'invalid_format', 'timezone is not a name of the IANA time zone database.')
    if (query.window_start >= query.window_end)
      throw invalid('window_end', 'out_of_range', 'window_end is not after window_start.')
    const { id: accountId, address } = await openAddress(input, jmap, query.mailbox)
    const { found } = await jmap.call({
      found: call(AvailabilityGet, {
        accountId,
        from: formatUTCDate(from),
        to: formatUTCDate(to),
        durationMinutes: query.duration,
        intervalMinutes: query.interval ?? null,
        timezone: query.timezone,
        days: [...new Set(query.days.split(',').map(Number))],
        windowStartMinutes: query.window_start,
        windowEndMinutes: query.window_end,
        bufferMinutes: query.buffer,
        minimumNoticeMinutes: query.minimum_notice,
      }),
    })
    return {
      object: 'calendar_availability' as const,
      mailbox: address,
      from: instant(formatUTCDate(from)),
      to: instant(formatUTCDate(to)),
      duration_minutes: query.duration,
      timezone: query.timezone,
      slots: found.slots.map(({ start, end }) => ({ start: instant(start), end: instant(end) })),
    }
  },
})

export const availabilityEndpoints = [getAvailability]
