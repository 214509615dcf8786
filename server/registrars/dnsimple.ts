/** DNSimple, by its API v2 (developer.dnsimple.com/v2). Prices are in US dollars. New domains have DNSimple's own DNS. */
import { normalPrice } from '../../jmap/policy/registration/price.ts'
import type { OwnedDomain, Registrant, Registrar } from '../../jmap/type/registrar-port.ts'
import type { Clock } from '../base/clock.ts'
import { OFFERS_CONCURRENCY, REGISTRATION_YEARS_MAX } from '../base/registration-limits.ts'
import { answered, asObject, JsonApi, refusal, textIn, unusable } from '../egress/json-api.ts'
import type { SafeFetch } from '../egress/safe-fetch.ts'
import { type DnsimpleCall, dnsimpleZone } from './dnsimple-zone.ts'
import { ENDINGS } from './endings.ts'
import { Offers } from './offers.ts'

export interface DnsimpleOptions {
  /** Stands for the API in dev mode; null: DNSimple's own. */
  readonly base: string | null
  /** Number of the account. */
  readonly account: string
  readonly token: string
  readonly fetch: SafeFetch
  readonly clock: Clock
}

const CURRENCY = 'USD'

export function createDnsimple({ base, account, token, fetch, clock }: DnsimpleOptions): Registrar {
  const api = new JsonApi({
    base: `${base ?? 'https://api.dnsimple.com'}/v2/${account}`,
    fetch,
    clock,
    headers: { authorization: `Bearer ${token}` },
    protocols: base === null ? ['https:'] : ['https:', 'http:'],
    label: 'DNSimple',
    isDenialFinal: false,
    wordsOf: ({ message, errors }) => {
      const fields = Object.entries(asObject(errors) ?? {}).map(
        ([name, fault]) => `${name} ${[fault].flat().join(', ')}`,
      )
      return [textIn(message), ...fields].join('; ')
    },
  })
  const call: DnsimpleCall = async (path, request) => {
    const { status, answer } = await api.call(path, request)
    return { status, data: answer['data'], answer }
  }
  const at = (name: string) => `/registrar/domains/${name}`
  const offers = new Offers(clock, OFFERS_CONCURRENCY, (name) => answered(() => offerOf(call, name)))
  return {
    label: 'dnsimple',
    isFake: false,
    yearsMax: REGISTRATION_YEARS_MAX,
    endings: ENDINGS,
    offers: (names) => offers.of(names),
    renewalPrice: (name) =>
      answered(async () => {
        const price = normalPrice(asObject((await call(`${at(name)}/prices`)).data)?.['renewal_price'])
        if (price === null) throw refusal(`DNSimple has no price for ${name}`)
        return { price, currency: CURRENCY }
      }),
    find: (name) => answered(() => find(call, name)),
    register: ({ name, registrant, key }) =>
      answered(async () => {
        offers.forget(name)
        const contact = asObject((await call('/contacts', { method: 'POST', body: contactOf(registrant, key) })).data)
        const body = { registrant_id: contact?.['id'], auto_renew: false, whois_privacy: false }
        await call(`${at(name)}/registrations`, { method: 'POST', body })
        return null
      }),
    renew: ({ name, years }) =>
      answered(async () => {
        await call(`${at(name)}/renewals`, { method: 'POST', body: { period: years } })
        return null
      }),
    settle: (name) =>
      answered(async () => {
        await call(`${at(name)}/auto_renewal`, { method: 'DELETE' })
        return null
      }),
    setNameServers: (name, servers) =>
      answered(async () => {
        await call(`${at(name)}/delegation`, { method: 'PUT', body: servers as unknown as object })
        return null
      }),
    zone: (name) => dnsimpleZone(call, name),
  }
}

async function offerOf(call: DnsimpleCall, name: string) {
  const found = asObject((await call(`/registrar/domains/${name}/check`)).data) ?? {}
  // The price of a premium name has to be confirmed by a person.
  const isFree = found['available'] === true && found['premium'] !== true
  const prices = isFree ? asObject((await call(`/registrar/domains/${name}/prices`)).data) : null
  const purchase = normalPrice(prices?.['registration_price'])
  const isAvailable = isFree && purchase !== null
  return {
    name,
    isAvailable,
    purchasePrice: isAvailable ? purchase : null,
    renewalPrice: isAvailable ? normalPrice(prices?.['renewal_price']) : null,
    currency: CURRENCY,
  }
}

/** A domain that is being registered is there without an expiry. */
async function find(call: DnsimpleCall, name: string): Promise<OwnedDomain | null> {
  const { status, data } = await call(`/domains/${name}`, { allowed: [404] })
  if (status === 404) return null
  const domain = asObject(data)
  // Without the domain it is not known whether it is ours.
  if (domain === null) throw unusable('DNSimple')
  const { state, created_at: createdAt, expires_at: expiresAt } = domain
  const expiry = state === 'registered' ? dateOf(expiresAt) : null
  return { registeredAt: dateOf(createdAt), expiresAt: expiry }
}

function dateOf(value: unknown): number | null {
  const at = Date.parse(textIn(value))
  return Number.isNaN(at) ? null : at
}

function contactOf(registrant: Registrant, label: string): object {
  const { firstName, lastName, address1, city, state, zip, country, phone, email } = registrant
  return {
    label,
    first_name: firstName,
    last_name: lastName,
    address1,
    city,
    state_province: state,
    postal_code: zip,
    country,
    phone: phone.replace('.', ''),
    email,
  }
}
