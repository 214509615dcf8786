/**
 * A wall-clock schedule that the operator sets, as cron writes it, in the system's time zone. node-cron parses and matches; it starts no
 * timers here: callers ask with the time of their own clock (spec/decisions/0023-maintenance.md).
 */
import { createTask, type ParsedFields, parse, type ScheduledTask, validate } from 'node-cron'

const MINUTE_MS = 60_000
/** Milliseconds that `isDue` looks back at most: longer than a month. */
const LOOK_BACK_MS = 32 * 24 * 60 * MINUTE_MS

export class CronSchedule {
  readonly text: string
  readonly #fields: ParsedFields
  readonly #matcher: ScheduledTask

  private constructor(text: string) {
    this.text = text
    this.#fields = parse(text)
    this.#matcher = createTask(text, () => {})
  }

  /** @param text minute, hour, day of the month, month, day of the week; null: it is not that, or no day ever matches */
  static parse(text: string): CronSchedule | null {
    const hasFiveFields = text.trim().split(/\s+/).length === 5
    return hasFiveFields && validate(text) ? new CronSchedule(text) : null
  }

  /** Whether a minute of the schedule begins after `since` and not after `now`. Both are epoch ms. */
  isDue(since: number, now: number): boolean {
    const from = Math.max(since, now - LOOK_BACK_MS)
    for (let at = (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS; at <= now; at += MINUTE_MS)
      if (this.#matches(new Date(at))) return true
    return false
  }

  /** The matcher takes 30 us, so minutes and hours are compared first. */
  #matches(date: Date): boolean {
    const { minute, hour } = this.#fields
    return minute.includes(date.getMinutes()) && hour.includes(date.getHours()) && this.#matcher.match(date)
  }
}
