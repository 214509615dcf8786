/**
 * Porkbun's API v3 on loopback, from its documentation: availability, registration, renewal and records of one account. It counts what was
 * bought, and keeps the outcome of a request with an Idempotency-Key, as the real one does for a day.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export interface PorkbunRecord {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly content: string
  readonly ttl: string
  readonly prio: string | null
}

export interface PorkbunDomain {
  createDate: number
  expireDate: number
  autoRenew: boolean
  contact: object | null
  ns: readonly string[]
  readonly records: PorkbunRecord[]
}

/** `lost`, `garbage`: the request is fulfilled, but the answer does not arrive, or says nothing. */
export type PorkbunFault =
  | { readonly status: number; readonly message: string; readonly code?: string }
  | 'lost'
  | 'garbage'

export interface FakePorkbun {
  readonly server: Server
  readonly domains: Map<string, PorkbunDomain>
  /** Names of the registrations and renewals, in order. */
  readonly bought: { readonly kind: 'create' | 'renew'; readonly name: string; readonly cost: number }[]
  /** `METHOD path`, in order. */
  readonly requests: string[]
  /** What befalls the next request whose path has the beginning. */
  readonly faults: { readonly path: string; readonly fault: PorkbunFault }[]
  now: () => number
  /** Waits before each request is fulfilled, and before each answer. */
  delay: () => Promise<unknown>
  /** Milliseconds of a registration; a renewal adds a year. */
  termMs: number
  /** Renewals are accepted and charged, and not carried out. */
  isWithholding: boolean
  /** Prices of the first year, and of a year more. */
  registration: string
  renewal: string
}

export const PORKBUN_KEYS = { apiKey: 'pk1_test', secretKey: 'sk1_test' } as const
const YEAR_MS = 31_536_000_000
const PRICE = { registration: '11.08', renewal: '12.50' } as const

