/** What the server sets in an event that has a meeting. */
import type { Reader } from '../../../storage/ports.ts'
import type { SetError } from '../../protocol/errors.ts'
import { type Conferencing, type ConferencingProvider, linkOf, MEETING_LOCATION } from '../jscalendar/conferencing.ts'
import type { Event } from '../jscalendar/event.ts'
import type { VirtualLocation } from '../jscalendar/location.ts'
import { findConnection, notConnected } from './connections.ts'
import { newRoom } from './url-template.ts'

/**
 * The event as it is stored: a client chooses the provider, the server sets the rest. A link that needs no answer of the provider is set
 * at once.
 * @param before the event that is changed; null: it is new
 */
export async function withMeeting(
  reader: Reader,
  account: number,
  before: Event | null,
  after: Event,
): Promise<{ readonly event: Event } | { readonly error: SetError }> {
  const had = before?.conferencing ?? null
  const provider = after.conferencing?.provider ?? null
  if (provider === null) return { event: had === null ? after : withoutLink(before!, after) }
  // RFC 8620 5.3: what the server sets, a client does not.
  if (had?.provider === provider) return { event: { ...after, conferencing: had } }
  const connection = await findConnection(reader, account, provider)
  if (!connection) return { error: notConnected(provider, 'conferencing') }
  const event = before === null ? after : withoutLink(before, after)
  const { urlTemplate } = connection.data
  return {
    event:
      urlTemplate === null
        ? { ...event, conferencing: { provider, status: 'pending' } }
        : withLink(event, provider, newRoom(urlTemplate)),
  }
}

export function withLink(event: Event, provider: ConferencingProvider, uri: string): Event {
  const { [MEETING_LOCATION]: _old, ...others } = event.virtualLocations ?? {}
  const meeting: VirtualLocation = { '@type': 'VirtualLocation', uri, features: { video: true } }
  return {
    ...event,
    conferencing: { provider, status: 'ready' },
    virtualLocations: { [MEETING_LOCATION]: meeting, ...others },
  }
}

/** The meeting could not be made or changed. */
export function withFailure(event: Event, { provider }: Conferencing, note: string): Event {
  return { ...event, conferencing: { provider, status: 'failed', note } }
}

/** Without the meeting. A link that the client has put in its place stays. */
function withoutLink(before: Event, { conferencing: _gone, virtualLocations, ...event }: Event): Event {
  const { [MEETING_LOCATION]: meeting, ...others } = virtualLocations ?? {}
  const isOwn = meeting !== undefined && meeting.uri === linkOf(before)
  const left = isOwn ? others : (virtualLocations ?? {})
  return { ...event, ...(Object.keys(left).length > 0 && { virtualLocations: left }) }
}
