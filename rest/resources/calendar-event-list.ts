import { EVENT_PAGE_DEFAULT, EVENT_PAGE_MAX, MAX_EXPANDED_QUERY_DAYS } from '../../server/base/calendar-data-limits.ts'
import { type EventPlace, eventsOfPage, firstOfPage } from '../calendar/list-events.ts'
import { checkCalendar, inCalendar } from '../calendar/open-calendar.ts'
import { endpoint } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import { cursorPage, openPage } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { parseTime } from '../schema/timestamps.ts'
import { CalendarEvent } from '../shapes/calendar-event.ts'
import { mailbox, TAG } from './calendar-events.ts'

const DAY_MS = 86_400_000

const isYes = (text: string) => ['true', '1', 'yes'].includes(text)

export const listCalendarEvents = endpoint({
  method: 'GET',
  path: '/v1/calendar/events',
  operationId: 'listCalendarEvents',
  tag: TAG,
  summary: 'List the events of a time, by start',
  description:
    'Events that overlap the time from `from` to `to`. A recurring event is one item if any of its instances does; with `expand` each instance is an item.',
  scope: 'calendar:read',
  query: s.object({
    mailbox,
    from: s.timestamp(),
    to: s.timestamp(`After \`from\`; with \`expand\` at most ${MAX_EXPANDED_QUERY_DAYS} days.`),
    expand: s.withDefault(s.oneOf(['true', '1', 'yes', 'false', '0', 'no'], 'Recurring events as instances.'), 'false'),
    calendar_id: s.optional(s.string({ description: 'Only events of this calendar.' })),
    cursor: s.optional(
      s.string({ minLength: 1, description: '`next_cursor` of the previous page, with the same parameters.' }),
    ),
    limit: s.withDefault(
      s.integer({ minimum: 1, maximum: EVENT_PAGE_MAX, description: 'Items in the page.' }),
      EVENT_PAGE_DEFAULT,
    ),
  }),
  response: cursorPage(CalendarEvent),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { query } = input
    const { calendar_id: calendarId, limit } = query
    // The schema has checked both.
    const [from, to] = [parseTime(query.from)!, parseTime(query.to)!]
    const expand = isYes(query.expand)
    if (to <= from) throw invalid('to', 'out_of_range', 'to is after from.')
    if (expand && to - from > MAX_EXPANDED_QUERY_DAYS * DAY_MS)
      throw invalid('to', 'out_of_range', `With expand, to is at most ${MAX_EXPANDED_QUERY_DAYS} days after from.`)
    const window = { from, to, expand, calendarId }
    const pageOf = (accountId: string) =>
      openPage<EventPlace>(input, 'calendar-events', {
        mailbox: accountId,
        from: String(from),
        to: String(to),
        expand: String(expand),
        calendar_id: calendarId ?? '',
      })
    const { calendar, answers } = await inCalendar(input, jmap, query.mailbox, (place) =>
      firstOfPage(place, window, pageOf(place.accountId)),
    )
    if (calendarId !== undefined) checkCalendar(calendar, calendarId)
    const page = pageOf(calendar.mailbox.id)
    const found = await eventsOfPage(jmap, calendar, window, page, answers)
    const events = found.slice(0, limit)
    const last = events.at(-1)
    const hasMore = found.length > limit && last !== undefined
    const { principal, cursors } = input
    const after = last && { id: last.id, start: last.start, position: last.position }
    const next = hasMore
      ? cursors.encode({ list: page.list, organization: principal.organization, filters: page.filters, after })
      : null
    return {
      data: events.map(({ position: _position, ...event }) => event),
      pagination: { next_cursor: next, has_more: hasMore, limit },
    }
  },
})
