/** The test files, and their grouping into processes. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const PROJECT = join(import.meta.dirname, '../../..')

/** Environment variable that tells run-group.ts what to run: `{timeout, files}`. */
export const GROUP = 'SPEC_GROUP'

/** A process costs as much as loading the modules that most tests load, about a second. */
const FILES_MAX = 16

/** In the first comment of a test file that cannot share a process; the reason follows. */
const OWN_PROCESS = /^\/\/ Own process: \S/m

/** Rooms whose tests start servers, the slowest last. They run first, so that no process works alone at the end. */
const SLOW_ROOMS = ['spec/rest', 'spec/storage', 'spec/journeys', 'spec/server']

/** Every test file, as paths from the project's root. */
export function allTestFiles(): string[] {
  return globSync('spec/**/*.test.ts', { cwd: PROJECT }).sort()
}

/** Groups of files, each for one process: neighbours share one. */
export function groupFiles(files: readonly string[]): string[][] {
  const alone: string[][] = []
  const shared: string[][] = []
  for (const file of files) {
    const path = join(PROJECT, file)
    // A missing file fails in its group, by name.
    if (existsSync(path) && OWN_PROCESS.test(readFileSync(path, 'utf8'))) {
      alone.push([file])
      continue
    }
    const last = shared.at(-1)
    if (last && last.length < FILES_MAX && roomOf(last[0]!) === roomOf(file)) last.push(file)
    else shared.push([file])
  }
  const slowness = (group: string[]) => SLOW_ROOMS.indexOf(roomOf(group[0]!))
  return [...alone, ...shared.toSorted((a, b) => slowness(b) - slowness(a) || b.length - a.length)]
}

/** A file of `spec/jmap/mail/` belongs to the room `spec/jmap`. */
function roomOf(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}
