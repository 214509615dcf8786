/**
 * Finds what `posthouse` runs. The program has more than a thousand files: loading them took half of a start and a fifth of the memory, in
 * each thread again. They are joined to a few files by build-program.js, before the first start and the next one after a change; where that
 * cannot be, the sources run. Plain JavaScript: it decides before a compiler of TypeScript is loaded.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const PROJECT = fileURLToPath(new URL('..', import.meta.url))
/** Has a folder for each state of the sources that was built. Only users may write there who may change the program. */
export const BUILT = join(PROJECT, 'node_modules/.cache/program')
export const MAIN = 'server/main.ts'

const ROOMS = ['jmap', 'mta', 'rest', 'server', 'storage']
const BUILD_MS = 60_000

/** @returns {string} URL of the first file of the program */
export function findProgram() {
  const built = join(BUILT, stateOfSources(), 'main.js')
  return pathToFileURL(existsSync(built) || isBuiltNow(built) ? built : join(PROJECT, MAIN)).href
}

/** In a process of its own: it needs memory that the server does not. */
function isBuiltNow(built) {
  try {
    execFileSync(process.execPath, [join(import.meta.dirname, 'build-program.js')], {
      stdio: 'ignore',
      timeout: BUILD_MS,
    })
  } catch {
    // The folder may not be written, or there is no builder for this machine.
  }
  return existsSync(built)
}

/** @returns {string[]} paths of the TypeScript files of the program */
export function listSources() {
  const inRoom = (room) => readdirSync(join(PROJECT, room), { recursive: true }).map((name) => join(room, name))
  return ROOMS.flatMap(inRoom)
    .filter((path) => path.endsWith('.ts'))
    .sort()
}

/** @returns {string} a digest of the names, sizes and times of the sources and of the list of packages */
export function stateOfSources() {
  const hash = createHash('sha256')
  for (const path of [...listSources(), 'package.json', 'package-lock.json', 'server/build-program.js']) {
    // A copy for an installation may leave out the list of packages.
    const { size, mtimeMs } = statSync(join(PROJECT, path), { throwIfNoEntry: false }) ?? {}
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}
