/** Event/list: reads the events that `appendEvent` has written. */
import { MAX_QUERY_IDS } from '../../server/base/limits.ts'
import { EVENT_LIST_MS } from '../../server/base/webhook-limits.ts'
import { selectEvents } from '../../storage/repos/events.ts'
import { invalidArguments } from '../protocol/errors.ts'
import { epochOf } from '../protocol/primitives.ts'
import { implement } from '../type/method.ts'
import { EVENT_ID, envelopeObject } from './envelope.ts'
import { EventList } from './event.type.ts'
import { mayKnowWebhooks } from './stored.ts'

export const listEventsMethod = implement(EventList, async (method, { filter, limit }) => {
  const { services, account, request } = method
  const { ids, clock } = services
  const { eventType, after, before, olderThan } = filter ?? {}
  const decoded = olderThan && ids.decode(EVENT_ID, olderThan.eventId)
  if (olderThan && !decoded) throw invalidArguments('filter.olderThan is no place in the list.', ['filter'])
  const oldest = clock.now() - EVENT_LIST_MS
  const query = {
    organization: account.number,
    type: eventType ?? null,
    from: Math.max(oldest, after === undefined ? 0 : epochOf(after)),
    before: before === undefined ? null : epochOf(before),
    olderThan: decoded ? { at: epochOf(olderThan!.createdAt), account: decoded.account, number: decoded.object } : null,
  }
  // A key that is limited to some mailboxes or domains cannot read webhooks, and so no events.
  const isKnown = mayKnowWebhooks(request.principal)
  const most = Math.min(limit ?? MAX_QUERY_IDS, MAX_QUERY_IDS)
  const rows = isKnown ? await method.read((reader) => selectEvents(reader, query, most)) : []
  return { accountId: account.id, list: rows.map((row) => envelopeObject(ids, row)) }
})
