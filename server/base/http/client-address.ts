/** Addresses of clients as keys, limits and the log compare them. */

/** An IPv4 address that arrives over an IPv6 socket (RFC 4291 2.5.5.2) without its prefix. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}

/** What limits count as one client: an IPv4 address, or a /64 of IPv6, since one host may have a whole /64. */
export function addressGroup(ip: string): string {
  const plain = plainAddress(ip)
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) while (groups.length < 4) groups.push('0')
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}
