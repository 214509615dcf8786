/** CalendarEvent/get: JMAP Calendars 5.7. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { type CalendarEventRow, findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import { getOwn, isObject, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { OTHERS } from '../../type/define-type.ts'
import type { ExtraArguments } from '../../type/derived.ts'
import type { LoadRequest, ReadContext } from '../../type/handlers.ts'
import { objectId } from '../../type/object-id.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { formatLocal, formatUTC, localOfKey, parseLocal } from '../jscalendar/date-times.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import { RecurrenceError } from '../recurrence/work.ts'
import { CalendarEvent } from './calendar-event.type.ts'
import { intervalAt, intervalOf, UTC } from './event-times.ts'
import { OwnAddresses } from './own-addresses.ts'
import { hasInstance, preparedOf } from './recurrences.ts'
import { reduced } from './reduce-participants.ts'
import { eventOfRow, type StoredEvent } from './stored-event.ts'
import { isTimeZone } from './wall-time.ts'

type GetArguments = ExtraArguments<typeof CalendarEvent, 'get'>

export function checkGetEvents({ timeZone }: GetArguments, properties: readonly string[]): void {
  if (!isTimeZone(timeZone)) throw invalidArguments('timeZone is no name of an IANA time zone.', ['timeZone'])
  const asksUTC = properties.includes('utcStart') || properties.includes('utcEnd')
  // JMAP Calendars 5.7: overrides cannot be interpreted with times in UTC.
  if (asksUTC && properties.includes('recurrenceOverrides'))
    throw invalidArguments('utcStart and utcEnd do not go together with recurrenceOverrides.', ['properties'])
}

/** An event, or an instance of one as if it were an event. */
interface Shown {
  readonly stored: StoredEvent
  readonly event: JsonObject
  /** null: it is a whole event. */
  readonly recurrenceId: string | null
}

export async function loadEvents(
  { method, reader }: ReadContext,
  request: LoadRequest<typeof CalendarEvent>,
): Promise<Map<number, JsonObject>> {
  const account = method.account.number
  const { instances } = method.request
  const bases = new Set(request.numbers.map((number) => instances.instanceOf(number)?.object ?? number))
  const rows = new Map((await findCalendarEvents(reader, account, [...bases])).map((row) => [row.id, row]))
  const view = new View(method, request, new OwnAddresses(reader, account))
  const events = new Map<number, StoredEvent>()
  const found = new Map<number, JsonObject>()
  for (const number of request.numbers) {
    // Whether a rule makes an instance can take milliseconds.
    method.request.guard.check()
    const shown = findShown(method, rows, events, number)
    if (shown) found.set(number, await view.of(number, shown))
  }
  return found
}

function findShown(
  method: MethodContext,
  rows: ReadonlyMap<number, CalendarEventRow>,
  events: Map<number, StoredEvent>,
  number: number,
): Shown | null {
  const instance = method.request.instances.instanceOf(number)
  const row = rows.get(instance?.object ?? number)
  if (!row) return null
  const stored = events.get(row.id) ?? eventOfRow(row)
  events.set(row.id, stored)
  if (!instance) return { stored, event: stored.event, recurrenceId: null }
  const recurrenceId = formatLocal(localOfKey(instance.key))
  return instanceShown(method, stored, recurrenceId)
}

/** null: the event has no instance of that recurrence id. */
export function instanceShown(method: MethodContext, stored: StoredEvent, recurrenceId: string): Shown | null {
  const { event } = stored
  if (event.recurrenceRule === undefined && event.recurrenceOverrides === undefined) return null
  try {
    if (!hasInstance(preparedOf(method.services.store, method.account.number, stored), event, recurrenceId)) return null
  } catch (error) {
    if (error instanceof RecurrenceError) return null
    throw error
  }
  const instance = instanceOf(event, recurrenceId)
  return instance && { stored, event: instance, recurrenceId }
}

