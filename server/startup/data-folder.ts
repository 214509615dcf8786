/** The folder that holds an installation's data. It is created for its owner alone. Small files in it are replaced atomically. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { RESTORING } from '../../storage/folder-lock.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { isFolder, makeFolders } from '../base/make-folders.ts'

/**
 * Creates the folder with mode 0700. An existing folder keeps its mode.
 * @param refusesRestore false: for the command that restores
 * @returns whether users other than the owner may read it
 * @throws Failure `configuration` if it cannot be created, or not be written to
 */
export function ensureDataFolder(folder: string, refusesRestore = true): { openToOthers: boolean } {
  try {
    // Only the folder itself gets the mode.
    makeFolders(dirname(folder))
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(folder))
      throw new Failure('configuration', `the data folder ${folder} cannot be created: ${errorMessage(error)}`)
  }
  requireWritable(folder)
  if (refusesRestore && existsSync(join(folder, RESTORING)))
    throw new Failure('configuration', `a restore into the data folder ${folder} was broken off; run it again`)
  return { openToOthers: (statSync(folder).mode & 0o077) !== 0 }
}

function requireWritable(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const owner = statSync(folder).uid
    const { uid } = userInfo()
    const why =
      (error as NodeJS.ErrnoException).code === 'EROFS'
        ? 'is read-only'
        : owner === uid
          ? 'may not be read and written by its owner'
          : `belongs to another user: uid ${owner}, and this is uid ${uid}`
    throw new Failure('configuration', `the data folder ${folder} ${why}`)
  }
}

/** The text of a file in the folder; null: it does not exist. */
export function readPrivateFile(folder: string, name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new Failure('configuration', `${join(folder, name)} cannot be read: ${errorMessage(error)}`, { cause: error })
  }
}

/**
 * Replaces a file, with mode 0600. After a crash it has the old or the new content.
 * @throws Failure `configuration` if it cannot be written
 */
export function writePrivateFile(folder: string, name: string, text: string): void {
  try {
    replaceFile(folder, name, text)
  } catch (error) {
    const message = `${join(folder, name)} cannot be written: ${errorMessage(error)}`
    throw new Failure('configuration', message, { cause: error })
  }
}

function replaceFile(folder: string, name: string, text: string): void {
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
