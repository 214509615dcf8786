/** `allowedIps` of an API key: addresses and CIDR ranges (RFC 4632, RFC 4291 2.3). */
import { BlockList, isIP } from 'node:net'

/** Whether a text is an address or a range. */
export function isIpRange(text: string): boolean {
  return parseRange(text) !== null
}

/** Whether all of one range lies in one of several. */
export function isRangeWithin(ranges: readonly string[], range: string): boolean {
  const inner = parseRange(range)
  return ranges.some((one) => {
    const outer = parseRange(one)
    return inner && outer && inner.prefix >= outer.prefix && isIpAllowed([one], inner.address)
  })
}

/** An IPv4-mapped IPv6 address (RFC 4291 2.5.5.2) is the same as the IPv4 address. */
export function isIpAllowed(ranges: readonly string[], ip: string): boolean {
  const list = new BlockList()
  for (const range of ranges.map(parseRange)) if (range) list.addSubnet(range.address, range.prefix, range.family)
  const address = ip.replace(/^::ffff:(?=[0-9.]+$)/i, '')
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

function parseRange(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | null {
  const [address = '', length, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return null
  const bits = version === 4 ? 32 : 128
  if (length !== undefined && !/^[0-9]{1,3}$/.test(length)) return null
  const prefix = length === undefined ? bits : Number(length)
  return prefix <= bits ? { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' } : null
}