/** Names that begin with `taken` are registered by others; registries refuse those that begin with `broken`, and renewals of `lapse`. */
export function createFakePorkbun(now: () => number = Date.now): FakePorkbun {
  const outcomes = new Map<string, object>()
  let lastId = 0
  const fake: FakePorkbun = {
    server: createServer((request, response) => void answer(request, response)),
    domains: new Map(),
    bought: [],
    requests: [],
    faults: [],
    now,
    delay: async () => {},
    termMs: YEAR_MS,
    isWithholding: false,
    ...PRICE,
  }
  const { domains } = fake

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace('/api/json/v3', '')
    const body = request.method === 'POST' ? JSON.parse((await text(request)) || '{}') : {}
    fake.requests.push(`${request.method} ${path}`)
    await fake.delay()
    const at = fake.faults.findIndex((one) => path.startsWith(one.path))
    const fault = at < 0 ? null : fake.faults.splice(at, 1)[0]!.fault
    if (typeof fault === 'object' && fault !== null) return send(response, fault.status, { ...fault, status: 'ERROR' })
    const { 'x-api-key': key = body.apikey, 'x-secret-api-key': secret = body.secretapikey } = request.headers
    if (key !== PORKBUN_KEYS.apiKey || secret !== PORKBUN_KEYS.secretKey)
      return send(response, 403, { status: 'ERROR', code: 'INVALID_API_KEYS_002', message: 'Invalid API key.' })
    const once = request.headers['idempotency-key'] as string | undefined
    const known = once === undefined ? undefined : outcomes.get(`${path} ${once}`)
    const [status, result] = known ? [200, known] : act(path.split('/').slice(1), body)
    if (once !== undefined && status === 200) outcomes.set(`${path} ${once}`, result)
    await fake.delay()
    if (fault === 'lost') response.destroy()
    else if (fault === 'garbage') response.end('<html>Be back soon</html>')
    else send(response, status, result)
  }

  function act([area, verb, name = '', id = '']: readonly string[], body: Record<string, unknown>): [number, object] {
    const done = (more: object = {}): [number, object] => [200, { status: 'SUCCESS', ...more }]
    const fail = (status: number, code: string, message: string): [number, object] => [
      status,
      { status: 'ERROR', code, message },
    ]
    const price = { registration: fake.registration, renewal: fake.renewal }
    if (area === 'pricing') return done({ pricing: { com: price, org: price, net: price } })
    if (verb === 'checkDomain') return done({ response: availability(name) })
    if (verb === 'create' && area === 'domain') {
      if (name.startsWith('broken')) return fail(400, 'REGISTRATION_FAILED', 'The registry refused the domain.')
      if (!isFree(name)) return fail(400, 'DOMAIN_NOT_AVAILABLE', 'The domain is not available.')
      if (body['cost'] !== 1108 || body['agreeToTerms'] !== 'yes')
        return fail(400, 'INVALID_COST', 'The cost is wrong.')
      fake.bought.push({ kind: 'create', name, cost: body['cost'] })
      const createDate = fake.now()
      const records: PorkbunRecord[] = [record(name, { name: '*', type: 'CNAME', content: 'pixie.porkbun.com' })]
      const expireDate = createDate + fake.termMs
      domains.set(name, { createDate, expireDate, autoRenew: true, contact: null, ns: [], records })
      return done({ domain: name, cost: 1108, orderId: domains.size })
    }
    const domain = domains.get(name)
    if (!domain) return fail(404, 'DOMAIN_NOT_FOUND', 'The domain is not in this account.')
    switch (`${area} ${verb}`) {
      case 'domain get':
        return done({
          domain: { domain: name, createDate: dateText(domain.createDate), expireDate: dateText(domain.expireDate) },
        })
      case 'domain renew':
        if (body['cost'] !== Math.round(Number(fake.renewal) * 100))
          return fail(400, 'INVALID_COST', 'The cost is wrong.')
        if (name.startsWith('lapse')) return fail(400, 'RENEWAL_FAILED', 'The registry refused the renewal.')
        fake.bought.push({ kind: 'renew', name, cost: body['cost'] })
        if (!fake.isWithholding) domain.expireDate += YEAR_MS
        return done()
      case 'domain updateAutoRenew':
        domain.autoRenew = body['status'] === 'on'
        return done()
      case 'domain updateContacts':
        domain.contact = body['contact'] as object
        return done()
      case 'domain updateNs':
        domain.ns = body['ns'] as string[]
        return done()
      case 'dns retrieve':
        return done({ records: domain.records })
      case 'dns create':
        domain.records.push(record(name, body))
        return done({ id: Number(domain.records.at(-1)!.id) })
      case 'dns edit': {
        const index = domain.records.findIndex((one) => one.id === id)
        if (index < 0) return fail(400, 'RECORD_NOT_FOUND', 'There is no such record.')
        domain.records[index] = { ...record(name, body), id }
        return done()
      }
      case 'dns delete':
        domain.records.splice(
          domain.records.findIndex((one) => one.id === id),
          1,
        )
        return done()
      default:
        return fail(404, 'NOT_FOUND', 'There is no such command.')
    }
  }

  function isFree(name: string): boolean {
    return !name.startsWith('taken') && !domains.has(name)
  }

  function availability(name: string): object {
    const additional = { renewal: { type: 'renewal', price: fake.renewal, regularPrice: fake.renewal } }
    return {
      avail: isFree(name) ? 'yes' : 'no',
      type: 'registration',
      price: fake.registration,
      premium: 'no',
      additional,
    }
  }

  function record(zone: string, body: Record<string, unknown>): PorkbunRecord {
    const { name = '', type, content, ttl = '600', prio = null } = body as Record<string, string>
    lastId++
    return {
      id: String(lastId),
      name: name === '' ? zone : `${name}.${zone}`,
      type: type!,
      content: content!,
      ttl,
      prio,
    }
  }

  return fake
}

/** `2027-01-31 17:52:51` */
function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
