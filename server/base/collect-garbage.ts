import { PASSING_BYTES } from './import-limits.ts'

/** Gives back memory that will not be needed again, such as that of starting. It holds the thread for a tenth of a second. */
export function collectGarbage(): void {
  // Without --expose-gc (server/posthouse has it) V8 does it when it comes to it.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/**
 * Counts octets that pass through a thread, such as those of an import. They lie outside of the heap, which knows only small handles to them and
 * would let tens of megabytes lie. Looking through the young objects now and then takes a millisecond or two.
 */
export class PassingOctets {
  #octets = 0

  add(octets: number): void {
    this.#octets += octets
    if (this.#octets < PASSING_BYTES) return
    this.#octets = 0
    globalThis.gc?.({ type: 'minor', execution: 'sync' })
  }
}
