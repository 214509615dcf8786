import { SLUG_PATTERN } from '../../jmap/bookings/booking-page.type.ts'
import { CONFERENCING_PROVIDERS } from '../../jmap/calendars/jscalendar/conferencing.ts'
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
} from '../../server/base/booking-limits.ts'
import { get, onlyOne } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { openAddress } from '../calls/mailbox-access.ts'
import { type Context, endpoint, type Tag } from '../endpoint.ts'
import { ApiError, invalid } from '../errors/api-error.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'

const minutes = (description: string) => s.integer({ description })

const BookingPage = s.resource('BookingPage', 'booking_page', {
  id: s.id('bkp_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  mailbox: s.string({
    description: 'Address of the mailbox whose calendar is booked.',
    examples: ['support@example.com'],
  }),
  slug: s.string({ examples: ['intro-call'] }),
  url: s.string({
    description: 'Public address of the page.',
    examples: ['https://mail.example.com/book/example-1/intro-call'],
  }),
  name: s.string({ examples: ['Intro call'] }),
  description: s.nullable(s.string()),
  duration_minutes: minutes('Length of a meeting, and the time between the starts of two slots.'),
  availability_days: s.array(s.integer({ minimum: 0, maximum: 6 }), { description: '0 is Sunday.' }),
  window_start_minutes: minutes('From midnight.'),
  window_end_minutes: minutes('From midnight.'),
  timezone: s.string({ description: 'IANA zone of the days and of the window.', examples: ['Europe/Berlin'] }),
  buffer_minutes: minutes('Free time before and after a meeting.'),
  minimum_notice_minutes: minutes('From now to the earliest slot.'),
  max_advance_days: s.integer({ description: 'How far ahead slots are offered.' }),
  conferencing_provider: s.nullable(s.string({ examples: ['zoom'] })),
  active: s.boolean('false: the public page is not found.'),
  embed_origins: s.array(s.string({ examples: ['https://www.example.com'] }), {
    description: 'Sites whose pages may show it in a frame, at its URL with `?embed=1`.',
  }),
  confirm_by_email: s.boolean('A booking counts when the invitee has opened a link in a mail.'),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

/** Members that a client may write, beside `mailbox`. */
const writable = {
  slug: s.string({
    pattern: SLUG_PATTERN,
    description: 'By default it is made from the name.',
    examples: ['intro-call'],
  }),
  description: s.nullable(s.string({ maxLength: BOOKING_PAGE_DESCRIPTION_MAX_CHARS })),
  duration_minutes: s.integer({
    minimum: SLOT_MIN_MINUTES,
    maximum: BOOKING_PAGE_DURATION_MAX,
    description: `Default: ${SLOT_DEFAULT_MINUTES}.`,
  }),
  availability_days: s.array(s.integer({ minimum: 0, maximum: 6 }), {
    minItems: 1,
    maxItems: 7,
    description: 'Each once; 0 is Sunday. Default: Monday to Friday.',
  }),
  window_start_minutes: s.integer({
    minimum: 0,
    maximum: WINDOW_MAX,
    description: `Default: ${WINDOW_DEFAULT_START}.`,
  }),
  window_end_minutes: s.integer({ minimum: 0, maximum: WINDOW_MAX, description: `Default: ${WINDOW_DEFAULT_END}.` }),
  timezone: s.string({
    minLength: 1,
    maxLength: 64,
    description: "By default that of the mailbox's owner.",
    examples: ['Europe/Berlin'],
  }),
  buffer_minutes: s.integer({ minimum: 0, maximum: BUFFER_MAX_MINUTES, description: 'Default: 0.' }),
  minimum_notice_minutes: s.integer({
    minimum: 0,
    maximum: NOTICE_MAX_MINUTES,
    description: `Default: ${BOOKING_PAGE_NOTICE_DEFAULT}.`,
  }),
  max_advance_days: s.integer({
    minimum: 1,
    maximum: BOOKING_PAGE_ADVANCE_MAX,
    description: `Default: ${BOOKING_PAGE_ADVANCE_DEFAULT}.`,
  }),
  conferencing_provider: s.nullable(
    s.oneOf(CONFERENCING_PROVIDERS, 'It must be connected to the mailbox. null: bookings get no meeting links.'),
  ),
  active: s.boolean('Default: true.'),
  embed_origins: s.array(s.string({ maxLength: 255, examples: ['https://www.example.com'] }), {
    maxItems: EMBED_ORIGINS_MAX,
    description: 'Sites whose pages may show it in a frame. Default: none.',
  }),
  confirm_by_email: s.boolean('Default: false.'),
}
const name = s.string({
  minLength: 1,
  maxLength: BOOKING_PAGE_NAME_MAX_CHARS,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  examples: ['Intro call'],
})
const mailbox = s.string({
  maxLength: 320,
  description: 'Address of the mailbox whose calendar is booked.',
  examples: ['support@example.com'],
})
const optional = {
  slug: s.optional(writable.slug),
  description: s.optional(writable.description),
  duration_minutes: s.optional(writable.duration_minutes),
  availability_days: s.optional(writable.availability_days),
  window_start_minutes: s.optional(writable.window_start_minutes),
  window_end_minutes: s.optional(writable.window_end_minutes),
  timezone: s.optional(writable.timezone),
  buffer_minutes: s.optional(writable.buffer_minutes),
  minimum_notice_minutes: s.optional(writable.minimum_notice_minutes),
  max_advance_days: s.optional(writable.max_advance_days),
  conferencing_provider: s.optional(writable.conferencing_provider),
  active: s.optional(writable.active),
  embed_origins: s.optional(writable.embed_origins),
  confirm_by_email: s.optional(writable.confirm_by_email),
}
const OPTIONAL = [
  'slug',
  'description',
  'duration_minutes',
  'availability_days',
  'window_start_minutes',
  'window_end_minutes',
  'timezone',
  'buffer_minutes',
  'minimum_notice_minutes',
  'max_advance_days',
  'conferencing_provider',
  'active',
  'embed_origins',
  'confirm_by_email',
] as const satisfies readonly (keyof typeof optional)[]

const TAG: Tag = {
  name: 'Booking pages',
  description: "Public pages on which anybody can book a time of a mailbox's owner.",
}

/** The pages of the organization, with their public URLs. */
async function pagesOf({ organization, baseUrl }: Context, jmap: JmapClient) {
  const { own } = await jmap.call({
    own: get('Organization', { accountId: organization, ids: [organization], properties: ['slug'] }),
  })
  const folder = `${baseUrl}/book/${onlyOne(own, 'organization').slug}`
  return new OrganizationObjects({
    type: 'BookingPage',
    what: 'booking page',
    show: (page) => toSnake(BookingPage, page, { url: `${folder}/${page.slug}` }),
    codes: { alreadyExists: 'slug_taken' },
    fields: { mailboxId: 'mailbox' },
    details: {
      mailboxId: 'unknown_reference',
      windowEndMinutes: 'out_of_range',
      availabilityDays: 'not_allowed',
    },
  })
}

/** A page of a mailbox that is closed to the key is refused, not hidden (decision D6). */
async function unlessDenied<T>(input: Context, jmap: JmapClient, id: string, work: Promise<T>): Promise<T> {
  return work.catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'not_found' || input.principal.mailboxes === 'all') throw error
    const whole = jmap.forWholeOrganization()
    await (await pagesOf(input, whole)).read(whole, input.organization, id)
    throw new ApiError('mailbox_access_denied')
  })
}

