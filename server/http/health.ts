/** /healthz: the process runs. /readyz: it accepts work, and its store answers. Both need no authentication and reveal nothing else. */
import type { Clock } from '../base/clock.ts'
import { READINESS_MS } from '../base/limits.ts'

export interface Health {
  /** A small read of the store. */
  probe(): Promise<unknown>
  readonly clock: Clock
}

export async function isReady({ probe, clock }: Health): Promise<boolean> {
  const { promise: tooLate, resolve } = Promise.withResolvers<boolean>()
  const cancel = clock.after(READINESS_MS, () => resolve(false))
  const answered = probe().then(
    () => true,
    () => false,
  )
  const ready = await Promise.race([answered, tooLate])
  cancel()
  return ready
}
