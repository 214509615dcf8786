import { forgetOldest } from '../../../server/base/forget-oldest.ts'
import { PUSH_CREATORS_MAX } from '../../../server/base/push-limits.ts'

const HOUR_MS = 3_600_000

/** RFC 8620 8.6: counts the subscriptions that each credential creates within an hour, including destroyed ones. Per process. */
export class CreationCounter {
  readonly #perHour: number
  /** By credential, in the order in which their windows end. */
  readonly #windows = new Map<string, { readonly until: number; made: number }>()

  constructor(perHour: number) {
    this.#perHour = perHour
  }

  /** Whether one more may be created now. If so, it is counted. */
  take(credential: string, now: number): boolean {
    const open = this.#windows.get(credential)
    if (open && open.until > now) {
      if (open.made >= this.#perHour) return false
      open.made++
      return true
    }
    this.#windows.delete(credential)
    this.#windows.set(credential, { until: now + HOUR_MS, made: 1 })
    forgetOldest(this.#windows, PUSH_CREATORS_MAX)
    return true
  }
}
