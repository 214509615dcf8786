/** CalendarEvent/parse: JMAP Calendars 5.13. */
import { PARSE_MAX_BLOBS, PARSE_MAX_BYTES } from '../../../server/base/calendar-data-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { openBlob } from '../../mail/blob/blobs.ts'
import { MethodError } from '../../protocol/errors.ts'
import { getOwn, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import { formatUTC } from '../jscalendar/date-times.ts'
import { CalendarEventParse } from './parse.type.ts'

export const parseEventsMethod = implement(CalendarEventParse, async (method, { blobIds, properties }) => {
  const ids = [...new Set(blobIds)]
  if (ids.length > PARSE_MAX_BLOBS) throw new MethodError('requestTooLarge', `At most ${PARSE_MAX_BLOBS} blobs.`)
  const parsed: { [blobId: string]: readonly JsonObject[] } = {}
  const notFound: string[] = []
  const notParsable: string[] = []
  for (const given of ids) {
    const id = method.resolveId(given)
    const { services, request, account } = method
    const blob = await openBlob(services, request.principal.credential, account.number, id)
    const events = blob && blob.size <= PARSE_MAX_BYTES ? await eventsIn(method, await blob.read()) : null
    if (!blob) notFound.push(given)
    else if (events === null || events.length === 0) notParsable.push(given)
    else
      setOwn(
        parsed,
        id,
        events.map((event) => shownEvent(event, properties)),
      )
  }
  const orNull = <T extends object>(value: T) => (Object.keys(value).length > 0 ? value : null)
  return {
    accountId: method.account.id,
    parsed: orNull(parsed),
    notFound: orNull(notFound),
    notParsable: orNull(notParsable),
  }
})

/** null: it is no iCalendar. */
async function eventsIn({ services }: MethodContext, bytes: Uint8Array): Promise<readonly JsonObject[] | null> {
  const now = formatUTC(Math.floor(services.clock.now() / 1000) * 1000)
  const calendar = await services.messageWork.readCalendar(bytes, now)
  return 'refusal' in calendar ? null : calendar.events
}

/** JMAP Calendars 5.13: properties of stored events are null. */
const OF_STORED: readonly string[] = ['id', 'baseEventId', 'calendarIds', 'isDraft', 'isOrigin']

function shownEvent(event: JsonObject, properties: readonly string[] | null): JsonObject {
  if (properties === null) return event
  const shown: MutableJsonObject = {}
  for (const name of properties) {
    const value = OF_STORED.includes(name) ? null : getOwn(event, name)
    if (value !== undefined) setOwn(shown, name, value)
  }
  return shown
}
