/** Counts connections by where they come from, so that one sender cannot take every place (promise S7). */
import { isIPv6 } from 'node:net'

export class ConnectionCounter {
  readonly #counts = new Map<string, number>()
  readonly #perAddress: number
  readonly #perNetwork: number

  constructor(perAddress: number, perNetwork: number) {
    this.#perAddress = perAddress
    this.#perNetwork = perNetwork
  }

  /** False when the address, or its network, has all the connections it may have; else the connection is counted. */
  enter(ip: string): boolean {
    const { address, network } = placesOf(ip)
    if (this.#count(address) >= this.#perAddress || this.#count(network) >= this.#perNetwork) return false
    this.#add(address, 1)
    this.#add(network, 1)
    return true
  }

  leave(ip: string): void {
    const { address, network } = placesOf(ip)
    this.#add(address, -1)
    this.#add(network, -1)
  }

  #count(place: string): number {
    return this.#counts.get(place) ?? 0
  }

  #add(place: string, change: number): void {
    const count = this.#count(place) + change
    if (count > 0) this.#counts.set(place, count)
    else this.#counts.delete(place)
  }
}

/** What counts as one sender: an IPv4 address or an IPv6 /64; and its network: /24 or /48. */
export function placesOf(ip: string): { address: string; network: string } {
  if (!isIPv6(ip)) return { address: ip, network: `${ip.slice(0, ip.lastIndexOf('.'))}.0/24` }
  const [head = '', tail] = ip.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after]
  return { address: `${groups.slice(0, 4).join(':')}::/64`, network: `${groups.slice(0, 3).join(':')}::/48` }
}
