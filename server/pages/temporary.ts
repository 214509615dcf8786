/** Failures after which a person gets a page, and may try again. */
import type { ServerResponse } from 'node:http'
import { isFailure } from '../base/errors.ts'
import { HTTP_RETRY_AFTER_SECONDS } from '../base/limits.ts'

function isTemporary(error: unknown): boolean {
  const codes = ['storageUnavailable', 'storageFull', 'shuttingDown', 'busy', 'overdue'] as const
  return codes.some((code) => isFailure(error, code))
}

/**
 * Shows a page, or after a temporary failure the page `failed`, with status 503 and these header fields.
 * @throws failures that a later request meets too
 */
export async function orFailedPage(
  response: ServerResponse,
  show: () => Promise<void>,
  failed: (headers: { readonly [name: string]: string }) => unknown,
): Promise<void> {
  try {
    await show()
  } catch (error) {
    if (!isTemporary(error) || response.headersSent) throw error
    await failed({ 'Retry-After': String(HTTP_RETRY_AFTER_SECONDS) })
  }
}
