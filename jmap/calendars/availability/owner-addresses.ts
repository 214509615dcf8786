/** The addresses of a mailbox's owner, by which they stand among the participants of events. */
import { stateOf } from '../../../storage/change-log.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { addressesOf } from '../../../storage/repos/directory.ts'
import { catchAllOf, maySendAs } from '../../mail/identity/identity.handlers.ts'
import { baseAddress, domainOf } from '../../message/mail-address.ts'
import { Domain } from '../../policy/domain/domain.type.ts'
import { mailAddressOf } from '../itip/calendar-address.ts'

/** Somebody whom an event names. */
export interface Attendee {
  /** Normalised; empty: they have no mail address. */
  readonly address: string
  /** undefined: the address must be looked up. */
  readonly isOwn: boolean | undefined
  /** It is the owner's only as long as no other mailbox has it. */
  readonly isCaught: boolean
}

const NOBODY: Attendee = { address: '', isOwn: false, isCaught: false }

/** Looks up each domain once. Addresses of a domain that the mailbox is the catch-all of are looked up one by one. */
export class OwnerAddresses {
  /** Another one when other addresses may be the owner's. Of addresses that the catch-all gets it says nothing. */
  readonly key: string
  readonly #reader: Reader
  readonly #account: number
  readonly #addresses: ReadonlySet<string>
  /** By domain: whether the mailbox gets its mail to unknown addresses. */
  readonly #domains = new Map<string, boolean>()
  readonly #caught = new Map<string, boolean>()
  /** By the calendar address as it is written: the same people stand in many events. */
  readonly #known = new Map<string, Attendee>()

  private constructor(reader: Reader, account: number, addresses: readonly string[], domains: number) {
    this.key = `${domains} ${addresses.join(' ')}`
    this.#reader = reader
    this.#account = account
    this.#addresses = new Set(addresses)
  }

  static async read(reader: Reader, account: number): Promise<OwnerAddresses> {
    const addresses = (await addressesOf(reader, account)).map(({ address }) => address)
    const organization = (await findAccount(reader, account))?.organization ?? account
    return new OwnerAddresses(reader, account, addresses, await stateOf(reader, organization, Domain.name))
  }

  /** @param calendarAddress a URI; one that is no mail address is nobody's */
  find(calendarAddress: string): Attendee {
    const known = this.#known.get(calendarAddress)
    if (known !== undefined) return known
    const address = mailAddressOf(calendarAddress)
    const found = address === null ? NOBODY : this.#attendeeOf(address)
    if (found.isOwn !== undefined) this.#known.set(calendarAddress, found)
    return found
  }

  /** @param address of an Attendee that must be looked up */
  async lookUp(address: string): Promise<void> {
    const domain = domainOf(address)
    if (!this.#domains.has(domain))
      this.#domains.set(domain, (await catchAllOf(this.#reader, domain)) === this.#account)
    if (this.#attendeeOf(address).isCaught)
      this.#caught.set(address, await maySendAs(this.#reader, this.#account, address))
  }

  #attendeeOf(address: string): Attendee {
    const isListed = this.#isListed(address)
    const isCatchAll = this.#domains.get(domainOf(address))
    const isOwn = isListed || (isCatchAll === false ? false : this.#caught.get(address))
    return { address, isOwn, isCaught: isCatchAll === true && !isListed }
  }

  #isListed(address: string): boolean {
    return this.#addresses.has(address) || this.#addresses.has(baseAddress(address))
  }
}
