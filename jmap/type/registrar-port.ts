/** The interface by which the core registers and renews domains. The host implements it (server/registrars). */
import type { DnsZone } from './dns-provider-port.ts'
import type { ProviderAnswer } from './provider-answer.ts'

/** A name that may be registered (decision D7). */
export interface DomainOffer {
  /** A-labels, in lower case. */
  readonly name: string
  readonly isAvailable: boolean
  /** For one year, in major units: `11.08`; null: it is not available. */
  readonly purchasePrice: string | null
  readonly renewalPrice: string | null
  /** ISO 4217, upper case. */
  readonly currency: string
}

/** A registration in the operator's account at the registrar. */
export interface OwnedDomain {
  /** Epoch ms; null: the registrar does not say. */
  readonly registeredAt: number | null
  /** Epoch ms; null: the registry has not confirmed the registration yet. */
  readonly expiresAt: number | null
}

/** Who registers a domain (decision D7). */
export interface Registrant {
  readonly firstName: string
  readonly lastName: string
  readonly address1: string
  readonly city: string
  /** The city where the country has no states. */
  readonly state: string
  readonly zip: string
  /** ISO 3166-1 alpha-2 */
  readonly country: string
  /** RFC 5733 2.5: `+1.4155550100`. */
  readonly phone: string
  readonly email: string
}

export interface RegistrarOrder {
  readonly name: string
  /** For one year, in major units, as offered. */
  readonly price: string
  /** The same for every repetition. */
  readonly key: string
}

export interface Registrar {
  readonly label: string
  /** Registers nothing: for trials of integrators in dev mode (decision D31). */
  readonly isFake: boolean
  /** Years that a domain can be paid for at once. */
  readonly yearsMax: number
  /** Endings that are suggested for a keyword, most wanted first. */
  readonly endings: readonly string[]
  /** In the order of the names. Names about which the registrar gave no answer in time are missing, unless none was answered. */
  offers(names: readonly string[]): Promise<ProviderAnswer<readonly DomainOffer[]>>
  /** What a year more of a registered domain costs now. */
  renewalPrice(name: string): Promise<ProviderAnswer<{ readonly price: string; readonly currency: string }>>
  /** null: the name is not in the operator's account. */
  find(name: string): Promise<ProviderAnswer<OwnedDomain | null>>
  /** Registers for one year. `refused` does not say whether an earlier request did it: `find` does. */
  register(order: RegistrarOrder & { readonly registrant: Registrant }): Promise<ProviderAnswer<null>>
  /** Adds years. As `register`. */
  renew(order: RegistrarOrder & { readonly years: number }): Promise<ProviderAnswer<null>>
  /** What follows a registration and may be repeated: the registrant's data, and no renewal by the registrar itself. */
  settle(name: string, registrant: Registrant): Promise<ProviderAnswer<null>>
  /** Delegates the domain. */
  setNameServers(name: string, servers: readonly string[]): Promise<ProviderAnswer<null>>
  /** The registrar's own DNS for a domain in the operator's account. */
  zone(name: string): DnsZone
}
