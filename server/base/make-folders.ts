import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * As `mkdir -p`. Node's own never returns where a file system says that there is no such parent although there is one, as /proc does.
 * @param mode of each folder that is made
 * @throws the error of the file system
 */
export function makeFolders(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolders(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have made it.
    if (!isFolder(folder)) throw error
  }
}

/** Whether it is a folder, or a link to one. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
