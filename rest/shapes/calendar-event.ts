import { CONFERENCING_PROVIDERS, CONFERENCING_STATUSES } from '../../jmap/calendars/jscalendar/conferencing.ts'
import { ATTENDEES_MAX, REMINDER_MAX_MINUTES, REMINDERS_MAX } from '../../server/base/calendar-data-limits.ts'
import * as s from '../schema/schema.ts'

/** Decision D21: how the contract writes calendar events. */
export const EVENT_STATUSES = ['confirmed', 'tentative', 'cancelled'] as const
export const FREE_BUSY = ['free', 'busy'] as const
export const PRIVACIES = ['public', 'private', 'secret'] as const
export const RECURRENCE_FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'] as const

const BY_DAY = '^(?:-?[1-9][0-9]?)?(?:mo|tu|we|th|fr|sa|su)$'

const recurrenceMembers = {
  frequency: s.oneOf(RECURRENCE_FREQUENCIES, 'How often.'),
  interval: s.integer({ minimum: 1, maximum: 1_000, description: 'Every so many periods. Default: 1.' }),
  count: s.nullable(
    s.integer({ minimum: 1, maximum: 10_000, description: 'Instances in all; not together with `until`.' }),
  ),
  until: s.nullable(
    s.string({
      maxLength: 40,
      description: 'The last start: an instant, or a date, which counts as a whole.',
      examples: ['2026-12-31'],
    }),
  ),
  by_day: s.nullable(
    s.array(s.string({ pattern: BY_DAY, examples: ['2tu'] }), {
      minItems: 1,
      maxItems: 50,
      description: 'Weekdays; with a number that one of the month or year, from the end if negative.',
    }),
  ),
}
const Recurrence = s.object(recurrenceMembers)
export type RecurrenceShape = s.Infer<typeof Recurrence>

const RecurrenceGiven = s.object({
  frequency: recurrenceMembers.frequency,
  interval: s.optional(recurrenceMembers.interval),
  count: s.optional(recurrenceMembers.count),
  until: s.optional(recurrenceMembers.until),
  by_day: s.optional(recurrenceMembers.by_day),
})
export type RecurrenceGiven = s.Infer<typeof RecurrenceGiven>

const reminders = s.array(
  s.object({ minutes_before: s.integer({ minimum: 0, maximum: REMINDER_MAX_MINUTES, description: 'Of the start.' }) }),
  { maxItems: REMINDERS_MAX, description: "Mails to the mailbox's own address." },
)

/** Calendar programs may set others than REST does. */
const shownReminders = s.array(s.object({ minutes_before: s.integer({ minimum: 0, description: 'Of the start.' }) }), {
  description: "Mails to the mailbox's own address.",
})

