/** A database with malformed pages is told at the start, not at the first message that meets one. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pageFaults } from '../../storage/dialect/integrity.ts'
import type { Store } from '../../storage/ports.ts'
import type { Clock } from '../base/clock.ts'
import { Failure } from '../base/errors.ts'
import type { Logger } from '../base/logger.ts'
import { START_CHECK_MS } from '../base/storage-limits.ts'
import { writePrivateFile } from './data-folder.ts'

/** Its presence says that the disk failed: the next start looks at every table, however long it takes. */
const MARK = 'check-needed'

export interface SoundnessOptions {
  /** The data folder. */
  readonly data: string
  readonly clock: Clock
  readonly logger: Logger
}

/** @throws Failure `configuration` for a damaged database */
export async function requireSoundDatabase(store: Store, { data, clock, logger }: SoundnessOptions): Promise<void> {
  const mark = join(data, MARK)
  const isMarked = existsSync(mark)
  const until = clock.now() + START_CHECK_MS
  const isOver = () => !isMarked && clock.now() > until
  const { faults, unchecked } = await store.read(({ sql }) => pageFaults(sql, isOver))
  if (faults.length > 0) {
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
    throw new Failure(
      'configuration',
      `the database is damaged: ${faults[0]}${more}; restore a backup, or start with --despite-damage and run posthouse verify`,
    )
  }
  if (unchecked > 0) logger.info({ unchecked }, 'the start has not looked at all tables; posthouse verify does')
  if (isMarked) rmSync(mark, { force: true })
}

/** Never throws: the disk may be the one that has failed. */
export function markForCheck(data: string, why: string): void {
  try {
    writePrivateFile(data, MARK, `${why}\n`)
  } catch {
    // The next start looks for as long as it does otherwise.
  }
}
