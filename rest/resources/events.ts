import { formatUTCDate } from '../../jmap/protocol/primitives.ts'
import { EventList, type EventPlace } from '../../jmap/webhooks/event.type.ts'
import { call } from '../calls/jmap-calls.ts'
import { endpoint } from '../endpoint.ts'
import { WEBHOOK_EVENT_TYPES } from '../openapi/webhook-events.ts'
import { closePage, cursorPage, openPage, pageQuery } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { timeFilters, toTimes } from '../schema/time-filters.ts'
import { TAG } from './webhooks.ts'

const Event = s.resource('Event', 'event', {
  event_id: s.id('evt_aaaaaaaaaeaaaaaaaaaaipjaxmoq', 'The same in every delivery of the event.'),
  event_type: s.string({ examples: ['message.delivered'] }),
  created_at: s.timestamp(),
  data: s.map(s.anything(), { description: "As in the webhook's request; its members depend on event_type." }),
})

export const listEvents = endpoint({
  method: 'GET',
  path: '/v1/events',
  operationId: 'listEvents',
  tag: TAG,
  summary: 'List events, newest first',
  description:
    'All events of the last 30 days, whether or not a webhook subscribes to them. A key that is limited to some mailboxes or domains gets none.',
  scope: 'webhooks:read',
  query: s.object({
    type: s.optional(s.oneOf(WEBHOOK_EVENT_TYPES, 'Only events of this type.')),
    ...timeFilters('created', 'events'),
    ...pageQuery,
  }),
  response: cursorPage(Event),
  async run(input, jmap) {
    const { organization: accountId, query } = input
    const { type, created_after, created_before } = query
    const page = openPage<EventPlace>(input, 'events', { type, created_after, created_before })
    const { type: eventType, ...times } = page.filters
    const filter = {
      ...(eventType !== undefined && { eventType }),
      ...toTimes(times, { created_after: 'after', created_before: 'before' }),
      ...(page.after !== null && { olderThan: page.after }),
    }
    const { events } = await jmap.call({ events: call(EventList, { accountId, filter, limit: page.fetch }) })
    const list = events.list.map((event) => ({ id: event.event_id, ...event }))
    const ids = list.map(({ id }) => id)
    const placeOf = ({ id, created_at }: (typeof list)[number]) => {
      return { createdAt: formatUTCDate(Date.parse(created_at)), eventId: id }
    }
    return closePage(page, { ids, list }, placeOf, ({ id: _id, ...event }) => ({ object: 'event' as const, ...event }))
  },
})

export const eventEndpoints = [listEvents]
