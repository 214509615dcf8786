/**
 * Checkpoints of the write-ahead log. SQLite's own run inside of a commit and hide their errors, so a failed sync of the log would not be
 * noticed (promise D3). These run before a transaction, and their errors are its errors.
 */
import type Database from 'better-sqlite3'
import { SQLITE_CHECKPOINT_MIN_PAGES, SQLITE_CHECKPOINT_PAGES } from '../../server/base/storage-limits.ts'
import { reserveOf, sizesOf } from '../disk-space.ts'
import { codeOf } from './dialect.ts'

interface LogState {
  /** Pages in the log; -1: there is no log. */
  readonly log: number
  /** Of these, pages that are in the database. */
  readonly checkpointed: number
}

/** A full disk is reported at a write, or at the first page of the WAL's shared memory. After both it is known what the disk holds. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL' || codeOf(error) === 'SQLITE_IOERR_SHMSIZE'
}

/** Pages after which the log of a database in `folder` is checkpointed. The database grows then: a small disk has a small reserve for that. */
export function checkpointPages(folder: string): number {
  const PAGE_BYTES = 4_096
  const fitting = Math.floor(reserveOf(sizesOf(folder).total) / 4 / PAGE_BYTES)
  return Math.max(SQLITE_CHECKPOINT_MIN_PAGES, Math.min(SQLITE_CHECKPOINT_PAGES, fitting))
}

export class Checkpoints {
  readonly #look: Database.Statement
  readonly #run: Database.Statement
  readonly #pages: number
  #isDue = true

  /** @param database of the writer. The first checkpoint is due at once: a log that a dead process left may not be on disk as a whole. */
  constructor(database: Database.Database, pages: number) {
    database.pragma('wal_autocheckpoint = 0')
    this.#look = database.prepare('pragma wal_checkpoint(noop)')
    this.#run = database.prepare('pragma wal_checkpoint(passive)')
    this.#pages = pages
  }

  /** To be called after each commit. */
  committed(): void {
    try {
      const { log, checkpointed } = this.#look.get() as LogState
      this.#isDue = log - checkpointed >= this.#pages
    } catch {
      // The commit is durable: the next transaction reports the fault.
      this.#isDue = true
    }
  }

  /** Does not wait: pages that a reader still needs stay in the log. @throws the error of a disk that has failed */
  runIfDue(): void {
    if (!this.#isDue) return
    this.#isDue = false
    try {
      this.#run.get()
    } catch (error) {
      // The log is unchanged, and the next commit makes a checkpoint due again.
      if (!isFull(error)) throw error
    }
  }
}
