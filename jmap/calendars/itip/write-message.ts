/** A message as iCalendar text, and the facts for the words beside it. */

import type { Json, JsonObject } from '../../../server/base/json.ts'
import { SCHEDULING_MAX_CHARS } from '../../../server/base/scheduling-limits.ts'
import { isObject } from '../../protocol/json-object.ts'
import { writeICalendar } from '../icalendar/write-icalendar.ts'
import { formatUTC } from '../jscalendar/date-times.ts'
import { textOf } from './invited.ts'
import { planReplies } from './plan-replies.ts'
import { planRequests } from './plan-requests.ts'
import type { AttachedLink, PlannedMessage, SchedulingJob, ShownFacts, WrittenMessage } from './scheduling-job.ts'
import { eventsOf } from './shown-event.ts'
import { videoOf } from './video.ts'

const PROD_ID = '-//Posthouse//Calendar//EN'

/** In the order in which they are sent. The same job gives the same messages. */
export function planMessages(job: SchedulingJob): PlannedMessage[] {
  return job.isOrigin ? planRequests(job) : planReplies(job)
}

/**
 * null: there is nothing to send.
 * @throws ICalendarError if the text becomes too large
 */
export function writeMessage(job: SchedulingJob, message: PlannedMessage): WrittenMessage | null {
  const events = eventsOf(job, message)
  const [first] = events
  if (first === undefined) return null
  const now = formatUTC(Math.floor(job.at / 1000) * 1000)
  return {
    text: writeICalendar(events, { now, prodId: PROD_ID, method: message.method, maxChars: SCHEDULING_MAX_CHARS }),
    attached: attachedIn(events),
    shown: { ...factsOf(first), comment: message.method === 'REPLY' ? commentOf(first) : null },
  }
}

/** Links with a blobId that have a Content-ID, each file once; also those of instances. */
function attachedIn(events: readonly Json[]): AttachedLink[] {
  const found = new Map<string, AttachedLink>()
  const waiting = [...events]
  for (const value of waiting) {
    if (!isObject(value)) continue
    for (const [name, member] of Object.entries(value)) {
      const at = name.endsWith('/blobId') ? name.slice(0, -'blobId'.length) : ''
      const isNamed = name === 'blobId' || at !== ''
      if (isNamed && typeof member === 'string' && textOf(value[`${at}href`])?.startsWith('cid:') && !found.has(member))
        found.set(member, {
          blobId: member,
          title: textOf(value[`${at}title`]),
          contentType: textOf(value[`${at}contentType`]),
        })
      waiting.push(member)
    }
  }
  return [...found.values()]
}

function factsOf(event: JsonObject): Omit<ShownFacts, 'comment'> {
  const { locations, mainLocationId } = event
  const places = isObject(locations) ? locations : {}
  const place = places[textOf(mainLocationId) ?? ''] ?? Object.values(places)[0]
  const video = videoOf(event)
  const location = isObject(place) ? textOf(place['name']) : null
  return {
    title: textOf(event['title']),
    start: textOf(event['start']) ?? '',
    duration: textOf(event['duration']),
    timeZone: textOf(event['timeZone']),
    isAllDay: event['showWithoutTime'] === true,
    recurs: event['recurrenceRule'] !== undefined,
    location: location === video ? null : location,
    video,
    description: textOf(event['description']),
    locale: textOf(event['locale']),
  }
}

/** Of the only participant. */
function commentOf({ participants }: JsonObject): string | null {
  const [own] = Object.values(isObject(participants) ? participants : {})
  return isObject(own) ? textOf(own['participationComment']) : null
}
