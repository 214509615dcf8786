/** The folder that holds all of an installation: made for its owner alone, and small files in it that are written whole or not at all. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorMessage, Failure } from '../base/errors.ts'

/**
 * Makes the folder, mode 0700, unless it is there.
 * @returns whether others than its owner may look into it; one that was there already keeps its mode
 * @throws Failure `configuration` when it cannot be had
 */
export function ensureDataFolder(folder: string): { openToOthers: boolean } {
  try {
    // `mkdir -p` would give the folders above it the same mode, which are none of our business.
    mkdirSync(dirname(folder), { recursive: true })
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory())
      throw new Failure('configuration', `the data folder ${folder} cannot be made: ${errorMessage(error)}`)
  }
  return { openToOthers: (statSync(folder).mode & 0o077) !== 0 }
}

/** The text of a file in the folder, or null when there is none. */
export function readPrivateFile(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Replaces a file, mode 0600; after a crash it is the old one or the new one. */
export function writePrivateFile(folder: string, name: string, text: string): void {
  const temporary = join(folder, `${name}.new`)
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, join(folder, name))
  syncFolder(folder)
}

/** A rename is only on disk when its folder is. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
