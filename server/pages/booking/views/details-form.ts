/** The form for the invitee's details. What was typed stays when something is wrong. */

import type { Interval } from '../../../../jmap/calendars/availability/slots.ts'
import { GUESTS_MAX, INVITEE_NAME_MAX_CHARS, INVITEE_NOTES_MAX_CHARS } from '../../../base/booking-limits.ts'
import { type Html, html } from '../../html.ts'
import type { BookingForm, FieldFault } from '../booking-form.ts'
import type { Language } from '../languages.ts'
import type { TimeTexts } from '../time-texts.ts'
import { urlOf, type ViewState } from '../view-state.ts'

export interface Details {
  readonly language: Language
  readonly texts: TimeTexts
  readonly state: ViewState
  readonly timezone: string
  readonly durationMinutes: number
  readonly form: BookingForm
  readonly faults: readonly FieldFault[]
  /** Times to choose from instead of the one that was taken; null: the chosen one is free. */
  readonly others: readonly Interval[] | null
}

export function detailsForm(details: Details): Html {
  const { language, state, timezone, form, faults, others } = details
  const { words } = language
  const field = (name: FieldFault['field'], label: string, hint: string | null, input: (attributes: Html) => Html) => {
    const fault = faults.find((one) => one.field === name)
    const described = [hint !== null && `${name}-hint`, fault && `${name}-fault`].filter((id) => id).join(' ')
    const attributes = html` id="${name}" name="${name}"${described !== '' && html` aria-describedby="${described}"`}${
      fault !== undefined && html` aria-invalid="true"`
    }`
    return html`<p><label for="${name}">${label}</label>
${input(attributes)}
${hint !== null && html`<small id="${name}-hint">${hint}</small>`}
${fault !== undefined && html`<strong class="fault" id="${name}-fault">${fault.message}</strong>`}</p>`
  }
  const optional = (label: string) => `${label} (${words.optional})`
  return html`<section class="details" aria-labelledby="details">
<h2 id="details">${words.yourDetails}</h2>
${chosenTime(details)}
${summary(words.correctErrors, faults)}
<form method="post" action="${state.path}/bookings${state.isEmbedded && '?embed=1'}" data-once>
${others === null ? html`<input type="hidden" name="start" value="${isoOf(state.start)}">` : otherTimes(details, others)}
<input type="hidden" name="timezone" value="${timezone}">
${state.hours !== null && html`<input type="hidden" name="hours" value="${state.hours}">`}
<p class="trap" aria-hidden="true"><label for="website">${words.leaveEmpty}</label><input id="website" name="website" tabindex="-1" autocomplete="off"></p>
${field('name', words.name, null, (attributes) => html`<input${attributes} required maxlength="${INVITEE_NAME_MAX_CHARS}" autocomplete="name" value="${form.name}">`)}
${field('email', words.email, null, (attributes) => html`<input${attributes} type="email" required maxlength="254" autocomplete="email" value="${form.email}">`)}
${field(
  'notes',
  optional(words.notes),
  null,
  (attributes) => html`<textarea${attributes} rows="3" maxlength="${INVITEE_NOTES_MAX_CHARS}">
${form.notes}</textarea>`,
)}
${field(
  'guests',
  optional(words.guests),
  words.guestsHint(GUESTS_MAX),
  (attributes) => html`<textarea${attributes} rows="2">
${form.guests}</textarea>`,
)}
<p><button>${words.book}</button></p>
</form>
</section>`
}

function chosenTime({ language: { words }, texts, state, durationMinutes, timezone, others }: Details): Html | false {
  if (state.start === null || others !== null) return false
  const end = state.start + durationMinutes * 60_000
  return html`<p class="chosen"><strong>${texts.span(state.start, end)}</strong> <span class="soft">(${timezone})</span>
<a data-swap href="${urlOf(state, { start: null })}">${words.change}</a></p>`
}

function summary(title: string, faults: readonly FieldFault[]): Html | false {
  if (faults.length === 0) return false
  const items = faults.map(({ field, message }) =>
    field === 'start' ? html`<li>${message}</li>` : html`<li><a href="#${field}">${message}</a></li>`,
  )
  return html`<div class="faults" role="alert" tabindex="-1"><p>${title}</p><ul>${items}</ul></div>`
}

function otherTimes({ language: { words }, texts, state }: Details, others: readonly Interval[]): Html {
  const choices = others.map(
    ({ start, end }, i) =>
      html`<label><input type="radio" name="start" value="${isoOf(start)}" required${i === 0 && html` autofocus`}> ${texts.span(start, end)}</label>\n`,
  )
  return html`<fieldset class="others"><legend>${words.otherTimes}</legend>
${choices}
<a href="${urlOf(state, { start: null, date: null, month: null })}">${words.moreTimes}</a>
</fieldset>`
}

function isoOf(at: number | null): string {
  return at === null ? '' : new Date(at).toISOString()
}
