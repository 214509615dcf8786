/** The addresses of a mailbox's owner, by which they stand among the participants of events. */
import { stateOf } from '../../../storage/change-log.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { addressesOf } from '../../../storage/repos/directory.ts'
import { catchAllOf, maySendAs } from '../../mail/identity/identity.handlers.ts'
import { baseAddress, domainOf } from '../../message/mail-address.ts'
import { Domain } from '../../policy/domain/domain.type.ts'

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

  /** @param address normalised @returns undefined: it must be looked up */
  has(address: string): boolean | undefined {
    if (this.#isListed(address)) return true
    return this.#domains.get(domainOf(address)) === false ? false : this.#caught.get(address)
  }

  /** Whether an address is the owner's only as long as no other mailbox has it. */
  isCaught(address: string): boolean {
    return this.#domains.get(domainOf(address)) === true && !this.#isListed(address)
  }

  async lookUp(address: string): Promise<void> {
    const domain = domainOf(address)
    if (!this.#domains.has(domain))
      this.#domains.set(domain, (await catchAllOf(this.#reader, domain)) === this.#account)
    if (this.isCaught(address)) this.#caught.set(address, await maySendAs(this.#reader, this.#account, address))
  }

  #isListed(address: string): boolean {
    return this.#addresses.has(address) || this.#addresses.has(baseAddress(address))
  }
}
