import { PASSING_BYTES } from './import-limits.ts'

/** Gives back memory that will not be needed again, such as that of starting. It holds the thread for a tenth of a second. */
export function collectGarbage(): void {
  // Without --expose-gc (server/posthouse has it) V8 does it when it comes to it.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/**
 * Looks through the young objects only, in a millisecond or two. The space for new objects is filled to its end before V8 does it, and V8
 * keeps what was filled once.
 */
export function collectYoungGarbage(): void {
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
}

/**
 * Counts octets that pass through a thread, such as those of an import. They lie outside of the heap, which knows only small handles to them and
 * would let tens of megabytes lie. Looking through the young objects now and then takes a millisecond or two.
 */
export class PassingOctets {
  readonly #each: number
  #octets = 0

  /** @param each octets after which it looks */
  constructor(each = PASSING_BYTES) {
    this.#each = each
  }

  add(octets: number): void {
    this.#octets += octets
    if (this.#octets < this.#each) return
    this.#octets = 0
    collectYoungGarbage()
  }
}
