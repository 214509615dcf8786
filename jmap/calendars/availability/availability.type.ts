import {
  BUFFER_MAX_MINUTES,
  NOTICE_MAX_MINUTES,
  SLOT_DEFAULT_MINUTES,
  SLOT_MAX_MINUTES,
  SLOT_MIN_MINUTES,
  WINDOW_DEFAULT_END,
  WINDOW_DEFAULT_START,
  WINDOW_MAX,
  WORKING_DAYS,
} from '../../../server/base/booking-limits.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { declareMethod } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'

/** Free slots of a mailbox's calendars (decision D22), for at most AVAILABILITY_INTERNAL_MAX_DAYS. */
export const AvailabilityGet = declareMethod({
  name: 'Availability/get',
  capability: SERVICE,
  accounts: 'mailbox',
  scope: 'calendar:read',
  writes: false,
  // Rules that were not prepared yet take milliseconds of CPU each.
  weight: 'much',
  args: {
    from: p.utcDate(),
    to: p.utcDate(),
    durationMinutes: p.uint({ minimum: SLOT_MIN_MINUTES, maximum: SLOT_MAX_MINUTES }).defaults(SLOT_DEFAULT_MINUTES),
    /** Between the starts of two candidates; null: the duration. */
    intervalMinutes: p.uint({ minimum: SLOT_MIN_MINUTES, maximum: SLOT_MAX_MINUTES }).nullable().defaults(null),
    /** IANA zone of the days and of the window. */
    timezone: p.string({ maxLength: 64 }).defaults('UTC'),
    /** 0 is Sunday. */
    days: p.list(p.uint({ maximum: 6 }), { minItems: 1, maxItems: 7 }).defaults([...WORKING_DAYS]),
    windowStartMinutes: p.uint({ maximum: WINDOW_MAX }).defaults(WINDOW_DEFAULT_START),
    windowEndMinutes: p.uint({ maximum: WINDOW_MAX }).defaults(WINDOW_DEFAULT_END),
    bufferMinutes: p.uint({ maximum: BUFFER_MAX_MINUTES }).defaults(0),
    minimumNoticeMinutes: p.uint({ maximum: NOTICE_MAX_MINUTES }).defaults(0),
  },
  answer: {
    /** In ascending order. */
    slots: p.list(p.object({ start: p.utcDate(), end: p.utcDate() })),
  },
})
