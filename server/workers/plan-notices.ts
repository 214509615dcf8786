/** Writes to owners whose plans are nearly used up (jmap/service/owner-mail). */
import type { Turn, WorkerDeps } from './worker.ts'

export function planNotices({ core }: WorkerDeps): Turn {
  return core.mailOwners
}
