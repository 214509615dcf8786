/** The test files, their order, and their distribution to processes. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const PROJECT = join(import.meta.dirname, '../../..')

/** A process costs as much as loading the modules that most tests load, about a second. What many tests leave in memory costs more. */
const FILES_MAX = 64

/** In the first comment of a test file that cannot share a process; the reason follows. */
const OWN_PROCESS = /^\/\/ Own process: \S/m

/** Rooms whose tests start servers, the slowest last. They run first, so that no process works alone at the end. */
const SLOW_ROOMS = ['spec/rest', 'spec/storage', 'spec/journeys', 'spec/server']

/** Every test file, as paths from the project's root. */
export function allTestFiles(): string[] {
  return globSync('spec/**/*.test.ts', { cwd: PROJECT }).sort()
}

/** Files for one process. */
export interface Group {
  readonly first: string
  /** Called when the file before has ended. undefined: there are no more for this process. */
  readonly next: () => string | undefined
}

export class FileQueue {
  readonly #alone: string[] = []
  readonly #shared: string[] = []

  constructor(files: readonly string[]) {
    for (const file of files) {
      const path = join(PROJECT, file)
      // A missing file fails by name, where it would run.
      const isAlone = existsSync(path) && OWN_PROCESS.test(readFileSync(path, 'utf8'))
      const queue = isAlone ? this.#alone : this.#shared
      queue.push(file)
    }
    const slowness = (file: string) => SLOW_ROOMS.indexOf(roomOf(file))
    this.#shared.sort((a, b) => slowness(b) - slowness(a))
  }

  /** undefined: all files have been given out. */
  take(): Group | undefined {
    const alone = this.#alone.shift()
    if (alone !== undefined) return { first: alone, next: () => undefined }
    const first = this.#shared.shift()
    if (first === undefined) return undefined
    let left = FILES_MAX - 1
    return { first, next: () => (left-- > 0 ? this.#shared.shift() : undefined) }
  }

  /** For a file that its process did not begin. */
  giveBack(file: string): void {
    this.#shared.unshift(file)
  }
}

/** A file of `spec/jmap/mail/` belongs to the room `spec/jmap`. */
function roomOf(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}
