/** Counts connections by address and network, so that one client cannot use all connections (promise S7). */
import { isIPv6 } from 'node:net'

export class ConnectionCounter {
  readonly #counts = new Map<string, number>()
  readonly #perAddress: number
  readonly #perNetwork: number

  constructor(perAddress: number, perNetwork: number) {
    this.#perAddress = perAddress
    this.#perNetwork = perNetwork
  }

  /** Counts a connection; false when its address or its network has reached its limit. */
  enter(ip: string): boolean {
    const { address, network } = clientKeysOf(ip)
    if (this.#count(address) >= this.#perAddress || this.#count(network) >= this.#perNetwork) return false
    this.#add(address, 1)
    this.#add(network, 1)
    return true
  }

  leave(ip: string): void {
    const { address, network } = clientKeysOf(ip)
    this.#add(address, -1)
    this.#add(network, -1)
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #add(key: string, change: number): void {
    const count = this.#count(key) + change
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

/** What counts as one client: an IPv4 address or an IPv6 /64; and its network: /24 or /48. */
export function clientKeysOf(ip: string): { address: string; network: string } {
  if (!isIPv6(ip)) return { address: ip, network: `${ip.slice(0, ip.lastIndexOf('.'))}.0/24` }
  const [head = '', tail] = ip.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after]
  return { address: `${groups.slice(0, 4).join(':')}::/64`, network: `${groups.slice(0, 3).join(':')}::/48` }
}
