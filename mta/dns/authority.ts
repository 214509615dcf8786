/**
 * Asks the authoritative servers of a domain, without caches: the resolver gives the names and addresses of the servers, then they are asked
 * directly. Delegations below the domain and aliases to other zones are followed (RFC 1034 4.3.1, 3.6.2). The addresses come from DNS data of
 * strangers: `mayAsk` decides which of them may be sent a packet.
 */
import { getServers } from 'node:dns'
import type { DnsFinding, DnsQuestion, DomainDns, DomainFindings } from '../../jmap/type/host-ports.ts'
import type { Clock } from '../../server/base/clock.ts'
import {
  DNS_AUTHORITY_TIMEOUT_MS,
  DNS_AUTHORITY_TOTAL_MS,
  DNS_NAME_SERVERS_MAX,
  DNS_SERVERS_TRIED,
  DNS_STEPS_MAX,
} from '../../server/base/domain-limits.ts'
import { type PresentedRecord, presentRecord } from './presentation.ts'
import { type DnsServer, queryServer } from './query.ts'
import { type DnsMessage, type DnsType, TYPES } from './wire.ts'

export interface AuthorityOptions {
  /** The recursive resolver; null: the one of the system. */
  readonly resolver: DnsServer | null
  /** Port of authoritative servers. */
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
  const lookup = new AuthorityLookup(options, domain)
  const { promise: tooLate, resolve } = Promise.withResolvers<'too late'>()
  const cancel = options.clock.after(DNS_AUTHORITY_TOTAL_MS, () => resolve('too late'))
  const orElse = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    const result = await Promise.race([work, tooLate])
    return result === 'too late' ? otherwise : (result as T)
  }
  try {
    const [zone, isSigned, answers] = await Promise.all([
      orElse(lookup.zoneOf(domain), null),
      orElse(lookup.isSigned(domain), false),
      Promise.all(
        questions.map(({ name, type }) => orElse<DnsFinding>(lookup.find(name, type), { status: 'unknown' })),
      ),
    ])
    return { nameServers: zone === null || zone === 'none' ? [] : zone.names, isSigned, answers }
  } finally {
    cancel()
  }
}

/** A zone and the names of its servers. */
interface Zone {
  /** Name of the zone. */
  readonly apex: string
  readonly names: readonly string[]
}

type Step = DnsFinding | { readonly status: 'delegated'; readonly names: readonly string[] } | Alias

interface Alias {
  readonly status: 'alias'
  readonly target: string
}

/** The queries about one domain. They share their results on zones and addresses. */
class AuthorityLookup {
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
    // Questions about names below the domain go to the servers of the domain, which know its delegations.
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

  /** The closest zone at or above a name; `none`: no such domain is delegated; null: not known. */
  zoneOf(name: string): Promise<Zone | 'none' | null> {
    return remembered(this.#zones, name, async () => {
      const answer = await this.#resolve(name, 'NS')
      if (answer === null) return null
      const names = valuesOf(answer, 'NS', name)
      if (names.length > 0) return { apex: name, names: names.slice(0, DNS_NAME_SERVERS_MAX) }
      const parent = name.slice(name.indexOf('.') + 1)
      // A domain right below a top-level domain that is not delegated does not exist; the servers above need not be asked.
      return name.includes('.') && parent.includes('.') ? this.zoneOf(parent) : 'none'
    })
  }

  async isSigned(name: string): Promise<boolean> {
    const zone = await this.zoneOf(name)
    if (zone === null || zone === 'none') return false
    const answer = await this.#resolve(zone.apex, 'DS')
    return answer !== null && valuesOf(answer, 'DS', zone.apex).length > 0
  }

  /** The first server with an answer decides; servers that do not answer, fail, or have no authority are skipped. */
  async #askZone(zone: Zone, name: string, type: DnsType): Promise<Step> {
    const { port, clock, timeoutMs = DNS_AUTHORITY_TIMEOUT_MS } = this.#options
    let tried = 0
    for (const server of zone.names) {
      for (const host of await this.#addressesOf(server)) {
        if (tried++ >= DNS_SERVERS_TRIED) return { status: 'unknown' }
        const answer = await queryServer({ server: { host, port }, name, type, isRecursive: false, timeoutMs, clock })
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

  /** null: no answer, or a failure of the resolver. */
  async #resolve(name: string, type: DnsType): Promise<DnsMessage | null> {
    const { clock, timeoutMs = DNS_AUTHORITY_TIMEOUT_MS } = this.#options
    for (let tries = 0; tries < 2; tries++) {
      const answer = await queryServer({ server: this.#resolver, name, type, timeoutMs, clock })
      if (answer && (answer.rcode === NOERROR || answer.rcode === NXDOMAIN)) return answer
    }
    return null
  }
}

const NOERROR = 0
const NXDOMAIN = 3

/** null: the server has no authority for the name, or failed. */
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

/** RFC 1034 4.3.2 3a: the name at the end of the aliases in the answer. */
function endOfAliases(message: DnsMessage, name: string, type: DnsType): string {
  let owner = name
  // Records of these types belong to the name itself, not to the target of an alias.
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

/** Values of a resolver's answer; an answer that cannot be parsed has none. */
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
