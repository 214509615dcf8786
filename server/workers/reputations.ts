/** Evaluates the reputations of organizations (jmap/policy/reputation/evaluate.ts). */
import type { Turn, WorkerDeps } from './worker.ts'

export function reputations({ core }: WorkerDeps): Turn {
  return core.evaluateReputations
}
