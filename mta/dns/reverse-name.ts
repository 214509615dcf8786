import { isIPv6 } from 'node:net'

/** The reverse name of an address (RFC 1035 3.5, RFC 3596 2.5). */
export function reverseName(address: string): string {
  return isIPv6(address) ? `${reversedNibbles(address)}.ip6.arpa` : `${reversedOctets(address)}.in-addr.arpa`
}

/** An address as DNS lists have it (RFC 5782 2.1, 2.4): `2.0.0.127`, or the nibbles of an IPv6 address. */
export function reversedAddress(address: string): string {
  return isIPv6(address) ? reversedNibbles(address) : reversedOctets(address)
}

function reversedOctets(address: string): string {
  return address.split('.').reverse().join('.')
}

function reversedNibbles(address: string): string {
  return ipv6Groups(address)
    .map((group) => group.toString(16).padStart(4, '0'))
    .join('')
    .split('')
    .reverse()
    .join('.')
}

/** The eight groups of an IPv6 address, also with a dotted end (`::ffff:192.0.2.1`). */
export function ipv6Groups(address: string): number[] {
  const plain = address
    .replace(/%.*$/, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a: string, b: string, c: string, d: string) =>
      [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
    )
  const [head = '', tail] = plain.split('::')
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [read(head), read(tail ?? '')]
  return [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after]
}
