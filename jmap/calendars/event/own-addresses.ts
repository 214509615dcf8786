/** Which calendar addresses are the account's own: those at which it receives mail (JMAP Calendars 5: isOrigin). */
import type { Reader } from '../../../storage/ports.ts'
import { maySendAs } from '../../mail/identity/identity.handlers.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import type { Event } from '../jscalendar/event.ts'
import type { Participant } from '../jscalendar/participant.ts'

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

/** Looks up each address once. */
export class OwnAddresses {
  readonly #reader: Reader
  readonly #account: number
  readonly #known = new Map<string, boolean>()

  constructor(reader: Reader, account: number) {
    this.#reader = reader
    this.#account = account
  }

  async has(calendarAddress: string | null | undefined): Promise<boolean> {
    const address = mailAddressOf(calendarAddress)
    if (address === null) return false
    const known = this.#known.get(address)
    if (known !== undefined) return known
    const isOwn = await maySendAs(this.#reader, this.#account, address)
    this.#known.set(address, isOwn)
    return isOwn
  }

  /** JMAP Calendars 5: nobody organizes the event, or replies to the organizer reach this account. */
  async isOrigin({ organizerCalendarAddress }: Pick<Event, 'organizerCalendarAddress'>): Promise<boolean> {
    return organizerCalendarAddress === undefined || (await this.has(organizerCalendarAddress))
  }

  /** The participants that are the owner of this account, by their ids. */
  async among(participants: { readonly [id: string]: Participant } | undefined): Promise<string[]> {
    const own: string[] = []
    for (const [id, { calendarAddress }] of Object.entries(participants ?? {}))
      if (await this.has(calendarAddress)) own.push(id)
    return own
  }
}
