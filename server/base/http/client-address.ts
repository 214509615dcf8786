/** Addresses of clients in the form in which keys, limits and the log compare them. */

/** An IPv4-mapped IPv6 address (RFC 4291 2.5.5.2) without its prefix. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}

/** The group of addresses that limits count as one client: an IPv4 address, or an IPv6 /64, because one host may have a whole /64. */
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
