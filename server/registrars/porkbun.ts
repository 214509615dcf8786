/** Porkbun, by its API v3 (porkbun.com/api/json/v3/documentation). Prices are in US dollars. New domains have Porkbun's own DNS. */
import { normalPrice } from '../../jmap/policy/registration/price.ts'
import type { OwnedDomain, Registrant, Registrar } from '../../jmap/type/registrar-port.ts'
import type { Clock } from '../base/clock.ts'
import { PRICES_FRESH_MS } from '../base/registration-limits.ts'
import {
  answered,
  asObject,
  type JsonAnswer,
  JsonApi,
  type JsonCall,
  ProviderError,
  refusal,
  textIn,
  unusable,
} from '../egress/json-api.ts'
import type { SafeFetch } from '../egress/safe-fetch.ts'
import { ENDINGS } from './endings.ts'
import { Offers } from './offers.ts'
import { type PorkbunCall, porkbunZone } from './porkbun-zone.ts'

export interface PorkbunOptions {
  /** Stands for the API in dev mode; null: Porkbun's own. */
  readonly base: string | null
  /** `pk1_...` and `sk1_...`. */
  readonly apiKey: string
  readonly secretKey: string
  readonly fetch: SafeFetch
  readonly clock: Clock
}

const CURRENCY = 'USD'

export function createPorkbun({ base, apiKey, secretKey, fetch, clock }: PorkbunOptions): Registrar {
  const api = new JsonApi({
    base: `${base ?? 'https://api.porkbun.com'}/api/json/v3`,
    fetch,
    clock,
    headers: { 'x-api-key': apiKey, 'x-secret-api-key': secretKey },
    protocols: base === null ? ['https:'] : ['https:', 'http:'],
    label: 'Porkbun',
    isDenialFinal: false,
    wordsOf: ({ message }) => textIn(message),
  })
  const call: PorkbunCall = async (path, body, key) => {
    const request: JsonCall = body ? { method: 'POST', body: { ...body, apikey: apiKey, secretapikey: secretKey } } : {}
    const { answer } = await api.call(path, {
      ...request,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
    if (answer['status'] !== 'SUCCESS') throw refusal(`Porkbun answered: ${textIn(answer['message']).slice(0, 200)}`)
    return answer
  }
  const prices = new Prices(call, clock)
  const offers = new Offers(clock, 1, (name) => answered(() => offerOf(call, name)))
  return {
    label: 'porkbun',
    isFake: false,
    // It registers and renews for the shortest term of the ending.
    yearsMax: 1,
    endings: ENDINGS,
    offers: (names) => offers.of(names),
    renewalPrice: (name) => answered(async () => ({ price: await prices.renewalOf(name), currency: CURRENCY })),
    find: (name) => answered(() => find(call, name)),
    register: ({ name, price, key }) =>
      answered(async () => {
        offers.forget(name)
        await call(`/domain/create/${name}`, { cost: centsOf(price), agreeToTerms: 'yes' }, key)
        return null
      }),
    renew: ({ name, price, key }) =>
      answered(async () => {
        await call(`/domain/renew/${name}`, { cost: centsOf(price) }, key)
        return null
      }),
    settle: (name, registrant) =>
      answered(async () => {
        await call(`/domain/updateAutoRenew/${name}`, { status: 'off' })
        await call(`/domain/updateContacts/${name}`, { contact: contactOf(registrant) })
        return null
      }),
    setNameServers: (name, servers) =>
      answered(async () => {
        await call(`/domain/updateNs/${name}`, { ns: servers })
        return null
      }),
    zone: (name) => porkbunZone(call, name),
  }
}

async function offerOf(call: PorkbunCall, name: string) {
  const response = asObject((await call(`/domain/checkDomain/${name}`, {}))['response']) ?? {}
  const purchase = normalPrice(response['price'])
  const renewal = normalPrice(asObject(asObject(response['additional'])?.['renewal'])?.['price'])
  // The API sells no premium names, and none for several years at least.
  const isSimple = response['premium'] !== 'yes' && Number(response['minDuration'] ?? 1) === 1
  const isAvailable = response['avail'] === 'yes' && isSimple && purchase !== null
  return {
    name,
    isAvailable,
    purchasePrice: isAvailable ? purchase : null,
    renewalPrice: isAvailable ? renewal : null,
    currency: CURRENCY,
  }
}

async function find(call: PorkbunCall, name: string): Promise<OwnedDomain | null> {
  try {
    const domain = asObject((await call(`/domain/get/${name}`))['domain'])
    // Without the domain it is not known whether it is ours.
    if (domain === null) throw unusable('Porkbun')
    return { registeredAt: dateOf(domain['createDate']), expiresAt: dateOf(domain['expireDate']) }
  } catch (error) {
    if (error instanceof ProviderError && error.status === 404) return null
    throw error
  }
}

/** `2027-01-31 17:52:51`, in UTC. */
function dateOf(value: unknown): number | null {
  const at = Date.parse(`${textIn(value).replace(' ', 'T')}Z`)
  return Number.isNaN(at) ? null : at
}

function centsOf(price: string): number {
  return Math.round(Number(price) * 100)
}

function contactOf({ phone, zip, ...registrant }: Registrant): object {
  const [code = '', number = ''] = phone.slice(1).split('.')
  return { ...registrant, postalCode: zip, phone: number, phoneCountryCode: code }
}

/** The list of prices, which needs no question about a name. */
class Prices {
  readonly #call: PorkbunCall
  readonly #clock: Clock
  #known: { readonly pricing: JsonAnswer; readonly at: number } | null = null

  constructor(call: PorkbunCall, clock: Clock) {
    this.#call = call
    this.#clock = clock
  }

  /** @throws ProviderError */
  async renewalOf(name: string): Promise<string> {
    if (this.#known === null || this.#clock.now() - this.#known.at >= PRICES_FRESH_MS) {
      const pricing = asObject((await this.#call('/pricing/get', {}))['pricing']) ?? {}
      this.#known = { pricing, at: this.#clock.now() }
    }
    const ending = name.slice(name.indexOf('.') + 1)
    const price = normalPrice(asObject(this.#known.pricing[ending])?.['renewal'])
    if (price === null) throw refusal(`Porkbun has no price for .${ending}`)
    return price
  }
}
