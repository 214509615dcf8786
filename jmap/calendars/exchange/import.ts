import {
  IMPORT_MAX_BYTES,
  IMPORT_MAX_EVENTS,
  IMPORT_MAX_FAILURES,
} from '../../../server/base/calendar-exchange-limits.ts'
import { openBlob } from '../../mail/blob/blobs.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { type MethodContext, requireThere } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import { findStored } from '../../type/object-store.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { requireDefaultCalendar } from '../calendar/calendars.ts'
import type { CalendarSteps } from '../icalendar/read-steps.ts'
import { formatUTC } from '../jscalendar/date-times.ts'
import type { Event } from '../jscalendar/event.ts'
import { CalendarEventImport } from './exchange.type.ts'
import { type Imported, importEvent } from './import-event.ts'

export const importEventsMethod = implement(CalendarEventImport, async (method, args) => {
  const calendar = await calendarOf(method, args.calendarId)
  const read = await readFile(method, args)
  const tally = new Tally()
  const told = (refused: string | null) => ({
    accountId: method.account.id,
    calendarId: method.id(Calendar, calendar),
    refused,
    ...tally.counts,
    failures: tally.failures,
  })
  const fault = 'refusal' in read ? read.refusal : faultOf(read)
  if ('refusal' in read || fault !== null) return told(fault)
  for (const { uid, message } of read.failures) tally.fail(uid, message)
  tally.counts.failed = read.leftOut
  // What is stored takes no memory any more.
  for (let step = read.steps.shift(); step !== undefined; step = read.steps.shift())
    tally.add(await storeStep(method, JSON.parse(Buffer.from(step).toString()), calendar))
  return told(null)
})

/** The octets of the file are no longer in memory afterwards. */
async function readFile(method: MethodContext, given: Parameters<typeof octetsOf>[1]) {
  const bytes = await octetsOf(method, given)
  if (bytes.length > IMPORT_MAX_BYTES) return { refusal: `A calendar file has at most ${IMPORT_MAX_BYTES} octets.` }
  const { messageWork, clock } = method.services
  return messageWork.readCalendarSteps(bytes, formatUTC(Math.floor(clock.now() / 1000) * 1000))
}

async function octetsOf(
  method: MethodContext,
  { blobId, 'data:asBase64': base64 }: { readonly blobId: string | null; readonly 'data:asBase64': string | null },
): Promise<Uint8Array> {
  if ((blobId === null) === (base64 === null))
    throw invalidArguments('Give blobId or data:asBase64.', ['blobId', 'data:asBase64'])
  if (base64 !== null) return Buffer.from(base64, 'base64')
  const { services, request, account } = method
  const blob = await openBlob(services, request.principal.credential, account.number, method.resolveId(blobId!))
  if (!blob) throw new MethodError('notFound', 'There is no such blob.')
  if (blob.size > IMPORT_MAX_BYTES) throw new MethodError('tooLarge', `At most ${IMPORT_MAX_BYTES} octets.`)
  return blob.read()
}

async function calendarOf(method: MethodContext, given: string | null): Promise<number> {
  const account = method.account.number
  if (given !== null) {
    const number = method.number(Calendar, method.resolveId(given))
    const found = await method.read((reader) => findStored(reader, account, Calendar, number))
    if (!found) throw invalidArguments('There is no such calendar.', ['calendarId'])
    return found.id
  }
  return method.services.store.write([account], async (work) => {
    const unit = work.account(account)
    requireThere(unit)
    return (await requireDefaultCalendar(unit)).id
  })
}

/** Methods whose events are those of a calendar; others are about events that somebody has (RFC 5546 1.4). */
const METHODS = [null, 'publish', 'request']

function faultOf({ method, count, leftOut }: CalendarSteps): string | null {
  if (!METHODS.includes(method))
    return `The file is a scheduling message (METHOD:${method?.toUpperCase().slice(0, 100)}), which has no events to import.`
  if (count > IMPORT_MAX_EVENTS)
    return `The file has ${count} events; at most ${IMPORT_MAX_EVENTS} are imported at once.`
  return count + leftOut === 0 ? 'The file has no events.' : null
}

interface Stored {
  readonly uid: string
  readonly imported: Imported
}

async function storeStep(method: MethodContext, events: readonly Event[], calendar: number): Promise<Stored[]> {
  const { services, account } = method
  return services.store.write([account.number], async (work) => {
    const unit = work.account(account.number)
    requireThere(unit)
    const isThere = (await findStored(unit, account.number, Calendar, calendar)) !== null
    const stored: Stored[] = []
    for (const event of events) {
      const imported: Imported = isThere
        ? await importEvent({ services, work, unit }, event, calendar)
        : { failed: 'The calendar was deleted meanwhile.' }
      stored.push({ uid: event.uid, imported })
    }
    return stored
  })
}

class Tally {
  readonly counts = { created: 0, updated: 0, skipped: 0, failed: 0 }
  readonly failures: { readonly uid: string | null; readonly message: string }[] = []

  fail(uid: string | null, message: string): void {
    if (this.failures.length < IMPORT_MAX_FAILURES) this.failures.push({ uid, message })
  }

  add(stored: readonly Stored[]): void {
    for (const { uid, imported } of stored) {
      if (typeof imported === 'string') this.counts[imported]++
      else {
        this.counts.failed++
        this.fail(uid, imported.failed)
      }
    }
  }
}
