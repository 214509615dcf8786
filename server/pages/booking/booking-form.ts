/** What an invitee sends, as a form or as JSON, and what is wrong with it. */
import type { BookingRequest } from '../../../jmap/bookings/booking.ts'
import { isTimeZone } from '../../../jmap/calendars/recurrence/zone-offsets.ts'
import { normaliseAddress } from '../../../jmap/message/mail-address.ts'
import { GUESTS_MAX, INVITEE_NAME_MAX_CHARS, INVITEE_NOTES_MAX_CHARS } from '../../base/booking-limits.ts'
import type { Words } from './words.ts'

/** Texts as they were typed. */
export interface BookingForm {
  readonly start: string
  readonly timezone: string
  readonly name: string
  readonly email: string
  readonly notes: string
  readonly guests: string
  /** A field that people do not see: programs fill it in. */
  readonly website: string
}

export interface FieldFault {
  readonly field: 'start' | 'timezone' | 'name' | 'email' | 'notes' | 'guests'
  /** As in the API's errors (decision D1). */
  readonly code: 'required' | 'invalid_format' | 'too_long'
  readonly message: string
}

const FIELDS = ['start', 'timezone', 'name', 'email', 'notes', 'guests', 'website'] as const

export const EMPTY_FORM: BookingForm = {
  start: '',
  timezone: '',
  name: '',
  email: '',
  notes: '',
  guests: '',
  website: '',
}

/** From the fields of a form, or the members of a JSON object. Values of other types count as missing. */
export function readForm(get: (name: string) => unknown): BookingForm {
  const form: { -readonly [K in keyof BookingForm]: BookingForm[K] } = { ...EMPTY_FORM }
  for (const field of FIELDS) {
    const value = get(field)
    if (typeof value === 'string') form[field] = value
    else if (field === 'guests' && Array.isArray(value)) form.guests = value.map(String).join('\n')
  }
  return form
}

export type CheckedForm =
  | { readonly request: Omit<BookingRequest, 'language' | 'baseUrl'> }
  | { readonly faults: readonly FieldFault[] }

/** RFC 3339 5.6 */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

export function checkForm(form: BookingForm, words: Words): CheckedForm {
  const faults: FieldFault[] = []
  const refuse = (field: FieldFault['field'], code: FieldFault['code'], message: string) =>
    faults.push({ field, code, message })
  const start = INSTANT.test(form.start) ? Date.parse(form.start) : Number.NaN
  if (Number.isNaN(start)) refuse('start', form.start === '' ? 'required' : 'invalid_format', words.chooseAgain)
  if (!isTimeZone(form.timezone))
    refuse('timezone', form.timezone === '' ? 'required' : 'invalid_format', words.timezone)
  const name = form.name.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim()
  if (name === '') refuse('name', 'required', words.required)
  if (name.length > INVITEE_NAME_MAX_CHARS) refuse('name', 'too_long', words.tooLong(INVITEE_NAME_MAX_CHARS))
  const email = addressOf(form.email)
  if (form.email.trim() === '') refuse('email', 'required', words.required)
  else if (email === null) refuse('email', 'invalid_format', words.notAnAddress)
  const notes = form.notes.replaceAll(/\r\n?/g, '\n').trim()
  if (notes.length > INVITEE_NOTES_MAX_CHARS) refuse('notes', 'too_long', words.tooLong(INVITEE_NOTES_MAX_CHARS))
  const guests = form.guests.split(/[\s,;]+/).filter((text) => text !== '')
  const wrong = guests.find((guest) => addressOf(guest) === null)
  if (guests.length > GUESTS_MAX) refuse('guests', 'too_long', words.tooManyGuests(GUESTS_MAX))
  else if (wrong !== undefined) refuse('guests', 'invalid_format', words.notAnAddressNamed(wrong.slice(0, 100)))
  if (faults.length > 0 || email === null) return { faults }
  const others = [...new Set(guests.flatMap((guest) => addressOf(guest) ?? []))].filter((guest) => guest !== email)
  return {
    request: { start, name, email, timezone: form.timezone, notes: notes === '' ? null : notes, guests: others },
  }
}

/** Normalised; null: it is no address. */
function addressOf(text: string): string | null {
  const address = text.trim()
  return address.length > 254 ? null : normaliseAddress(address)
}
