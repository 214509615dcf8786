/**
 * Messages of a Maildir: the inbox, and folders either beside it (Maildir++: `.Work.2024`) or as directories in it. Nothing is moved or
 * renamed, so the mail may be in use.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { formatUTCDate } from '../../../jmap/protocol/primitives.ts'
import { Failure } from '../../base/errors.ts'
import { withCrlf } from '../../base/line-ends.ts'
import { decodeModifiedUtf7 } from '../../base/modified-utf7.ts'
import { KeywordLetters, pathOfFolder } from './maildir-names.ts'
import type { FoundMessage } from './message-target.ts'

interface Folder {
  readonly directory: string
  /** Empty: the inbox. */
  readonly path: readonly string[]
}

/** Levels of directories that are searched. */
const DEPTH_MAX = 20

/** @throws Failure if there is no Maildir */
export async function maildirFolders(root: string): Promise<readonly Folder[]> {
  const found: Folder[] = []
  await search(root, [], found, 0)
  if (found.length > 0) return found.sort((a, b) => (a.directory < b.directory ? -1 : 1))
  throw new Failure('configuration', `${root} is no Maildir: it has no folder "cur"`)
}

async function search(directory: string, path: readonly string[], found: Folder[], depth: number): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: Error) => {
    throw new Failure('configuration', `${directory} cannot be read: ${error.message}`)
  })
  // Links are not followed: they may lead anywhere, and in circles.
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  if (names.includes('cur')) found.push({ directory, path })
  if (depth === DEPTH_MAX) return
  for (const name of names) {
    if (['cur', 'new', 'tmp'].includes(name)) continue
    const below = name.startsWith('.') ? pathOfFolder(name) : [decodeModifiedUtf7(name)]
    await search(join(directory, name), [...path, ...below], found, depth + 1)
  }
}

export async function countMaildir(folders: readonly Folder[]): Promise<number> {
  let count = 0
  for (const folder of folders) count += (await filesOf(folder)).length
  return count
}

export async function* readMaildir(folders: readonly Folder[]): AsyncGenerator<FoundMessage> {
  for (const folder of folders) {
    const text = await readFile(join(folder.directory, 'dovecot-keywords'), 'utf8').catch(() => '')
    const letters = KeywordLetters.read(text)
    for (const file of await filesOf(folder)) {
      const flags = /:2,([A-Za-z]*)$/.exec(basename(file))?.[1] ?? ''
      // Dovecot, Courier and others keep the time of arrival as that of the file.
      const { mtimeMs } = (await stat(file).catch(gone)) ?? { mtimeMs: Number.NaN }
      if (flags.includes('T') || Number.isNaN(mtimeMs)) continue
      const read = async () => withCrlf(await readFile(file))
      yield {
        path: folder.path,
        role: null,
        keywords: letters.keywordsOf(flags),
        receivedAt: formatUTCDate(Math.floor(mtimeMs / 1_000) * 1_000),
        read,
      }
    }
  }
}

/** Removed or renamed meanwhile by a server that uses the Maildir. */
function gone(): null {
  return null
}

async function filesOf({ directory }: Folder): Promise<string[]> {
  const files: string[] = []
  for (const state of ['cur', 'new']) {
    const entries = await readdir(join(directory, state), { withFileTypes: true }).catch(() => [])
    files.push(
      ...entries
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map(({ name }) => join(directory, state, name)),
    )
  }
  return files.sort((a, b) => (basename(a) < basename(b) ? -1 : 1))
}
