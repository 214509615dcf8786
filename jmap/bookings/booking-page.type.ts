import {
  BOOKING_PAGE_ADVANCE_DEFAULT,
  BOOKING_PAGE_ADVANCE_MAX,
  BOOKING_PAGE_DESCRIPTION_MAX_CHARS,
  BOOKING_PAGE_DURATION_MAX,
  BOOKING_PAGE_NAME_MAX_CHARS,
  BOOKING_PAGE_NOTICE_DEFAULT,
  BUFFER_MAX_MINUTES,
  EMBED_ORIGINS_MAX,
  NOTICE_MAX_MINUTES,
  SLOT_DEFAULT_MINUTES,
  SLOT_MIN_MINUTES,
  WINDOW_DEFAULT_END,
  WINDOW_DEFAULT_START,
  WINDOW_MAX,
  WORKING_DAYS,
} from '../../server/base/booking-limits.ts'
import { CONFERENCING_PROVIDERS } from '../calendars/jscalendar/conferencing.ts'
import { SERVICE } from '../type/capabilities.ts'
import { defineType, objectStorage } from '../type/define-type.ts'
import type { StoredOf } from '../type/derived.ts'
import { p } from '../type/property.ts'

export const SLUG_PATTERN = '^[a-z0-9](?:[a-z0-9-]{1,62}[a-z0-9])?$'

/** A public page on which anybody can book a time of a mailbox's owner (decision D23). Slots are never stored. */
export const BookingPage = defineType({
  name: 'BookingPage',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'bkp',
  accounts: 'organization',
  storage: objectStorage(),
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    /** Whose calendar it books. A change concerns new bookings only (decision D32). */
    mailboxId: p.id(),
    /** Address of that mailbox. */
    mailbox: p.string().server(),
    /** Last part of its public path. By default it is made from the name. */
    slug: p.string({ maxLength: 64 }).defaults(''),
    name: p.string({
      minLength: 1,
      maxLength: BOOKING_PAGE_NAME_MAX_CHARS,
      pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
    }),
    description: p.string({ maxLength: BOOKING_PAGE_DESCRIPTION_MAX_CHARS }).nullable().defaults(null),
    durationMinutes: p
      .uint({ minimum: SLOT_MIN_MINUTES, maximum: BOOKING_PAGE_DURATION_MAX })
      .defaults(SLOT_DEFAULT_MINUTES),
    /** 0 is Sunday. */
    availabilityDays: p.list(p.uint({ maximum: 6 }), { minItems: 1, maxItems: 7 }).defaults([...WORKING_DAYS]),
    windowStartMinutes: p.uint({ maximum: WINDOW_MAX }).defaults(WINDOW_DEFAULT_START),
    windowEndMinutes: p.uint({ maximum: WINDOW_MAX }).defaults(WINDOW_DEFAULT_END),
    /** IANA zone of the days and of the window. By default the owner's. */
    timezone: p.string({ maxLength: 64 }).defaults(''),
    bufferMinutes: p.uint({ maximum: BUFFER_MAX_MINUTES }).defaults(0),
    minimumNoticeMinutes: p.uint({ maximum: NOTICE_MAX_MINUTES }).defaults(BOOKING_PAGE_NOTICE_DEFAULT),
    maxAdvanceDays: p.uint({ minimum: 1, maximum: BOOKING_PAGE_ADVANCE_MAX }).defaults(BOOKING_PAGE_ADVANCE_DEFAULT),
    conferencingProvider: p.oneOf(CONFERENCING_PROVIDERS).nullable().defaults(null),
    active: p.bool().defaults(true),
    /** Sites whose pages may show it in a frame. */
    embedOrigins: p.list(p.string({ maxLength: 255 }), { maxItems: EMBED_ORIGINS_MAX }).defaults([]),
    /** A booking counts when the invitee has opened a link in a mail. */
    confirmByEmail: p.bool().defaults(false),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string(), mailboxId: p.id(), slug: p.string() },
  sorts: ['name', 'createdAt'],
  scopes: { read: 'booking_pages:read', write: 'booking_pages:write' },
})

export type StoredPage = StoredOf<typeof BookingPage>