export const createBookingPage = endpoint({
  method: 'POST',
  path: '/v1/booking-pages',
  operationId: 'createBookingPage',
  tag: TAG,
  summary: 'Create a booking page',
  description: 'The page is public at once. Slots are computed from the calendar whenever somebody looks.',
  scope: 'booking_pages:write',
  body: s.object({ name, mailbox, ...optional }),
  bodyExample: { name: 'Intro call', mailbox: 'support@example.com', duration_minutes: 30, timezone: 'Europe/Berlin' },
  status: 201,
  response: BookingPage,
  errors: ['not_found', 'mailbox_access_denied', 'slug_taken', 'provider_not_connected', 'quota_exceeded'],
  async run(input, jmap) {
    const { body, organization } = input
    const { id: mailboxId } = await openAddress(input, jmap, body.mailbox)
    const pages = await pagesOf(input, jmap)
    return (await pages.create(jmap, organization, { name: body.name, mailboxId, ...toCamel(body, OPTIONAL) })).shown
  },
})

export const listBookingPages = endpoint({
  method: 'GET',
  path: '/v1/booking-pages',
  operationId: 'listBookingPages',
  tag: TAG,
  summary: 'List booking pages, newest first',
  description: 'A key that is limited to some mailboxes sees the pages of those.',
  scope: 'booking_pages:read',
  query: s.object(pageQuery),
  response: cursorPage(BookingPage),
  run: async (input, jmap) => (await pagesOf(input, jmap)).list(input, jmap, { list: 'booking-pages' }),
})

