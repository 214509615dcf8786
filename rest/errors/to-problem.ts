import { isFailure } from '../../server/base/errors.ts'
import { Problem } from './api-error.ts'

/** Whatever was thrown, as what a client may be told; internal text stays behind as the cause. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const passes =
    isFailure(error, 'storageUnavailable') || isFailure(error, 'storageFull') || isFailure(error, 'shuttingDown')
  return new Problem(passes ? 'service_unavailable' : 'internal_error', { cause: error })
}
