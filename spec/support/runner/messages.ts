/** What the runner and a process of test files say to each other, by the channel that Node opens between them. */
import { readFileSync } from 'node:fs'

/** Environment variable: the seconds that one file may take; 0: any. */
export const TIMEOUT = 'SPEC_TIMEOUT'

/** Environment variable: the URL of the first file of the program, built where that is possible (decision 0058). */
export const PROGRAM_URL = 'SPEC_PROGRAM'

/** The process asks for its next file. */
export interface Ask {
  /** CPU of the process, and of the processes that it started and that have ended, since its start. */
  readonly cpuMilliseconds: number
}

/** The answer. */
export interface Give {
  /** null: there is none, and the process ends. */
  readonly file: string | null
}

export function isAsk(message: unknown): message is Ask {
  return typeof message === 'object' && message !== null && 'cpuMilliseconds' in message
}

export function isGive(message: unknown): message is Give {
  return typeof message === 'object' && message !== null && 'file' in message
}

const TICK_MS = 10

export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + ofChildren()
}

/** proc(5): cutime and cstime. Elsewhere than on Linux the CPU of children is not known. */
function ofChildren(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS
  } catch {
    return 0
  }
}
