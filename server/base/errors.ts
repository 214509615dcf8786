/**
 * Failures that cross folders. Refusals of one record are returned values (SetError), not exceptions; these errors stop an operation.
 * They name no transport: the edges map `code` to SMTP, HTTP or JMAP.
 */
export type FailureCode =
  | 'storageFull' // no room left: SMTP 452 4.3.1, HTTP 507
  | 'storageUnavailable' // the engine, the blob store or a thread of work does not answer: SMTP 451 4.3.0, HTTP 503
  | 'conflict' // a unique value is taken
  | 'corrupt' // stored data contradicts itself
  | 'configuration' // contradictory or missing settings, reported at boot
  | 'shuttingDown' // the process no longer takes work
  | 'busy' // more work waits than can be begun in time: HTTP 503
  | 'overdue' // a read took longer than it may: JMAP serverFail, HTTP 503
  | 'abandoned' // the client has gone; never returned to a client
  | 'bulky' // a read with a large answer, which is made again when no other is; never returned to a client
  | 'diverted' // the work is too much for this thread and runs in another; never returned to a client

export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode

  constructor(code: FailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

export function isFailure(error: unknown, code?: FailureCode): error is Failure {
  return error instanceof Failure && (code === undefined || error.code === code)
}

/** The message of any thrown value, for logs. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
