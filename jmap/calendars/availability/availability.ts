import { AVAILABILITY_INTERNAL_MAX_DAYS } from '../../../server/base/booking-limits.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import { formatUTCDate, parseUTCDate } from '../../protocol/primitives.ts'
import { implement } from '../../type/method.ts'
import { isTimeZone } from '../recurrence/zone-offsets.ts'
import { AvailabilityGet } from './availability.type.ts'
import { busyTimes } from './busy-times.ts'
import { freeSlots, type SlotRules } from './slots.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export const availabilityMethod = implement(AvailabilityGet, async (method, args) => {
  const { from, to, intervalMinutes, ...given } = args
  const rules: SlotRules = { ...given, intervalMinutes: intervalMinutes ?? given.durationMinutes }
  // The schema has checked both.
  const within = { start: parseUTCDate(from)!, end: parseUTCDate(to)! }
  if (within.end <= within.start) throw invalidArguments('to is not after from.', ['to'])
  if (within.end - within.start > AVAILABILITY_INTERNAL_MAX_DAYS * DAY_MS)
    throw invalidArguments(`to is more than ${AVAILABILITY_INTERNAL_MAX_DAYS} days after from.`, ['to'])
  if (!isTimeZone(rules.timezone)) throw invalidArguments('timezone is no name of an IANA time zone.', ['timezone'])
  if (rules.windowStartMinutes >= rules.windowEndMinutes)
    throw invalidArguments('The window ends before it starts.', ['windowEndMinutes'])
  const buffer = rules.bufferMinutes * MINUTE_MS
  const account = method.account.number
  const around = { start: within.start - buffer, end: within.end + buffer }
  const busy = await method.read((reader) => busyTimes(method.services, reader, { account, within: around }))
  const slots = freeSlots({ rules, within, busy, now: method.services.clock.now() })
  return {
    accountId: method.account.id,
    slots: slots.map(({ start, end }) => ({ start: formatUTCDate(start), end: formatUTCDate(end) })),
  }
})
