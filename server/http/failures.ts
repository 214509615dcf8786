/** Maps failures of the layers below to HTTP: a status, and no internal text. */
import { isFailure } from '../base/errors.ts'
import { HTTP_RETRY_AFTER_SECONDS } from '../base/limits.ts'
import { type HttpProblem, problem } from './problem.ts'

export function toProblem(error: unknown): HttpProblem {
  if (isFailure(error, 'storageFull')) return problem(507, 'The server has no room left.')
  if (isFailure(error, 'storageUnavailable') || isFailure(error, 'shuttingDown'))
    return problem(503, 'The server cannot answer at present.', { 'Retry-After': String(HTTP_RETRY_AFTER_SECONDS) })
  if (isFailure(error, 'busy') || isFailure(error, 'overdue'))
    return problem(503, 'Too many long queries are under way.', { 'Retry-After': String(HTTP_RETRY_AFTER_SECONDS) })
  // The client has gone.
  if (isFailure(error, 'abandoned')) return problem(400, 'The request broke off.')
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
    return problem(400, 'The request broke off.')
  return problem(500, 'Something went wrong on our side.')
}
