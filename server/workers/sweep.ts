/** Removes what expires within a day or fills the disk (jmap/mail/sweep.ts). */
import type { Turn, WorkerDeps } from './worker.ts'

export function sweep({ core }: WorkerDeps): Turn {
  return core.sweep
}
