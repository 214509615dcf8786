/** The REST API without HTTP: executes requests that another thread has admitted. */
import { ENDPOINTS } from './endpoints.ts'
import type { ExecutionDeps } from './pipeline/execution.ts'
import { createWrittenAnswers, type Execute } from './pipeline/written-answer.ts'

export { restIds } from './access/ids.ts'
export type { AdmittedRequest } from './pipeline/execution.ts'
export type { WrittenAnswer } from './pipeline/respond.ts'
export type { Execute } from './pipeline/written-answer.ts'

/** @param checkAnswers as in RestConfig */
export function createRestExecutor(deps: ExecutionDeps, checkAnswers: boolean): Execute {
  return createWrittenAnswers(ENDPOINTS, deps, checkAnswers)
}
