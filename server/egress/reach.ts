/** Where addresses that users write may lead (promise W3): what a URL tells by itself, and each IP address that a name has. */
import { lookup as systemLookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { EGRESS_URL_MAX_CHARS } from '../base/push-limits.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

export interface ReachOptions {
  /** For development and tests: this machine counts as outside. Private networks never do. */
  readonly allowLoopback?: boolean
  /** For addresses that the operator has written, of services of his own: every machine counts as outside. */
  readonly allowInside?: boolean
  /** Networks of the operator's that count as outside, as `10.0.0.0/8`. */
  readonly allowNetworks?: readonly string[]
}

export interface Reach {
  /** Why an address would not be gone to, as far as the address alone tells; null when it may be tried. */
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
 * The same for an address that is to be kept, with what its name leads to now. A name that leads nowhere now passes: it is looked at
 * again whenever a connection is made.
 */
export async function faultOfTarget(reach: Reach, address: string, lookup = addressesOf): Promise<string | null> {
  const fault = reach.fault(address)
  if (fault !== null) return fault
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return null
  // RFC 6761 6.3: whatever a resolver makes of it.
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

/** Ports from which other protocols could be spoken to: all of the system's but the web's, and known services above them. */
const OTHER_SERVICES = [
  1433, 2049, 2375, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 9200, 10_080, 11_211, 27_017,
]

function isPortAllowed(port: string): boolean {
  if (port === '') return true
  const number = Number(port)
  return number === 80 || number === 443 || (number >= 1024 && !OTHER_SERVICES.includes(number))
}
