/** Secret URLs of calendars for programs that subscribe (decision D32). */
import { MAX_CALENDAR_FEEDS } from '../../server/base/calendar-exchange-limits.ts'
import { knownId } from '../access/ids.ts'
import { checkCalendar, openCalendar } from '../calendar/open-calendar.ts'
import { created, destroyed, get, onlyOne, set } from '../calls/jmap-calls.ts'
import { openAddress } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import type { JmapObjects } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { mailbox, TAG } from './calendar-events.ts'

const shape = {
  id: s.id('cfd_aaaaaaaaayaaaaaaaaaacwhgpxra'),
  mailbox: s.string({ examples: ['ada@example.com'] }),
  calendar_id: s.nullable(s.string({ description: 'null: the events of all calendars.' })),
  created_at: s.timestamp(),
}

const CalendarFeed = s.resource('CalendarFeed', 'calendar_feed', shape)
const NewCalendarFeed = s.resource('NewCalendarFeed', 'calendar_feed', {
  ...shape,
  url: s.string({
    description: 'Who knows it may read the calendar. It is returned here and never again.',
    examples: ['https://mail.example.com/calendar/feeds/3-1q-4fT9xQ2kq0.ics'],
  }),
})

const PATH_EXAMPLES = { feed_id: 'cfd_aaaaaaaaayaaaaaaaaaacwhgpxra' }

const RULES = {
  what: 'feed',
  fields: { calendarId: 'calendar_id' },
  details: { calendarId: 'unknown_reference' },
} as const

export const createCalendarFeed = endpoint({
  method: 'POST',
  path: '/v1/calendar/feeds',
  operationId: 'createCalendarFeed',
  tag: TAG,
  summary: 'Make a secret URL of a calendar to subscribe to',
  description: [
    'Calendar programs read the URL as iCalendar, with `https:` or `webcal:`. It shows public events; private ones only as busy times;',
    'secret events, drafts and alerts not at all. It works until the feed is deleted.',
  ].join(' '),
  scope: 'calendar:write',
  body: s.object({
    mailbox,
    calendar_id: s.optional(
      s.nullable(s.string({ description: 'Default: the events of all calendars of the mailbox.' })),
    ),
  }),
  bodyExample: { mailbox: 'ada@example.com' },
  status: 201,
  response: NewCalendarFeed,
  errors: ['not_found', 'mailbox_access_denied', 'quota_exceeded'],
  async run(input, jmap) {
    const { mailbox: address, calendar_id: given = null } = input.body
    const calendar = await openCalendar(input, jmap, address)
    const calendarId = given === null ? null : checkCalendar(calendar, given)
    const { made } = await jmap.call({
      made: set('CalendarFeed', { accountId: calendar.mailbox.id, create: { feed: { calendarId } } }),
    })
    const { id, path, createdAt } = created(made, 'feed', RULES)
    return {
      object: 'calendar_feed' as const,
      id,
      mailbox: calendar.mailbox.address,
      calendar_id: calendarId,
      created_at: instant(createdAt!),
      url: `${input.baseUrl}${path}`,
    }
  },
})

export const listCalendarFeeds = endpoint({
  method: 'GET',
  path: '/v1/calendar/feeds',
  operationId: 'listCalendarFeeds',
  tag: TAG,
  summary: 'List the feeds of a mailbox',
  description: `Without their URLs, oldest first. A mailbox has at most ${MAX_CALENDAR_FEEDS}.`,
  scope: 'calendar:read',
  query: s.object({ mailbox }),
  response: s.resource('CalendarFeeds', 'calendar_feeds', { mailbox: shape.mailbox, data: s.array(CalendarFeed) }),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { id: accountId, address } = await openAddress(input, jmap, input.query.mailbox)
    const { found } = await jmap.call({ found: get('CalendarFeed', { accountId, ids: null }) })
    const data = found.list.map((feed) => shownFeed(feed, address))
    return { object: 'calendar_feeds' as const, mailbox: address, data }
  },
})

export const getCalendarFeed = endpoint({
  method: 'GET',
  path: '/v1/calendar/feeds/{feed_id}',
  operationId: 'getCalendarFeed',
  pathExamples: PATH_EXAMPLES,
  tag: TAG,
  summary: 'Get a feed',
  description: 'Without its URL, which only the answer to its creation has.',
  scope: 'calendar:read',
  query: s.object({ mailbox }),
  response: CalendarFeed,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { id: accountId, address } = await openAddress(input, jmap, input.query.mailbox)
    const ids = [knownId(input.params.feed_id, 'feed')]
    const { found } = await jmap.call({ found: get('CalendarFeed', { accountId, ids }) })
    return shownFeed(onlyOne(found, 'feed'), address)
  },
})

export const deleteCalendarFeed = endpoint({
  method: 'DELETE',
  path: '/v1/calendar/feeds/{feed_id}',
  operationId: 'deleteCalendarFeed',
  resource: getCalendarFeed,
  pathExamples: PATH_EXAMPLES,
  tag: TAG,
  summary: 'Delete a feed',
  description: 'Its URL answers 404 from then on.',
  scope: 'calendar:write',
  query: s.object({ mailbox }),
  status: 204,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { id: accountId } = await openAddress(input, jmap, input.query.mailbox)
    const id = knownId(input.params.feed_id, 'feed')
    const { gone } = await jmap.call({ gone: set('CalendarFeed', { accountId, destroy: [id] }) })
    destroyed(gone, id, RULES)
    return null
  },
})

function shownFeed({ id, calendarId, createdAt }: JmapObjects['CalendarFeed'], address: string) {
  return {
    object: 'calendar_feed' as const,
    id,
    mailbox: address,
    calendar_id: calendarId,
    created_at: instant(createdAt),
  }
}

export const calendarFeedEndpoints = [createCalendarFeed, listCalendarFeeds, getCalendarFeed, deleteCalendarFeed]
