/** Which calendar addresses are the account's own: those at which it receives mail (JMAP Calendars 5: isOrigin). */
import type { Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { maySendAs } from '../../mail/identity/identity.handlers.ts'
import { domainOf } from '../../message/mail-address.ts'
import { mailAddressOf } from '../itip/calendar-address.ts'
import { participantsIn, textOf } from '../itip/invited.ts'
import type { Event } from '../jscalendar/event.ts'
import type { Participant } from '../jscalendar/participant.ts'

export { mailAddressOf, normalCalendarAddress } from '../itip/calendar-address.ts'

/** Looks up each address once, and only those of domains that this server knows: an event may have hundreds of participants. */
export class OwnAddresses {
  readonly #reader: Reader
  readonly #account: number
  readonly #known = new Map<string, boolean>()
  readonly #domains = new Map<string, boolean>()

  constructor(reader: Reader, account: number) {
    this.#reader = reader
    this.#account = account
  }

  async has(calendarAddress: string | null | undefined): Promise<boolean> {
    const address = mailAddressOf(calendarAddress)
    if (address === null) return false
    const known = this.#known.get(address)
    if (known !== undefined) return known
    const isOwn =
      (await this.#knowsDomain(domainOf(address))) && (await maySendAs(this.#reader, this.#account, address))
    this.#known.set(address, isOwn)
    return isOwn
  }

  async #knowsDomain(domain: string): Promise<boolean> {
    const known = this.#domains.get(domain) ?? (await findDomainName(this.#reader, domain)).length > 0
    this.#domains.set(domain, known)
    return known
  }

  /** JMAP Calendars 5: nobody organizes the event, or replies to the organizer reach this account. */
  async isOrigin({ organizerCalendarAddress }: Pick<Event, 'organizerCalendarAddress'>): Promise<boolean> {
    return organizerCalendarAddress === undefined || (await this.has(organizerCalendarAddress))
  }

  /** Mail addresses of participants, also of single instances, that are the account's own. */
  async addressesIn(event: Event): Promise<Set<string>> {
    const own = new Set<string>()
    for (const { calendarAddress } of participantsIn(event)) {
      const address = mailAddressOf(textOf(calendarAddress))
      if (address !== null && (await this.has(textOf(calendarAddress)))) own.add(address)
    }
    return own
  }

  /** The participants that are the owner of this account, by their ids. */
  async among(participants: { readonly [id: string]: Participant } | undefined): Promise<string[]> {
    const own: string[] = []
    for (const [id, { calendarAddress }] of Object.entries(participants ?? {}))
      if (await this.has(calendarAddress)) own.push(id)
    return own
  }
}
