import pg from 'pg'
import { errorMessage, Failure, isFailure } from '../../server/base/errors.ts'
import { codeOf } from './dialect.ts'

/** The session is lost, and with it the open transaction: nothing of it was committed, unless COMMIT had been sent. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

/** Errors after which the session with the server is lost. */
export function isLoss(error: unknown): boolean {
  if (error instanceof SessionLost) return true
  // Class 08, shutdown and crash (57P..), and the server's own time limits for sessions.
  if (error instanceof pg.DatabaseError) return /^(08|57P0[1235]|25P03)/.test(codeOf(error))
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/.test(codeOf(error))) return true
  return /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout e)/.test(
    errorMessage(error),
  )
}

/** PostgreSQL asks its clients to retry after serialization failures and deadlocks. */
export function isRetryable(error: unknown): boolean {
  return error instanceof SessionLost || ['40001', '40P01'].includes(codeOf(error))
}

/** PostgreSQL's error classes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function failureOf(error: unknown): unknown {
  if (isFailure(error)) return error
  const code = codeOf(error)
  if (code === '53100') return new Failure('storageFull', 'the disk of the database is full', { cause: error })
  // statement_timeout, or a guard that refused (postgres-guarded.ts).
  if (code === '57014') return new Failure('overdue', 'a statement of the database took too long', { cause: error })
  if (code === '23505') return new Failure('conflict', errorMessage(error), { cause: error })
  // 40: all retries failed. 53, 57, 58, XX: resources, operator, system. 25006: a standby. 55P03: a lock. 28, 3D: login, database.
  if (!isLoss(error) && !/^(40|53|57|58|XX|25006|55P03|28|3D)/.test(code)) return error
  return new Failure('storageUnavailable', `the database failed: ${errorMessage(error)}`, { cause: error })
}
