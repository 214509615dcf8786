/**
 * What the authoritative servers of a domain say, past all caches: the resolver is asked which servers those are and where, then they
 * are asked themselves. Delegations below the domain and aliases to other zones are followed (RFC 1034 4.3.1, 3.6.2). Addresses come
 * from what strangers put into DNS: `mayAsk` says which of them may be sent anything at all.
 */
import { getServers } from 'node:dns'
import type { DnsFinding, DnsQuestion, DomainDns, DomainFindings } from '../../jmap/service/domain/domain-dns.ts'
import type { Clock } from '../../server/base/clock.ts'
import {
  DNS_AUTHORITY_TIMEOUT_MS,
  DNS_AUTHORITY_TOTAL_MS,
  DNS_NAME_SERVERS_MAX,
  DNS_SERVERS_TRIED,
  DNS_STEPS_MAX,
} from '../../server/base/domain-limits.ts'
import { type DnsServer, exchange } from './exchange.ts'
import { type PresentedRecord, presentRecord } from './presentation.ts'
import { type DnsMessage, type DnsType, TYPES } from './wire.ts'

export interface AuthorityOptions {
  /** The recursive resolver; null: that of the system. */
  readonly resolver: DnsServer | null
  /** Where authoritative servers listen. */
  readonly port: number
  readonly mayAsk: (address: string) => boolean
  readonly clock: Clock
  readonly timeoutMs?: number
}

export function createDomainDns(options: AuthorityOptions): DomainDns {
  return { ask: (domain, questions) => askAll(options, domain, questions) }
}

async function askAll(
  options: AuthorityOptions,
  domain: string,
  questions: readonly DnsQuestion[],
): Promise<DomainFindings> {
  const inquiry = new Inquiry(options, domain)
  const { promise: tooLate, resolve } = Promise.withResolvers<'too late'>()
  const cancel = options.clock.after(DNS_AUTHORITY_TOTAL_MS, () => resolve('too late'))
  const orElse = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    const result = await Promise.race([work, tooLate])
    return result === 'too late' ? otherwise : (result as T)
  }
  try {
    const [zone, isSigned, answers] = await Promise.all([
      orElse(inquiry.zoneOf(domain), null),
      orElse(inquiry.isSigned(domain), false),
      Promise.all(
        questions.map(({ name, type }) => orElse<DnsFinding>(inquiry.find(name, type), { status: 'unknown' })),
      ),
    ])
    return { nameServers: zone === null || zone === 'none' ? [] : zone.names, isSigned, answers }
  } finally {
    cancel()
  }
}

/** Servers of a zone; `none`: no such domain is delegated. */
interface Zone {
  /** Its own name. */
  readonly apex: string
  readonly names: readonly string[]
}

type Step = DnsFinding | { readonly status: 'delegated'; readonly names: readonly string[] } | Alias

interface Alias {
  readonly status: 'alias'
  readonly target: string
}

/** The questions about one domain: what one of them finds out about zones and addresses the others use. */
class Inquiry {
  readonly #options: AuthorityOptions
  readonly #domain: string
  readonly #resolver: DnsServer
  readonly #zones = new Map<string, Promise<Zone | 'none' | null>>()
  readonly #addresses = new Map<string, Promise<readonly string[]>>()

  constructor(options: AuthorityOptions, domain: string) {
    this.#options = options
    this.#domain = domain
    this.#resolver = options.resolver ?? systemResolver()
  }

  async find(name: string, type: DnsType): Promise<DnsFinding> {
    let wanted = name
    // Names below the domain are asked of its own servers, which know what they have delegated.
    let zone = await this.zoneOf(isWithin(name, this.#domain) ? this.#domain : name)
    for (let step = 0; step < DNS_STEPS_MAX; step++) {
      if (zone === 'none') return { status: 'absent' }
      if (zone === null) return { status: 'unknown' }
      const found = await this.#askZone(zone, wanted, type)
      if (found.status === 'delegated') {
        zone = { apex: wanted, names: found.names }
      } else if (found.status === 'alias') {
        wanted = found.target
        zone = await this.zoneOf(wanted)
      } else return found
    }
    return { status: 'unknown' }
  }

  /** null: not known. */
  zoneOf(name: string): Promise<Zone | 'none' | null> {
    return remembered(this.#zones, name, async () => {
      const answer = await this.#resolve(name, 'NS')
      if (answer === null) return null
      const names = valuesOf(answer, 'NS', name)
      if (names.length > 0) return { apex: name, names: names.slice(0, DNS_NAME_SERVERS_MAX) }
      const parent = name.slice(name.indexOf('.') + 1)
      // What is not delegated below a top-level domain does not exist: its servers need not be asked.
      return name.includes('.') && parent.includes('.') ? this.zoneOf(parent) : 'none'
    })
  }

  async isSigned(name: string): Promise<boolean> {
    const zone = await this.zoneOf(name)
    if (zone === null || zone === 'none') return false
    const answer = await this.#resolve(zone.apex, 'DS')
    return answer !== null && valuesOf(answer, 'DS', zone.apex).length > 0
  }

  /** The first server that knows decides. One that is not there, is broken, or is no authority says nothing. */
  async #askZone(zone: Zone, name: string, type: DnsType): Promise<Step> {
    const { port, clock, timeoutMs = DNS_AUTHORITY_TIMEOUT_MS } = this.#options
    let tried = 0
    for (const server of zone.names) {
      for (const host of await this.#addressesOf(server)) {
        if (tried++ >= DNS_SERVERS_TRIED) return { status: 'unknown' }
        const answer = await exchange({ server: { host, port }, name, type, isRecursive: false, timeoutMs, clock })
        const step = answer && read(answer, name, type)
        if (step) return step
      }
    }
    return { status: 'unknown' }
  }

