/** The folder that holds an installation's data. It is created for its owner alone. Small files in it are replaced atomically. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorMessage, Failure } from '../base/errors.ts'

/**
 * Creates the folder with mode 0700. An existing folder keeps its mode.
 * @returns whether users other than the owner may read it
 * @throws Failure `configuration` if it cannot be created
 */
export function ensureDataFolder(folder: string): { openToOthers: boolean } {
  try {
    // `mkdir -p` with a mode would give that mode to the parent folders too.
    mkdirSync(dirname(folder), { recursive: true })
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory())
      throw new Failure('configuration', `the data folder ${folder} cannot be created: ${errorMessage(error)}`)
  }
  return { openToOthers: (statSync(folder).mode & 0o077) !== 0 }
}

/** The text of a file in the folder; null: it does not exist. */
export function readPrivateFile(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Replaces a file, with mode 0600. After a crash it has the old or the new content. */
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

/** A rename is durable only after an fsync of its folder. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
