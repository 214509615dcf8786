/** What the schema of a BookingPage cannot say (decision D23). Pure. */
import { isTimeZone } from '../calendars/recurrence/zone-offsets.ts'
import { invalidProperties, type SetError } from '../protocol/errors.ts'
import { SLUG_PATTERN, type StoredPage } from './booking-page.type.ts'

type Checked = Pick<
  StoredPage,
  'slug' | 'availabilityDays' | 'windowStartMinutes' | 'windowEndMinutes' | 'timezone' | 'embedOrigins'
>

const SLUG = new RegExp(SLUG_PATTERN)
/** RFC 6454 6.2, without characters that end a source in a Content-Security-Policy. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}(?::\d{1,5})?$/

export function pageFault(page: Checked): SetError | null {
  const { slug, availabilityDays, windowStartMinutes, windowEndMinutes, timezone, embedOrigins } = page
  if (!SLUG.test(slug))
    return invalidProperties(['slug'], 'slug has lower-case letters, digits and hyphens between them; 1 or 3 to 64.')
  if (new Set(availabilityDays).size !== availabilityDays.length)
    return invalidProperties(['availabilityDays'], 'A day is named more than once.')
  if (windowStartMinutes >= windowEndMinutes)
    return invalidProperties(['windowEndMinutes'], 'The window ends before it starts.')
  if (!isTimeZone(timezone))
    return invalidProperties(['timezone'], 'timezone is not a name of the IANA time zone database.')
  const wrong = embedOrigins.find((origin) => !ORIGIN.test(origin) || URL.parse(origin)?.origin !== origin)
  return wrong === undefined
    ? null
    : invalidProperties(['embedOrigins'], `${wrong.slice(0, 100)} is not an origin such as https://www.example.com.`)
}

/** A slug from a name that no page has yet: `intro-call`, `intro-call-2` and so on. */
export function slugFrom(name: string, isTaken: (slug: string) => boolean): string {
  const letters = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 56)
    .replaceAll(/^-+|-+$/g, '')
  const base = SLUG.test(letters) ? letters : 'meeting'
  for (let count = 1; ; count++) {
    const slug = count === 1 ? base : `${base}-${count}`
    if (!isTaken(slug)) return slug
  }
}
