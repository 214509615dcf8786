/** Failures after which a person gets a page, and may try again. */
import { isFailure } from '../base/errors.ts'

export function isTemporary(error: unknown): boolean {
  const codes = ['storageUnavailable', 'storageFull', 'shuttingDown', 'busy', 'overdue'] as const
  return codes.some((code) => isFailure(error, code))
}
