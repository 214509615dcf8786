/** A progress bar on a terminal; on anything else nothing, so that logs stay short. */
import type { Clock } from '../../base/clock.ts'
import { TRANSFER_SHOW_MS } from '../../base/transfer-limits.ts'
import type { Terminal } from '../command.ts'

const WIDTH = 30

export class Progress {
  readonly #terminal: Terminal
  readonly #clock: Clock
  readonly #startedAt: number
  #shownAt = Number.NEGATIVE_INFINITY
  #done = 0
  #total: number | null

  /** @param total null: not known yet */
  constructor(terminal: Terminal, clock: Clock, total: number | null) {
    this.#terminal = terminal
    this.#clock = clock
    this.#startedAt = clock.now()
    this.#total = total
  }

  add(count: number): void {
    this.set(this.#done + count, this.#total)
  }

  set(done: number, total: number | null): void {
    this.#done = done
    this.#total = total
    const now = this.#clock.now()
    if (!this.#terminal.isInteractive || now - this.#shownAt < TRANSFER_SHOW_MS) return
    this.#shownAt = now
    this.#terminal.printError(`\r${this.#line(now)}\u001b[K`)
  }

  /** Removes the bar. */
  end(): void {
    if (this.#terminal.isInteractive) this.#terminal.printError('\r\u001b[K')
  }

  #line(now: number): string {
    const seconds = Math.max(1, Math.round((now - this.#startedAt) / 1_000))
    const rate = `${Math.round(this.#done / seconds)}/s`
    if (this.#total === null || this.#total === 0) return `${this.#done} messages  ${rate}`
    const filled = Math.min(WIDTH, Math.floor((this.#done / this.#total) * WIDTH))
    const bar = `${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}`
    return `[${bar}] ${this.#done} of ${this.#total} messages  ${rate}`
  }
}
