/**
 * Texts of a large answer as octets outside of the heap: tens of megabytes of texts would double the heap of their thread, which keeps that
 * size. Many texts share a slab; it is freed as soon as the last of them has been written.
 */
import { freeMemory } from '../../server/base/free-memory.ts'
import { FREED_FROM_BYTES } from '../../server/base/limits.ts'
import { JsonText } from './json-text.ts'

/** Octets of UTF-8 that a UTF-16 unit has at most. */
export const UNIT_MAX_BYTES = 3

export class JsonOctets extends JsonText {
  readonly #slab: Slab
  readonly #start: number
  readonly #end: number

  constructor(slab: Slab, start: number, end: number) {
    super()
    this.#slab = slab
    this.#start = start
    this.#end = end
  }

  get size(): number {
    return this.#end - this.#start
  }

  override get text(): string {
    return DECODER.decode(this.#octets())
  }

  /** It will be written once more than was said before. */
  expectWrite(): void {
    this.#slab.writes++
  }

  /** @param push must have taken the octets when it returns */
  override write(push: (octets: Uint8Array) => void): void {
    push(this.#octets())
    this.#slab.written()
  }

  #octets(): Uint8Array {
    return this.#slab.octets.subarray(this.#start, this.#end)
  }
}

class Slab {
  readonly octets: Uint8Array<ArrayBuffer>
  used = 0
  writes = 0
  isFull = false

  constructor(size: number) {
    this.octets = new Uint8Array(size)
  }

  written(): void {
    this.writes--
    if (this.isFull && this.writes === 0) freeMemory(this.octets)
  }
}

export class Slabs {
  #slab: Slab | undefined

  hold(text: string): JsonOctets {
    const most = text.length * UNIT_MAX_BYTES
    let slab = this.#slab
    if (!slab || slab.octets.length - slab.used < most) {
      if (slab) slab.isFull = true
      slab = new Slab(Math.max(FREED_FROM_BYTES, most))
      this.#slab = slab
    }
    const start = slab.used
    slab.used += ENCODER.encodeInto(text, slab.octets.subarray(start)).written
    return new JsonOctets(slab, start, slab.used)
  }
}

const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()
