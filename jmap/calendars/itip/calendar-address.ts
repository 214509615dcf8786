/** Calendar addresses: URIs that name the users of calendars, such as `mailto:ada@example.com`. */
import { normaliseAddress } from '../../message/mail-address.ts'

/** The mail address of a `mailto:` URI, normalised; null: it is another URI, or no address. */
export function mailAddressOf(calendarAddress: string | null | undefined): string | null {
  const [, address] = /^mailto:([^?#]+)/i.exec(calendarAddress ?? '') ?? []
  if (address === undefined) return null
  try {
    return normaliseAddress(decodeURIComponent(address))
  } catch {
    return null
  }
}

/** RFC 3986 6.2.2: the form in which calendar addresses are compared. */
export function normalCalendarAddress(calendarAddress: string): string {
  const address = mailAddressOf(calendarAddress)
  if (address !== null) return `mailto:${address}`
  try {
    return new URL(calendarAddress).href
  } catch {
    return calendarAddress
  }
}
