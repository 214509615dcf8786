/**
 * Event/list (vendor): the events of an organization of the last 30 days, the newest first, whether or not a webhook wants them. An
 * event is the envelope that webhooks get.
 */
import type { JsonObject } from '../../server/base/json.ts'
import { declareMethod } from '../type/method-declaration.ts'
import { p } from '../type/property.ts'
import { WEBHOOK_METHOD, WEBHOOK_SCOPES } from './webhook.type.ts'

/** Position in the list. */
const EventPlace = p.object({ createdAt: p.utcDate(), eventId: p.id() })
export type EventPlace = (typeof EventPlace)['is']['type']

const Event = p.object({
  event_id: p.id(),
  event_type: p.string(),
  created_at: p.string(),
  data: p.json<JsonObject>({ type: 'object' }),
})

export const EventList = declareMethod({
  ...WEBHOOK_METHOD,
  name: 'Event/list',
  scope: WEBHOOK_SCOPES.read,
  writes: false,
  args: {
    filter: p
      .object({
        eventType: p.string().maybe(),
        // Of that time or later, and before that time.
        after: p.utcDate().maybe(),
        before: p.utcDate().maybe(),
        olderThan: EventPlace.maybe(),
      })
      .nullable()
      .defaults(null),
    limit: p.uint().nullable().defaults(null),
  },
  answer: { list: p.list(Event) },
})
