/**
 * Pages that visitors have asked for and do not read. Each holds its octets, so that all of them are limited: when there are too many, the
 * visitor who has waited longest is ended. Whoever reads is served, however many there are who do not.
 */
import type { ServerResponse } from 'node:http'
import { ARCHIVE_UNSENT_MAX_BYTES } from '../../base/newsletter-limits.ts'

export class UnsentPages {
  readonly #max: number
  /** Octets of each, oldest first. */
  readonly #open = new Map<ServerResponse, number>()
  #octets = 0

  constructor(max = ARCHIVE_UNSENT_MAX_BYTES) {
    this.#max = max
  }

  /** Counts a page that was written as a whole, until the system has taken all of it. */
  hold(response: ServerResponse, octets: number): void {
    if (response.closed || response.writableLength === 0) return
    this.#open.set(response, octets)
    this.#octets += octets
    response.once('close', () => this.#release(response))
    for (const oldest of this.#open.keys()) {
      if (this.#octets <= this.#max) return
      this.#release(oldest)
      oldest.destroy()
    }
  }

  #release(response: ServerResponse): void {
    this.#octets -= this.#open.get(response) ?? 0
    this.#open.delete(response)
  }
}
