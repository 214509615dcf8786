/** Finds the mail hosts of a domain (RFC 5321 5.1, RFC 7505) by DNS; it opens no connection. */
import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { OUTBOUND_HOSTS_TRIED } from '../../server/base/outbound-limits.ts'
import type { DnsAnswer, DnsResolver, MxRecord } from '../dns/resolver.ts'
import { type Reply, reply } from '../smtp/reply.ts'

export interface MailHost {
  /** Name in the MX record, for TLS and for the record of the attempt. */
  readonly name: string
  readonly ip: string
  readonly port: number
  /** Its address is authenticated by DNSSEC. */
  readonly isAuthentic?: boolean
}

/** Hosts in the order in which they are tried; domains with the same `key` have the same hosts. */
export type Route =
  /** `isAuthentic`: the names of the hosts are authenticated by DNSSEC, or the domain is its own host. */
  | {
      readonly status: 'found'
      readonly key: string
      readonly hosts: readonly MailHost[]
      readonly isAuthentic: boolean
    }
  | { readonly status: 'refused' | 'deferred'; readonly reply: Reply }

export interface RoutingOptions {
  readonly dns: DnsResolver
  /** Name of this server, to find loops. */
  readonly hostname: string
  readonly port: number
  /** Whether addresses of this machine are allowed: by default they are not, as an MX record of a stranger must not lead to local services. */
  readonly allowLoopback: boolean
  /** 0 to 1, for the order among equal preferences. */
  readonly random: () => number
}

const NOT_KNOWN = reply(451, '4.4.3', 'The name servers of the domain do not answer')
const NO_DOMAIN = reply(550, '5.1.2', 'The domain does not exist or takes no mail')

export async function findRoute(domain: string, options: RoutingOptions): Promise<Route> {
  const literal = addressLiteral(domain)
  if (literal) return toHosts([{ name: domain, answers: [found(literal)] }], options, domain)
  const name = domainToASCII(domain)
  if (name === '') return { status: 'refused', reply: NO_DOMAIN }
  const mx = await options.dns.mx(name)
  switch (mx.status) {
    case 'failed':
      return { status: 'deferred', reply: NOT_KNOWN }
    case 'nxdomain':
      return { status: 'refused', reply: NO_DOMAIN }
    case 'nodata':
      // RFC 5321 5.1: without MX records the domain is its own mail host. RFC 7672 2.2.2: its TLSA records count if its addresses are signed,
      // as there is no other name between.
      return authentic(await resolveHosts([name], options, `${name}:implicit`, NO_DOMAIN), true)
    case 'found':
      return authentic(await mxRoute(mx.records, options), mx.isAuthentic === true)
  }
}

function authentic(route: Route, isAuthentic: boolean): Route {
  return route.status === 'found' ? { ...route, isAuthentic } : route
}

function mxRoute(records: readonly MxRecord[], options: RoutingOptions): Route | Promise<Route> {
  // RFC 7505 3: with a single MX record for the root, the domain accepts no mail.
  if (records.every(({ exchange }) => exchange === '' || exchange === '.')) {
    return { status: 'refused', reply: reply(556, '5.1.10', 'The domain takes no mail (null MX)') }
  }
  const own = options.hostname.toLowerCase()
  const ours = records.filter(({ exchange }) => exchange.toLowerCase() === own)
  // RFC 5321 5.1: hosts with the preference of this server, or a higher number, are not tried: mail would loop.
  const limit = Math.min(...ours.map(({ preference }) => preference))
  const usable = records.filter(({ exchange, preference }) => exchange !== '' && preference < limit)
  if (usable.length === 0)
    return { status: 'refused', reply: reply(554, '5.4.6', 'The mail would come back to this server') }
  const key = usable
    .map(({ exchange, preference }) => `${preference} ${exchange.toLowerCase()}`)
    .sort()
    .join()
  const names = shuffled(usable, options.random).map(({ exchange }) => exchange.toLowerCase())
  return resolveHosts(
    [...new Set(names)],
    options,
    key,
    reply(550, '5.4.4', 'The mail hosts of the domain have no address'),
  )
}

/** RFC 5321 5.1: by preference, and at random among equals. */
function shuffled(records: readonly MxRecord[], random: () => number): MxRecord[] {
  return records
    .map((record) => ({ record, order: random() }))
    .sort((a, b) => a.record.preference - b.record.preference || a.order - b.order)
    .map(({ record }) => record)
}

interface Resolved {
  readonly name: string
  readonly answers: readonly DnsAnswer<string>[]
}

async function resolveHosts(names: string[], options: RoutingOptions, key: string, none: Reply): Promise<Route> {
  const resolved = await Promise.all(
    names.slice(0, OUTBOUND_HOSTS_TRIED).map(async (name): Promise<Resolved> => {
      const literal = isIPv4(name) || isIPv6(name) ? name : null
      // IPv4 first: large receivers refuse IPv6 clients without a correct reverse name.
      return {
        name,
        answers: literal ? [found(literal)] : await Promise.all([options.dns.a(name), options.dns.aaaa(name)]),
      }
    }),
  )
  const route = toHosts(resolved, options, key)
  if (route.status !== 'found' && !resolved.some(({ answers }) => answers.some(({ status }) => status === 'found'))) {
    const unknown = resolved.some(({ answers }) => answers.some(({ status }) => status === 'failed'))
    return unknown ? { status: 'deferred', reply: NOT_KNOWN } : { status: 'refused', reply: none }
  }
  return route
}

function toHosts(resolved: readonly Resolved[], { port, allowLoopback }: RoutingOptions, key: string): Route {
  const hosts = resolved
    .flatMap(({ name, answers }) =>
      answers.flatMap((answer) =>
        answer.status === 'found'
          ? answer.records.map((ip) => ({ name, ip, port, isAuthentic: answer.isAuthentic === true }))
          : [],
      ),
    )
    .filter(({ ip }) => allowLoopback || !isOwnAddress(ip))
    .slice(0, OUTBOUND_HOSTS_TRIED)
  if (hosts.length > 0) return { status: 'found', key: `${key}:${port}`, hosts, isAuthentic: false }
  return { status: 'refused', reply: reply(550, '5.4.4', 'The mail hosts of the domain have no usable address') }
}

function found(record: string): DnsAnswer<string> {
  return { status: 'found', records: [record] }
}

/** RFC 5321 4.1.3 */
function addressLiteral(domain: string): string | null {
  const match = /^\[(?:IPv6:)?([^\]]+)\]$/i.exec(domain)
  return match && (isIPv4(match[1]!) || isIPv6(match[1]!)) ? match[1]! : null
}

/** Loopback, unspecified, link-local and multicast addresses, also IPv4-mapped. */
function isOwnAddress(ip: string): boolean {
  const v4 = /^(?:::ffff:)?(\d+)\.(\d+)\.\d+\.\d+$/i.exec(ip)
  if (v4) {
    const [first, second] = [Number(v4[1]), Number(v4[2])]
    return first === 127 || first === 0 || first >= 224 || (first === 169 && second === 254)
  }
  return /^(?:::1?$|::ffff:|fe[89ab]|ff)/i.test(ip)
}