export const getBookingPage = endpoint({
  method: 'GET',
  path: '/v1/booking-pages/{booking_page_id}',
  operationId: 'getBookingPage',
  tag: TAG,
  summary: 'Get a booking page',
  description: 'By its id. Its public page is at `url`.',
  scope: 'booking_pages:read',
  response: BookingPage,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { booking_page_id: id } = input.params
    const pages = await pagesOf(input, jmap)
    return unlessDenied(input, jmap, id, pages.read(jmap, input.organization, id))
  },
})

export const updateBookingPage = endpoint({
  method: 'PATCH',
  path: '/v1/booking-pages/{booking_page_id}',
  operationId: 'updateBookingPage',
  resource: getBookingPage,
  tag: TAG,
  summary: 'Change a booking page',
  description:
    'At least one member. Bookings that were made stay as they are. `active: false` hides the page; links to manage bookings go on working.',
  scope: 'booking_pages:write',
  body: s.object({ name: s.optional(name), mailbox: s.optional(mailbox), ...optional }),
  bodyExample: { buffer_minutes: 10, conferencing_provider: null },
  response: BookingPage,
  errors: ['not_found', 'mailbox_access_denied', 'slug_taken', 'provider_not_connected'],
  async run(input, jmap) {
    const { body, organization } = input
    const { booking_page_id: id } = input.params
    const patch = toCamel(body, ['name', ...OPTIONAL])
    if (body.mailbox === undefined && Object.keys(patch).length === 0)
      throw invalid(null, 'required', 'Send at least one member of a booking page.')
    const pages = await pagesOf(input, jmap)
    await unlessDenied(input, jmap, id, pages.read(jmap, organization, id))
    const owner = body.mailbox === undefined ? null : await openAddress(input, jmap, body.mailbox)
    return pages.update(jmap, organization, id, { ...patch, ...(owner && { mailboxId: owner.id }) })
  },
})

export const deleteBookingPage = endpoint({
  method: 'DELETE',
  path: '/v1/booking-pages/{booking_page_id}',
  operationId: 'deleteBookingPage',
  resource: getBookingPage,
  tag: TAG,
  summary: 'Delete a booking page',
  description: 'Bookings that were made stay, and links to manage them go on working.',
  scope: 'booking_pages:write',
  status: 204,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { booking_page_id: id } = input.params
    const pages = await pagesOf(input, jmap)
    return unlessDenied(input, jmap, id, pages.destroy(jmap, input.organization, id))
  },
})

export const bookingPageEndpoints = [
  createBookingPage,
  listBookingPages,
  getBookingPage,
  updateBookingPage,
  deleteBookingPage,
]