/** JMAP Calendars 5.7: they are set with every whole object. */
const OF_INSTANCES: JsonObject = { recurrenceRule: null, recurrenceOverrides: null }

class View {
  readonly #method: MethodContext
  readonly #properties: ReadonlySet<string>
  readonly #isWhole: boolean
  readonly #args: Partial<GetArguments>
  readonly #own: OwnAddresses

  constructor(method: MethodContext, { properties, args }: LoadRequest<typeof CalendarEvent>, own: OwnAddresses) {
    this.#method = method
    this.#properties = new Set(properties)
    this.#isWhole = properties.includes(OTHERS)
    this.#args = args
    this.#own = own
  }

  async of(number: number, { stored, event, recurrenceId }: Shown): Promise<JsonObject> {
    const shown: MutableJsonObject = {}
    const source = await this.#limited(event)
    for (const [name, value] of Object.entries(source))
      if (this.#properties.has(name) || (this.#isWhole && !Object.hasOwn(CalendarEvent.properties, name)))
        setOwn(shown, name, value)
    const added = await this.#added(number, stored, event, recurrenceId)
    for (const [name, value] of Object.entries(added)) if (this.#properties.has(name)) shown[name] = value
    return shown
  }

  async #added(
    number: number,
    stored: StoredEvent,
    event: JsonObject,
    recurrenceId: string | null,
  ): Promise<JsonObject> {
    const method = this.#method
    const asksUTC = this.#properties.has('utcStart') || this.#properties.has('utcEnd')
    // A whole event has no base; the property is shown if it is asked for by name.
    const base = recurrenceId === null ? null : method.id(CalendarEvent, stored.number)
    return {
      id: objectId(method, CalendarEvent, number),
      ...((base !== null || !this.#isWhole) && { baseEventId: base }),
      calendarIds: Object.fromEntries(stored.calendars.map((calendar) => [method.id(Calendar, calendar), true])),
      isDraft: stored.isDraft,
      ...(this.#properties.has('isOrigin') && { isOrigin: await this.#own.isOrigin(stored.event) }),
      ...(asksUTC && timesOf(event, this.#args.timeZone ?? UTC)),
      ...(recurrenceId !== null && !this.#isWhole && OF_INSTANCES),
    }
  }

  /** Without what the arguments leave out. */
  async #limited(event: JsonObject): Promise<JsonObject> {
    const { recurrenceOverridesBefore: before, recurrenceOverridesAfter: after, reduceParticipants } = this.#args
    const kept = reduceParticipants ? await reduced(event, this.#own) : event
    const overrides = getOwn(kept, 'recurrenceOverrides')
    if (!isObject(overrides) || ((before ?? null) === null && (after ?? null) === null)) return kept
    const zone = zoneOf(event)
    const isWithin = (recurrenceId: string) => {
      const { start } = intervalAt(parseLocal(recurrenceId) ?? 0, { days: 0, ms: 0 }, zone)
      return start < timeOr(before, Number.POSITIVE_INFINITY) && start >= timeOr(after, Number.NEGATIVE_INFINITY)
    }
    const within = Object.entries(overrides).filter(([recurrenceId]) => isWithin(recurrenceId))
    return { ...kept, recurrenceOverrides: Object.fromEntries(within) }
  }
}

function zoneOf(event: JsonObject): string {
  return typeof event['timeZone'] === 'string' ? event['timeZone'] : UTC
}

function timeOr(date: string | null | undefined, otherwise: number): number {
  return typeof date === 'string' ? (parseUTCDate(date) ?? otherwise) : otherwise
}

function timesOf(event: JsonObject, floating: string): { readonly [name: string]: Json } {
  const { start, duration, timeZone } = event
  const interval = intervalOf(
    {
      start: typeof start === 'string' ? start : '',
      duration: typeof duration === 'string' ? duration : undefined,
      timeZone: typeof timeZone === 'string' ? timeZone : null,
    },
    floating,
  )
  return { utcStart: formatUTC(interval.start), utcEnd: formatUTC(interval.end) }
}