  #addressesOf(name: string): Promise<readonly string[]> {
    return remembered(this.#addresses, name, async () => {
      const types = ['A', 'AAAA'] as const
      const answers = await Promise.all(types.map((type) => this.#resolve(name, type)))
      const addresses = answers.flatMap((answer, i) => (answer ? valuesOf(answer, types[i]!, name) : []))
      return addresses.filter((address) => this.#options.mayAsk(address))
    })
  }

  /** null: no answer, or that of a resolver in trouble. */
  async #resolve(name: string, type: DnsType): Promise<DnsMessage | null> {
    const { clock, timeoutMs = DNS_AUTHORITY_TIMEOUT_MS } = this.#options
    for (let tries = 0; tries < 2; tries++) {
      const answer = await exchange({ server: this.#resolver, name, type, timeoutMs, clock })
      if (answer && (answer.rcode === NOERROR || answer.rcode === NXDOMAIN)) return answer
    }
    return null
  }
}

const NOERROR = 0
const NXDOMAIN = 3

/** null: the server is no authority for the name, or in trouble. */
function read(message: DnsMessage, name: string, type: DnsType): Step | null {
  if (message.rcode !== NOERROR && message.rcode !== NXDOMAIN) return null
  try {
    const asked = name.toLowerCase()
    const owner = endOfAliases(message, asked, type)
    const records = presented(message, owner, type)
    if (message.isAuthoritative) {
      if (records.length > 0) return { status: 'found', records }
      return owner === asked ? { status: 'absent' } : { status: 'alias', target: owner }
    }
    const below = message.authority.filter((record) => record.type === TYPES.NS && isWithin(asked, record.name))
    const names = below.map((record) => presentRecord(message.bytes, record)!.value)
    return names.length > 0 ? { status: 'delegated', names: names.slice(0, DNS_NAME_SERVERS_MAX) } : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** RFC 1034 4.3.2 3a: within the answer aliases lead on as far as this server knows. */
function endOfAliases(message: DnsMessage, name: string, type: DnsType): string {
  let owner = name
  // These are about the name itself: what an alias leads to has its own.
  if (type === 'CNAME' || type === 'NS' || type === 'DS') return owner
  for (let step = 0; step < DNS_STEPS_MAX; step++) {
    const [alias] = presented(message, owner, 'CNAME')
    if (!alias) break
    owner = alias.value
  }
  return owner
}

function presented({ bytes, answers }: DnsMessage, name: string, type: DnsType): PresentedRecord[] {
  const records = answers.filter((record) => record.name === name && record.type === TYPES[type])
  return records.map((record) => presentRecord(bytes, record)).filter((record) => record !== null)
}

function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`)
}

/** Values of a resolver's answer; what cannot be read is not there. */
function valuesOf(message: DnsMessage, type: DnsType, name: string): string[] {
  try {
    return presented(message, endOfAliases(message, name.toLowerCase(), type), type).map(({ value }) => value)
  } catch {
    return []
  }
}

function remembered<T>(known: Map<string, Promise<T>>, name: string, find: () => Promise<T>): Promise<T> {
  const found = known.get(name) ?? find()
  known.set(name, found)
  return found
}

function systemResolver(): DnsServer {
  const [first = '127.0.0.1'] = getServers()
  const match = /^\[(.+)\]:(\d+)$/.exec(first) ?? /^([\d.]+):(\d+)$/.exec(first)
  return match ? { host: match[1]!, port: Number(match[2]) } : { host: first, port: 53 }
}
