/** Informs owners whose plans are nearly used up (jmap/notices/usage-mails.ts). */
import type { Turn, WorkerDeps } from './worker.ts'

export function planNotices({ core }: WorkerDeps): Turn {
  return core.mailOwners
}
