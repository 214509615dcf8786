/** CPU that a process has used, all its threads, in milliseconds (proc(5): stat, utime and stime in ticks of 10 ms). */
import { readFileSync } from 'node:fs'

const TICK_MS = 10

export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
