/**
 * The IP addresses that URLs of users may lead to (promise W3): those that IANA's registries of special-purpose addresses call globally
 * reachable.
 */
import { BlockList, isIP } from 'node:net'

const INSIDE: readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.31.196.0', 24, 'ipv4'],
  ['192.52.193.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['192.175.48.0', 24, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  // Only 2000::/3 is allocated. These parts of it are special.
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
]

const inside = new BlockList()
for (const [network, prefix, family] of INSIDE) inside.addSubnet(network, prefix, family)

const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** @param address an IP address in any spelling */
export function isPublicAddress(address: string): boolean {
  const plain = withoutZone(address)
  const family = isIP(plain)
  if (family === 4) return !inside.check(plain, 'ipv4')
  if (family !== 6) return false
  const embedded = embeddedIpv4(plain)
  if (embedded !== null) return isPublicAddress(embedded)
  return unicast.check(plain, 'ipv6') && !inside.check(plain, 'ipv6')
}

export function isLoopbackAddress(address: string): boolean {
  const plain = withoutZone(address)
  const family = isIP(plain)
  if (family === 4) return loopback.check(plain, 'ipv4')
  if (family !== 6) return false
  return loopback.check(plain, 'ipv6') || /^::ffff:(7f|127\.)/i.test(canonical(plain))
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '')
}

/** The canonical spelling of RFC 5952, as in URLs. */
function canonical(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1)
}

/** 6to4 (RFC 3056) and NAT64 (RFC 6052) addresses lead to the IPv4 address in them. IPv4-mapped addresses do not appear on the wire. */
function embeddedIpv4(address: string): string | null {
  const groups = groupsOf(canonical(address))
  if (groups[0] === 0x2002) return dotted(groups[1]!, groups[2]!)
  if (groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0))
    return dotted(groups[6]!, groups[7]!)
  return null
}

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const parse = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const before = parse(head)
  const after = tail === undefined ? [] : parse(tail)
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`
}
