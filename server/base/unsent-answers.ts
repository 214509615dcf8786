/** Octets of answers that are made and that their clients have not taken yet, of each credential and of all together. */
import type { ServerResponse } from 'node:http'
import { ANSWER_MAX_BYTES, UNSENT_MAX_BYTES } from './reading-limits.ts'

export class UnsentAnswers {
  readonly #octets = new Map<string, number>()
  readonly #listeners = new Set<() => void>()
  #ofAll = 0

  get ofAll(): number {
    return this.#ofAll
  }

  of(credential: string): number {
    return this.#octets.get(credential) ?? 0
  }

  /** Whether an answer of any size may be made. */
  hasRoom(credential: string): boolean {
    return this.of(credential) + ANSWER_MAX_BYTES <= UNSENT_MAX_BYTES
  }

  /** Counts octets until the client has them or has left, which `onEnd` reports once. */
  hold(credential: string, octets: number, onEnd: (listener: () => void) => unknown): void {
    if (octets === 0) return
    this.#ofAll += octets
    this.#octets.set(credential, this.of(credential) + octets)
    onEnd(() => {
      this.#ofAll -= octets
      const left = this.of(credential) - octets
      if (left > 0) this.#octets.set(credential, left)
      else this.#octets.delete(credential)
      for (const listener of this.#listeners) listener()
    })
  }

  /** Counts what the system has not taken of a response that was written as a whole. Most are taken at once. */
  holdWritten(credential: string, response: ServerResponse): void {
    if (!response.closed) this.hold(credential, response.writableLength, (ended) => response.once('close', ended))
  }

  /** Calls `listener` whenever there is more room. */
  onRoom(listener: () => void): void {
    this.#listeners.add(listener)
  }
}