export const CalendarEvent = s.resource('CalendarEvent', 'calendar_event', {
  id: s.id(
    'cev_aaaaaaaaayaaaaaaaaaacwhgpxra',
    'Of an instance: the id of its event, `_`, and its original local time.',
  ),
  mailbox: s.string({ description: "Address of the calendar's owner.", examples: ['ada@example.com'] }),
  calendar_id: s.nullable(s.string()),
  uid: s.string({ examples: ['9d3a1c52-77aa-4c0e-8a5b-2f6d0e4b7c11'] }),
  title: s.nullable(s.string({ examples: ['Planning'] })),
  description: s.nullable(s.string()),
  location: s.nullable(s.string()),
  video_url: s.nullable(s.string()),
  conferencing_provider: s.nullable(s.oneOf(CONFERENCING_PROVIDERS, 'It makes the meeting whose link is `video_url`.')),
  conferencing_status: s.nullable(
    s.oneOf(CONFERENCING_STATUSES, '`pending`: the link is on its way. `failed`: `conferencing_note` says why.'),
  ),
  conferencing_note: s.nullable(s.string()),
  color: s.nullable(s.string()),
  all_day: s.boolean(),
  start: s.string({
    description: 'An instant in UTC; of an all-day event the date.',
    examples: ['2026-06-01T07:00:00.000Z'],
  }),
  end: s.string({
    description: 'An instant in UTC; of an all-day event the date after the last day.',
    examples: ['2026-06-01T07:30:00.000Z'],
  }),
  timezone: s.nullable(s.string({ description: 'null: all-day or floating.', examples: ['Europe/Berlin'] })),
  duration: s.nullable(s.string({ examples: ['PT30M'] })),
  status: s.nullable(s.oneOf(EVENT_STATUSES)),
  free_busy_status: s.nullable(s.oneOf(FREE_BUSY)),
  privacy: s.nullable(s.oneOf(PRIVACIES)),
  recurrence: s.nullable(Recurrence),
  recurrence_id: s.nullable(s.string({ description: "Original local time of an instance; an all-day one's date." })),
  reminders: shownReminders,
  organizer: s.nullable(s.object({ email: s.string(), name: s.nullable(s.string()) })),
  attendees: s.array(
    s.object({
      email: s.string({ examples: ['bob@example.org'] }),
      name: s.nullable(s.string()),
      status: s.oneOf(['needs-action', 'accepted', 'declined', 'tentative', 'delegated']),
      invitation_status: s.nullable(
        s.oneOf(
          ['failed'],
          'failed: the last message about the event could not be sent to the attendee, or came back. null: nothing has failed.',
        ),
      ),
    }),
  ),
  created_at: s.nullable(s.timestamp()),
  updated_at: s.nullable(s.timestamp()),
})
export type CalendarEventShape = s.Infer<typeof CalendarEvent>

/** Members that a client may write, beside `mailbox` and `title`. */
export const writableEvent = {
  calendar_id: s.optional(s.string({ description: 'Default: the default calendar of the mailbox.' })),
  description: s.optional(s.nullable(s.string({ maxLength: 100_000 }))),
  location: s.optional(s.nullable(s.string({ maxLength: 1_000 }))),
  video_url: s.optional(
    s.nullable(
      s.string({
        maxLength: 2_048,
        pattern: '^https?://[^\\s]+$',
        examples: ['https://meet.example.com/planning'],
      }),
    ),
  ),
  conferencing_provider: s.optional(
    s.nullable(
      s.oneOf(
        CONFERENCING_PROVIDERS,
        'It makes a meeting and keeps it like the event; it must be connected. null: none.',
      ),
    ),
  ),
  color: s.optional(s.nullable(s.string({ maxLength: 64, description: 'A name of CSS or `#rrggbb`.' }))),
  all_day: s.optional(s.boolean('`start` and `end` are dates. Changes only together with `start`.')),
  end: s.optional(
    s.string({ maxLength: 40, description: 'Instead of `duration`. Local like `start`, or an instant; exclusive.' }),
  ),
  timezone: s.optional(
    s.nullable(
      s.string({
        maxLength: 64,
        description: "IANA zone. Default: the owner's. null: floating.",
        examples: ['Europe/Berlin'],
      }),
    ),
  ),
  duration: s.optional(
    s.string({ maxLength: 64, description: 'ISO 8601. Default: PT30M; all-day P1D.', examples: ['PT30M'] }),
  ),
  status: s.optional(s.oneOf(EVENT_STATUSES)),
  free_busy_status: s.optional(s.oneOf(FREE_BUSY)),
  privacy: s.optional(s.oneOf(PRIVACIES)),
  recurrence: s.optional(s.nullable(RecurrenceGiven)),
  reminders: s.optional(s.nullable(reminders)),
  attendees: s.optional(
    s.array(
      s.object({
        email: s.string({ format: 'email', maxLength: 320, examples: ['bob@example.org'] }),
        name: s.optional(s.nullable(s.string({ maxLength: 200 }))),
      }),
      { maxItems: ATTENDEES_MAX, description: 'The full list. New ones are invited, removed ones get a cancellation.' },
    ),
  ),
  send_invitations: s.optional(s.boolean('false: attendees get no mail about this change. Default: true.')),
}
