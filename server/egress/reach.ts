/** Where URLs of users may lead (promise W3). The URL itself is checked, and each IP address of its host name. */
import { lookup as systemLookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { EGRESS_URL_MAX_CHARS } from '../base/push-limits.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

export interface ReachOptions {
  /** For development and tests: loopback addresses are allowed. Other private addresses are not. */
  readonly allowLoopback?: boolean
  /** For URLs that the operator has configured: all addresses are allowed. */
  readonly allowInside?: boolean
  /** Private networks that are allowed, such as `10.0.0.0/8`. */
  readonly allowNetworks?: readonly string[]
}

export interface Reach {
  /** Why a URL is refused, judged by the URL alone; null: it may be tried. */
  fault(address: string, protocols?: readonly string[]): string | null
  /** @param address an IP address */
  mayConnect(address: string): boolean
}

export function createReach({ allowLoopback = false, allowInside = false, allowNetworks = [] }: ReachOptions): Reach {
  const allowed = new BlockList()
  for (const network of allowNetworks) {
    const [address = '', prefix] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) allowed.addAddress(address, family)
    else allowed.addSubnet(address, Number(prefix), family)
  }
  const mayConnect = (address: string): boolean => {
    if (allowInside || isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address))) return true
    return isIP(address) !== 0 && allowed.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return {
    mayConnect,
    fault(address, protocols = ['https:']) {
      if (address.length > EGRESS_URL_MAX_CHARS) return 'the address is too long'
      const url = URL.parse(address)
      if (!url || !protocols.includes(url.protocol)) return `the address is not ${protocols.join(' or ')}//`
      if (url.username !== '' || url.password !== '') return 'the address holds a user name'
      if (!isPortAllowed(url.port)) return `port ${url.port} is not one of the web`
      const host = url.hostname.replace(/^\[|\]$/g, '')
      return isIP(host) !== 0 && !mayConnect(host) ? INSIDE : null
    },
  }
}

const INSIDE = 'the address is not on the public Internet'

/**
 * The same for a URL that is to be stored, with the present addresses of its host name. A name without addresses passes, because each
 * connection checks the name again.
 */
export async function faultOfTarget(reach: Reach, address: string, lookup = addressesOf): Promise<string | null> {
  const fault = reach.fault(address)
  if (fault !== null) return fault
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return null
  // RFC 6761 6.3: it means this machine, whatever a resolver answers.
  const known = /(^|\.)localhost\.?$/.test(host) ? ['127.0.0.1'] : await lookup(host)
  return known.every((one) => reach.mayConnect(one)) ? null : INSIDE
}

async function addressesOf(name: string): Promise<string[]> {
  try {
    return (await systemLookup(name, { all: true })).map(({ address }) => address)
  } catch {
    return []
  }
}

/** Refused ports, where other protocols listen: all system ports except those of the web, and known services above them. */
const OTHER_SERVICES = [
  1433, 2049, 2375, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 9200, 10_080, 11_211, 27_017,
]

function isPortAllowed(port: string): boolean {
  if (port === '') return true
  const number = Number(port)
  return number === 80 || number === 443 || (number >= 1024 && !isOtherService(number))
}

/** A known service that listens above the system ports. */
export function isOtherService(port: number): boolean {
  return OTHER_SERVICES.includes(port)
}
