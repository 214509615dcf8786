/** What needs no link: a page, its slots, and bookings of them (decisions D23 and D32). */
import type { BookingRequest } from '../../../jmap/bookings/booking.ts'
import type { PagePath, PublicPage } from '../../../jmap/bookings/public-page.ts'
import type { Interval } from '../../../jmap/calendars/availability/slots.ts'
import { zoneClock } from '../../../jmap/calendars/availability/zone-clock.ts'
import { isTimeZone } from '../../../jmap/calendars/recurrence/zone-offsets.ts'
import { AVAILABILITY_MAX_DAYS } from '../../base/booking-limits.ts'
import { html } from '../html.ts'
import { redirect } from './answers.ts'
import { bookingData } from './booking-data.ts'
import { type BookingForm, checkForm, EMPTY_FORM, type FieldFault, readForm } from './booking-form.ts'
import { choose } from './choose.ts'
import { readFields } from './fields.ts'
import { dateOf } from './months.ts'
import { timeTexts } from './time-texts.ts'
import { readViewState, type ViewState } from './view-state.ts'
import { detailsForm } from './views/details-form.ts'
import { header } from './views/header.ts'
import { message } from './views/layout.ts'
import type { Visit } from './visit.ts'

const DAY_MS = 86_400_000
/** Times that are offered in place of one that was taken, and days in which they are looked for. */
const OTHER_TIMES = 8
const OTHER_DAYS = 14

/** GET /book/{organization}/{slug} */
export async function answerPage(visit: Visit, path: PagePath): Promise<void> {
  if (!visit.isRead) return visit.onlyMethods('GET', 'HEAD')
  const page = await visit.deps.core.bookings.page(path)
  if (!page) return visit.problem('notFound')
  const state = readViewState(visit.path, visit.query)
  if (state.start !== null) return showForm(visit, page, state, 200, EMPTY_FORM)
  const timezone = state.timezone ?? page.timezone
  const chosen = await choose({
    language: visit.language,
    texts: timeTexts(visit.language, timezone, state.hours),
    state,
    timezone,
    maxAdvanceDays: page.maxAdvanceDays,
    now: visit.deps.clock.now(),
    slots: (range) => visit.deps.core.bookings.slots(path, range),
  })
  if (!chosen) return visit.problem('notFound')
  await visit.page(200, { ...framing(page, state), body: html`${header(visit.language, page)}${chosen}` })
}

function framing(page: PublicPage, { isEmbedded }: ViewState) {
  const ancestors = isEmbedded ? page.embedOrigins : []
  return { title: page.name, organization: page.organization, ancestors }
}

function showForm(
  visit: Visit,
  page: PublicPage,
  state: ViewState,
  status: number,
  form: BookingForm,
  faults: readonly FieldFault[] = [],
  others: readonly Interval[] | null = null,
): Promise<void> {
  const timezone = state.timezone ?? page.timezone
  const body = detailsForm({
    language: visit.language,
    texts: timeTexts(visit.language, timezone, state.hours),
    state,
    timezone,
    durationMinutes: page.durationMinutes,
    form,
    faults,
    others,
  })
  return visit.page(status, { ...framing(page, state), body: html`${header(visit.language, page)}${body}` })
}

/** GET /book/{organization}/{slug}/slots?from&to&timezone */
export async function answerSlots(visit: Visit, path: PagePath): Promise<void> {
  if (!visit.isRead) return visit.onlyMethods('GET', 'HEAD')
  const { core } = visit.deps
  const page = await core.bookings.page(path)
  if (!page) return visit.problem('notFound')
  const timezone = visit.query.get('timezone') ?? page.timezone
  const fault = (field: string, code: string, text: string) => visit.invalid([{ field, code, message: text }], text)
  if (!isTimeZone(timezone)) return fault('timezone', 'invalid_format', 'timezone is not a name of the IANA database.')
  const range = {
    start: boundOf(visit.query.get('from'), timezone, 0),
    end: boundOf(visit.query.get('to'), timezone, 1),
  }
  if (Number.isNaN(range.start)) return fault('from', 'invalid_format', 'from is not a date or an instant.')
  if (Number.isNaN(range.end)) return fault('to', 'invalid_format', 'to is not a date or an instant.')
  if (range.end <= range.start) return fault('to', 'out_of_range', 'to is not after from.')
  if (range.end - range.start > AVAILABILITY_MAX_DAYS * DAY_MS + 2 * 3_600_000)
    return fault('to', 'out_of_range', `to is at most ${AVAILABILITY_MAX_DAYS} days after from.`)
  const slots = await core.bookings.slots(path, range)
  if (!slots) return visit.problem('notFound')
  visit.data(200, {
    object: 'booking_slots',
    timezone,
    duration_minutes: page.durationMinutes,
    slots: slots.map(({ start, end }) => ({ start: new Date(start).toISOString(), end: new Date(end).toISOString() })),
  })
}

