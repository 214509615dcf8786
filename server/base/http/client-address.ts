/** An IPv4 address that came over an IPv6 socket is the same address: what keys allow and limits count names it plainly. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}
