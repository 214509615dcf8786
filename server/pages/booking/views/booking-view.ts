/** The page of a booking, to which its signed link leads: what is booked, and the forms to confirm, move or cancel it. */
import type { PublicBooking } from '../../../../jmap/bookings/booking.ts'
import { CANCEL_REASON_MAX_CHARS } from '../../../base/booking-limits.ts'
import { type Html, html } from '../../html.ts'
import { calendarLinks } from '../calendar-links.ts'
import type { Language } from '../languages.ts'
import type { TimeTexts } from '../time-texts.ts'
import { header } from './header.ts'

export interface BookingView {
  readonly language: Language
  readonly texts: TimeTexts
  readonly booking: PublicBooking
  readonly path: string
  readonly isEmbedded: boolean
  /** What has just happened; null: the link was opened. */
  readonly event: 'booked' | 'moved' | null
  readonly isOver: boolean
}

export function bookingView(view: BookingView): Html {
  const { language, booking, event, isOver } = view
  const { words } = language
  const isPending = booking.status === 'pending'
  const title = isPending
    ? words.confirmTitle
    : event === 'booked'
      ? words.booked
      : event === 'moved'
        ? words.rescheduled
        : words.yourBooking
  return html`${header(language, booking.page)}
<section class="card booking" aria-labelledby="booking">
<h2 id="booking">${title}</h2>
${isPending && html`<p>${words.confirmHint}</p>`}
${event === 'booked' && html`<p role="status">${words.bookedHint}</p>`}
${facts(view)}
${isOver && html`<p>${words.past}</p>`}
${isPending && confirmForm(view)}
${!isPending && html`${addLinks(view)}${!isOver && changeForms(view)}`}
</section>`
}

function facts({ language: { words }, texts, booking }: BookingView): Html {
  const people = [`${booking.name} <${booking.email}>`, ...booking.guests]
  return html`<dl>
<dt>${words.when}</dt><dd>${texts.span(booking.start, booking.end)} <span class="soft">(${booking.timezone})</span></dd>
<dt>${words.who}</dt><dd>${people.map((person) => html`<span class="person">${person}</span>`)}</dd>
${meetingFact(words, booking)}
${booking.notes !== null && html`<dt>${words.notes}</dt><dd class="description">${booking.notes}</dd>`}
</dl>`
}

function meetingFact(words: Language['words'], { status, meeting, page }: PublicBooking): Html | false {
  if (meeting === null || status !== 'confirmed') return false
  const how =
    meeting === 'pending'
      ? words.meetingPending
      : meeting === 'failed'
        ? words.meetingFailed(page.host)
        : html`<a href="${meeting.url}" rel="noopener noreferrer" target="_blank">${meeting.url}</a>`
  return html`<dt>${words.meeting}</dt><dd>${how}</dd>`
}

function addLinks({ language: { words }, booking, path }: BookingView): Html {
  const links = calendarLinks(booking).map(
    ({ name, url }) => html`<li><a href="${url}" rel="noopener" target="_blank">${name}</a></li>`,
  )
  return html`<h3>${words.addToCalendar}</h3>
<ul class="links"><li><a href="${path}/booking.ics" download="booking.ics">${words.calendarFile}</a></li>${links}</ul>`
}

function action({ path, isEmbedded }: BookingView): string {
  return isEmbedded ? `${path}?embed=1` : path
}

function confirmForm(view: BookingView): Html {
  return html`<form method="post" action="${action(view)}" data-once><input type="hidden" name="action" value="confirm">
<p><button>${view.language.words.confirm}</button></p></form>`
}

function changeForms(view: BookingView): Html {
  const { words } = view.language
  return html`<p><a class="button quiet" href="${view.path}?move=1${view.isEmbedded && '&embed=1'}">${words.reschedule}</a></p>
<details><summary>${words.cancelTitle}</summary>
<form method="post" action="${action(view)}" data-once><input type="hidden" name="action" value="cancel">
<p><label for="reason">${words.cancelReason} (${words.optional})</label>
<textarea id="reason" name="reason" rows="2" maxlength="${CANCEL_REASON_MAX_CHARS}"></textarea></p>
<p><button class="danger">${words.cancel}</button></p></form></details>`
}

/** The question before a booking is moved. */
export function moveForm(view: BookingView, start: number, timezone: string): Html {
  const { language, texts, booking } = view
  const { words } = language
  const end = start + booking.page.durationMinutes * 60_000
  const question = words.rescheduleTo(texts.span(booking.start, booking.end), texts.span(start, end))
  return html`${header(language, booking.page)}
<section class="card" aria-labelledby="move">
<h2 id="move">${words.reschedule}</h2>
<p>${question} <span class="soft">(${timezone})</span></p>
<form method="post" action="${action(view)}" data-once><input type="hidden" name="action" value="reschedule">
<input type="hidden" name="start" value="${new Date(start).toISOString()}"><input type="hidden" name="timezone" value="${timezone}">
<p><button>${words.reschedule}</button> <a class="button quiet" href="${action(view)}">${words.keep}</a></p></form>
</section>`
}