/** A date is a whole day in the zone, `to` included (decision D32). NaN: it is neither a date nor an instant. */
function boundOf(text: string | null, timezone: string, addedDays: number): number {
  const given = text ?? ''
  if (/^\d{4}-\d\d-\d\d$/.test(given)) {
    const day = Date.parse(`${given}T00:00:00Z`)
    return Number.isNaN(day) ? day : zoneClock(timezone).instantOf(day + addedDays * DAY_MS)
  }
  // In a query a plus sign may have become a space.
  return /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+ -]\d\d:\d\d)$/.test(given) ? Date.parse(given.replace(' ', '+')) : Number.NaN
}

/** POST /book/{organization}/{slug}/bookings */
export async function answerBooking(visit: Visit, path: PagePath): Promise<void> {
  if (visit.request.method !== 'POST') return visit.onlyMethods('POST')
  const { core, rates } = visit.deps
  const fields = await readFields(visit.request)
  const page = await core.bookings.page(path)
  if (!page) return visit.problem('notFound')
  const form = readForm(fields)
  const pagePath = visit.path.slice(0, -'/bookings'.length)
  const state = formState(visit, pagePath, form, fields)
  const checked = checkForm(form, visit.language.words)
  if ('faults' in checked) {
    if (visit.wantsData) return visit.invalid(checked.faults, checked.faults[0]?.message ?? '')
    const hasStart = checked.faults.every(({ field }) => field !== 'start')
    return showForm(
      visit,
      page,
      state,
      422,
      form,
      checked.faults,
      hasStart ? null : await otherTimes(visit, path, state),
    )
  }
  // A program filled in what people do not see. It learns nothing from the answer.
  if (form.website !== '') return showPending(visit, page, state)
  const wait = rates.book(visit.ip, path.organization, [checked.request.email, ...checked.request.guests])
  if (wait !== null) return visit.tooMany(wait)
  const { language } = visit.language.words
  const request: BookingRequest = { ...checked.request, language, baseUrl: visit.baseUrl }
  const outcome = await core.bookings.book(path, request)
  if (outcome.outcome === 'taken') {
    const text = visit.language.words.taken
    if (visit.wantsData) return visit.conflict(text)
    const fault: FieldFault = { field: 'start', code: 'required', message: text }
    return showForm(visit, page, state, 409, form, [fault], await otherTimes(visit, path, state))
  }
  if (outcome.outcome === 'pending') return showPending(visit, page, state)
  if (outcome.outcome !== 'done') return visit.problem('notFound')
  if (visit.wantsData) return visit.data(201, bookingData(outcome.booking, visit.baseUrl))
  const shown = new URLSearchParams({ event: 'booked' })
  if (state.hours !== null) shown.set('hours', String(state.hours))
  if (state.isEmbedded) shown.set('embed', '1')
  redirect(visit.response, `/book/manage/${outcome.booking.token}?${shown}`)
}

/** The state of the page that sent the form. */
function formState(visit: Visit, path: string, form: BookingForm, fields: (name: string) => unknown): ViewState {
  const query = new URLSearchParams({ start: form.start, timezone: form.timezone })
  const hours = fields('hours')
  if (typeof hours === 'string') query.set('hours', hours)
  if (visit.query.get('embed') === '1') query.set('embed', '1')
  return readViewState(path, query)
}

async function otherTimes(visit: Visit, path: PagePath, { start, timezone }: ViewState): Promise<readonly Interval[]> {
  const { core, clock } = visit.deps
  const from = start === null ? clock.now() : start - DAY_MS / 2
  const found = (await core.bookings.slots(path, { start: from, end: from + OTHER_DAYS * DAY_MS })) ?? []
  const date = start === null ? null : dateOf(start, timezone ?? 'UTC')
  const sameDay = found.filter((slot) => dateOf(slot.start, timezone ?? 'UTC') === date)
  return (sameDay.length > 0 ? sameDay : found).slice(0, OTHER_TIMES)
}

async function showPending(visit: Visit, page: PublicPage, state: ViewState): Promise<void> {
  const { words } = visit.language
  if (visit.wantsData) return visit.data(202, { object: 'booking', status: 'pending' })
  await visit.page(200, { ...framing(page, state), body: message(words.pending, words.pendingHint) })
}
