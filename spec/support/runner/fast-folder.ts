/**
 * The folder for the temporary files of a run: in memory where there is much of it, else on the disk. Tests write thousands of databases,
 * and each commit waits for the disk. No test pulls the plug: what outlives a killed process is the same on both.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const MEMORY = '/dev/shm'
/** The number of the process of the run follows. */
const NAME = 'posthouse-suite-'
/** Ten times what a run holds at once. */
const ROOM_MIN_BYTES = 8 * 1024 ** 3

export function fastFolder(): string {
  const isInMemory = hasRoomInMemory()
  if (isInMemory) removeLeft()
  const folder = mkdtempSync(join(isInMemory ? MEMORY : tmpdir(), `${NAME}${process.pid}-`))
  // As that of the system: PostgreSQL and some tests run as other users.
  chmodSync(folder, 0o1777)
  return folder
}

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_MIN_BYTES && mayRunPrograms()
  } catch {
    // Another system than Linux.
    return false
  }
}

/** Containers often forbid it, and some tests write scripts. */
function mayRunPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , , options = ''] = mounts.map((line) => line.split(' ')).findLast(([, at]) => at === MEMORY) ?? []
  return options !== '' && !options.split(',').includes('noexec')
}

/** What killed runs have left would keep its memory until the machine ends. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY).filter((entry) => entry.startsWith(NAME)))
    if (!isRunning(Number.parseInt(name.slice(NAME.length), 10)))
      rmSync(join(MEMORY, name), { recursive: true, force: true })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
