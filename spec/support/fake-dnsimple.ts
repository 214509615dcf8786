/** DNSimple's API v2 on loopback, from its documentation: availability, registration, renewal and records of one account. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

interface Held {
  readonly created_at: string
  expires_at: string
  state: 'hosted' | 'registered'
  auto_renew: boolean
  readonly records: (Record<string, unknown> & { readonly id: number })[]
}

export interface FakeDnsimple {
  readonly server: Server
  readonly domains: Map<string, Held>
  readonly contacts: Record<string, unknown>[]
  /** Registrations and renewals, in order. */
  readonly bought: string[]
  readonly requests: string[]
  /** New registrations stay `hosted` until this is called. */
  isSlow: boolean
}

export const DNSIMPLE = { account: '1010', token: 'dnsimple_a_test' } as const
const YEAR_MS = 31_536_000_000

/** Registries refuse renewals of names that begin with `lapse`. */
export function createFakeDnsimple(now: () => number = Date.now): FakeDnsimple {
  let lastId = 0
  const fake: FakeDnsimple = {
    server: createServer((request, response) => void answer(request, response)),
    domains: new Map(),
    contacts: [],
    bought: [],
    requests: [],
    isSlow: false,
  }
  const { domains } = fake
  const instant = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://localhost')
    const raw = await text(request)
    fake.requests.push(`${request.method} ${url.pathname}`)
    const [, , account, ...parts] = url.pathname.split('/')
    if (request.headers.authorization !== `Bearer ${DNSIMPLE.token}` || account !== DNSIMPLE.account)
      return send(response, 401, { message: 'Authentication failed' })
    const [status, body] = act(request.method!, parts, raw === '' ? {} : JSON.parse(raw), url)
    send(response, status, body)
  }

  function act(method: string, parts: readonly string[], body: Record<string, unknown>, url: URL): [number, object] {
    if (parts[0] === 'contacts') {
      const blank = [
        'first_name',
        'last_name',
        'address1',
        'city',
        'state_province',
        'postal_code',
        'country',
        'phone',
        'email',
      ]
        .filter((name) => typeof body[name] !== 'string' || body[name] === '')
        .map((name) => [name, ["can't be blank"]])
      if (blank.length > 0) return [400, { message: 'Validation failed', errors: Object.fromEntries(blank) }]
      fake.contacts.push({ ...body, id: ++lastId })
      return [201, { data: fake.contacts.at(-1) }]
    }
    if (parts[0] === 'zones') return zone(method, parts, body, url)
    const name = (parts[0] === 'registrar' ? parts[2] : parts[1])!
    const domain = domains.get(name)
    const verb = parts[0] === 'registrar' ? parts[3] : 'domain'
    if (verb === 'check') return [200, { data: { domain: name, available: isFree(name), premium: false } }]
    if (verb === 'prices')
      return [
        200,
        { data: { domain: name, premium: false, registration_price: 11.08, renewal_price: 12.5, transfer_price: 11 } },
      ]
    if (verb === 'registrations') return register(name, body)
    if (!domain) return [404, { message: `Domain \`${name}\` not found` }]
    switch (verb) {
      case 'domain':
        return [200, { data: { id: 1, name, ...domain, records: undefined } }]
      case 'renewals':
        if (name.startsWith('lapse')) return [400, { message: 'The registry refused the renewal.' }]
        fake.bought.push(`renew ${name} ${body['period']}`)
        domain.expires_at = instant(Date.parse(domain.expires_at) + Number(body['period']) * YEAR_MS)
        return [201, { data: { id: ++lastId, domain_id: 1, period: body['period'], state: 'new' } }]
      case 'auto_renewal':
        domain.auto_renew = method === 'PUT'
        return [204, {}]
      default:
        return [200, { data: body }]
    }
  }

  function register(name: string, body: Record<string, unknown>): [number, object] {
    if (!fake.contacts.some(({ id }) => id === body['registrant_id'])) return [400, { message: 'Validation failed' }]
    if (!isFree(name)) return [400, { message: 'The domain is not available' }]
    fake.bought.push(`register ${name}`)
    const at = now()
    const state = fake.isSlow ? 'hosted' : 'registered'
    domains.set(name, {
      created_at: instant(at),
      expires_at: instant(at + YEAR_MS),
      state,
      auto_renew: body['auto_renew'] === true,
      records: [],
    })
    return [fake.isSlow ? 202 : 201, { data: { id: ++lastId, domain_id: 1, period: 1, state: 'new' } }]
  }

  function zone(
    method: string,
    [, name, , id]: readonly string[],
    body: Record<string, unknown>,
    url: URL,
  ): [number, object] {
    const records = domains.get(name!)?.records
    if (!records) return [404, { message: `Zone \`${name}\` not found` }]
    const at = records.findIndex((one) => one.id === Number(id))
    switch (method) {
      case 'GET': {
        const page = Number(url.searchParams.get('page') ?? 1)
        const size = 5
        const pagination = {
          current_page: page,
          per_page: size,
          total_entries: records.length,
          total_pages: Math.ceil(records.length / size),
        }
        return [200, { data: records.slice((page - 1) * size, page * size), pagination }]
      }
      case 'POST':
        records.push({ priority: null, ...body, id: ++lastId })
        return [201, { data: records.at(-1) }]
      case 'PATCH':
        records[at] = { ...records[at]!, ...body }
        return [200, { data: records[at] }]
      default:
        records.splice(at, 1)
        return [204, {}]
    }
  }

  function isFree(name: string): boolean {
    return !name.startsWith('taken') && !domains.has(name)
  }

  return fake
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(status === 204 ? undefined : JSON.stringify(body))
}
