/**
 * Counts login attempts by name, such as account and client, in a fixed amount of memory: a hash table of eight-way buckets in typed arrays.
 * A count is forgotten when nothing was added to it for the table's time, so that no period of that length exceeds a limit. When a bucket is
 * full, the smallest count is replaced: many names with one attempt each do not displace those with many.
 */
import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'

const WAYS = 8
const COUNT_MAX = 255

export class LoginAttempts {
  readonly #clock: Clock
  readonly #seconds: number
  readonly #buckets: number
  /** Keeps outsiders from finding names that share a bucket. */
  readonly #seed = randomBytes(16).toString('hex')
  /** Two words of each name's hash. */
  readonly #high: Uint32Array
  readonly #low: Uint32Array
  /** Seconds since the epoch of the last addition. */
  readonly #last: Uint32Array
  readonly #counts: Uint8Array

  /** @param seconds after which a count is forgotten @param entries a power of two */
  constructor(clock: Clock, seconds: number, entries: number) {
    this.#clock = clock
    this.#seconds = seconds
    this.#buckets = entries / WAYS
    this.#high = new Uint32Array(entries)
    this.#low = new Uint32Array(entries)
    this.#last = new Uint32Array(entries)
    this.#counts = new Uint8Array(entries)
  }

  /** Octets of memory. They do not depend on what was added. */
  get bytes(): number {
    return this.#high.byteLength + this.#low.byteLength + this.#last.byteLength + this.#counts.byteLength
  }

  count(name: string): number {
    const at = this.#find(this.#key(name))
    return at < 0 ? 0 : this.#counts[at]!
  }

  /** Seconds until the count is forgotten if nothing is added; 0: there is none. */
  secondsLeft(name: string): number {
    const at = this.#find(this.#key(name))
    return at < 0 ? 0 : this.#last[at]! + this.#seconds - this.#now()
  }

  add(name: string): void {
    const key = this.#key(name)
    let at = this.#find(key)
    if (at < 0) {
      at = this.#roomIn(key.bucket)
      this.#high[at] = key.high
      this.#low[at] = key.low
      this.#counts[at] = 0
    }
    this.#counts[at] = Math.min(COUNT_MAX, this.#counts[at]! + 1)
    this.#last[at] = this.#now()
  }

  forget(name: string): void {
    const at = this.#find(this.#key(name))
    if (at >= 0) this.#counts[at] = 0
  }

  #now(): number {
    return Math.floor(this.#clock.now() / 1000)
  }

  #key(name: string): { high: number; low: number; bucket: number } {
    const digest = hash('sha256', this.#seed + name, 'buffer')
    const bucket = digest.readUInt32LE(8) % this.#buckets
    return { high: digest.readUInt32LE(0), low: digest.readUInt32LE(4), bucket: bucket * WAYS }
  }

  #isAlive(at: number): boolean {
    return this.#counts[at]! > 0 && this.#now() - this.#last[at]! < this.#seconds
  }

  #find({ high, low, bucket }: { high: number; low: number; bucket: number }): number {
    for (let at = bucket; at < bucket + WAYS; at++)
      if (this.#high[at] === high && this.#low[at] === low && this.#isAlive(at)) return at
    return -1
  }

  #roomIn(bucket: number): number {
    let worst = bucket
    for (let at = bucket; at < bucket + WAYS; at++) {
      if (!this.#isAlive(at)) return at
      const [count, least] = [this.#counts[at]!, this.#counts[worst]!]
      if (count < least || (count === least && this.#last[at]! < this.#last[worst]!)) worst = at
    }
    return worst
  }
}
