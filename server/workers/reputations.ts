/** Evaluates how the mail of organizations is received (jmap/service/reputation). */
import type { Turn, WorkerDeps } from './worker.ts'

export function reputations({ core }: WorkerDeps): Turn {
  return core.evaluateReputations
}
