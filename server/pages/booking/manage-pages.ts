/** What the signed link of a booking leads to. GET shows, POST acts: programs that follow links in mails change nothing. */
import type { Outcome, PublicBooking } from '../../../jmap/bookings/booking.ts'
import { isTimeZone } from '../../../jmap/calendars/recurrence/zone-offsets.ts'
import { CANCEL_REASON_MAX_CHARS } from '../../base/booking-limits.ts'
import { type Html, html } from '../html.ts'
import { redirect } from './answers.ts'
import { bookingData } from './booking-data.ts'
import { choose } from './choose.ts'
import { readFields } from './fields.ts'
import { timeTexts } from './time-texts.ts'
import { readViewState, type ViewState } from './view-state.ts'
import { type BookingView, bookingView, moveForm } from './views/booking-view.ts'
import { header } from './views/header.ts'
import { message } from './views/layout.ts'
import type { Visit } from './visit.ts'

export async function answerManage(visit: Visit, token: string): Promise<void> {
  if (visit.request.method === 'POST') return act(visit, token)
  if (!visit.isRead) return visit.onlyMethods('GET', 'HEAD', 'POST')
  const booking = await visit.deps.core.bookings.find(token)
  if (!booking) return visit.problem('gone')
  if (visit.wantsData) return visit.data(200, bookingData(booking, visit.baseUrl))
  const state = readViewState(visit.path, visit.query)
  if (state.isMove && booking.status === 'confirmed') return answerMove(visit, token, booking, state)
  await show(visit, booking, state, 200, bookingView(viewOf(visit, booking, state)))
}

/** GET /book/manage/{token}/booking.ics */
export async function answerCalendarFile(visit: Visit, token: string): Promise<void> {
  if (!visit.isRead) return visit.onlyMethods('GET', 'HEAD')
  const text = await visit.deps.core.bookings.invitation(token)
  if (text === null) return visit.problem('gone')
  const { response } = visit
  response.setHeader('Content-Type', 'text/calendar; charset=utf-8')
  response.setHeader('Content-Disposition', 'attachment; filename="booking.ics"')
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('Content-Length', Buffer.byteLength(text))
  response.end(visit.request.method === 'HEAD' ? undefined : text)
}

async function answerMove(visit: Visit, token: string, booking: PublicBooking, state: ViewState): Promise<void> {
  const { core, clock } = visit.deps
  const timezone = state.timezone ?? booking.timezone
  if (state.start !== null)
    return show(visit, booking, state, 200, moveForm(viewOf(visit, booking, state), state.start, timezone))
  const chosen = await choose({
    language: visit.language,
    texts: timeTexts(visit.language, timezone, state.hours),
    state,
    timezone,
    maxAdvanceDays: booking.page.maxAdvanceDays,
    now: clock.now(),
    slots: (range) => core.bookings.moveSlots(token, range),
  })
  if (!chosen) return visit.problem('gone')
  await show(visit, booking, state, 200, html`${header(visit.language, booking.page)}${chosen}`)
}

/** POST /book/manage/{token} */
async function act(visit: Visit, token: string): Promise<void> {
  const { bookings } = visit.deps.core
  const fields = await readFields(visit.request)
  const text = (name: string) => {
    const value = fields(name)
    return typeof value === 'string' ? value : ''
  }
  switch (text('action')) {
    case 'confirm':
      return finish(visit, token, await bookings.confirm(token), 'booked')
    case 'cancel': {
      const reason = text('reason').trim().slice(0, CANCEL_REASON_MAX_CHARS)
      return finish(visit, token, await bookings.cancel(token, reason === '' ? null : reason), 'cancelled')
    }
    case 'reschedule': {
      const start = Date.parse(text('start'))
      const timezone = text('timezone')
      const wrong = Number.isNaN(start) ? 'start' : isTimeZone(timezone) ? null : 'timezone'
      if (wrong !== null) return refuse(visit, token, wrong)
      const booking = await bookings.find(token)
      if (!booking) return visit.problem('gone')
      // A move writes to the same people as a booking.
      const wait = visit.deps.rates.book(visit.ip, booking.page.organization.slug, [booking.email, ...booking.guests])
      if (wait !== null) return visit.tooMany(wait)
      return finish(visit, token, await bookings.move(token, start, timezone), 'moved')
    }
    default:
      return refuse(visit, token, 'action')
  }
}

async function finish(
  visit: Visit,
  token: string,
  outcome: Outcome,
  event: 'booked' | 'moved' | 'cancelled',
): Promise<void> {
  const { words } = visit.language
  const embed = visit.query.get('embed') === '1' ? '&embed=1' : ''
  if (outcome.outcome === 'taken') {
    if (visit.wantsData) return visit.conflict(words.taken)
    const booking = await visit.deps.core.bookings.find(token)
    if (!booking) return visit.problem('gone')
    const again = `${visit.path}${booking.status === 'pending' ? '' : `?move=1${embed}`}`
    const link = html`<a href="${booking.status === 'pending' ? (booking.pagePath ?? again) : again}">${words.otherTimes}</a>`
    return show(
      visit,
      booking,
      readViewState(visit.path, visit.query),
      409,
      message(words.chooseAgain, words.taken, link),
    )
  }
  if (outcome.outcome !== 'done') return visit.problem('gone')
  const { booking } = outcome
  if (visit.wantsData) return visit.data(200, bookingData(booking, visit.baseUrl))
  if (event !== 'cancelled') return redirect(visit.response, `${visit.path}?event=${event}${embed}`)
  // The link ends with the booking, so this is its last page.
  const again = booking.pagePath !== null && html`<a href="${booking.pagePath}">${words.bookAgain}</a>`
  const body = message(words.cancelled, words.cancelledHint, again || '')
  await show(visit, booking, readViewState(visit.path, visit.query), 200, body)
}

async function refuse(visit: Visit, token: string, field: string): Promise<void> {
  if (visit.wantsData)
    return visit.invalid(
      [{ field, code: 'invalid_format', message: `${field} is not valid.` }],
      `${field} is not valid.`,
    )
  const booking = await visit.deps.core.bookings.find(token)
  if (!booking) return visit.problem('gone')
  const state = readViewState(visit.path, visit.query)
  await show(visit, booking, state, 422, bookingView(viewOf(visit, booking, state)))
}

function viewOf(visit: Visit, booking: PublicBooking, state: ViewState): BookingView {
  const event = visit.query.get('event')
  const timezone = state.timezone ?? booking.timezone
  return {
    language: visit.language,
    texts: timeTexts(visit.language, timezone, state.hours),
    booking,
    path: visit.path,
    isEmbedded: state.isEmbedded,
    event: event === 'booked' || event === 'moved' ? event : null,
    isOver: booking.start <= visit.deps.clock.now(),
  }
}

function show(visit: Visit, booking: PublicBooking, state: ViewState, status: number, body: Html): Promise<void> {
  const { name, organization, embedOrigins } = booking.page
  const ancestors = state.isEmbedded ? embedOrigins : []
  return visit.page(status, { title: name, organization, ancestors, body })
}
