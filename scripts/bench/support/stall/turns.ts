/**
 * Loaded into a server by --import: measures each turn of the event loop of the thread that owns the sockets by the CPU of that thread
 * alone, so that neighbours on a busy machine do not count. The parent asks by IPC.
 */
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'

export interface TurnFigures {
  /** Milliseconds of this thread's CPU in the longest turn since the last question, and the time that it took. */
  readonly cpuMs: number
  readonly wallMs: number
  /** Turns above 50 ms of CPU. */
  readonly over: number
}

/** A timer fires once in each turn of the event loop, so the time between two calls is one turn. */
const EVERY_MS = 1
const OVER_MS = 50

if (isMainThread && process.send) {
  let longest = { cpuMs: 0, wallMs: 0 }
  let over = 0
  let cpu = ownCpuMs()
  let wall = performance.now()
  setInterval(() => {
    const [cpuNow, wallNow] = [ownCpuMs(), performance.now()]
    if (cpuNow - cpu > longest.cpuMs) longest = { cpuMs: cpuNow - cpu, wallMs: wallNow - wall }
    if (cpuNow - cpu > OVER_MS) over++
    cpu = cpuNow
    wall = wallNow
  }, EVERY_MS).unref()
  process.on('message', (message) => {
    if (message !== 'turns') return
    process.send!({ ...longest, over } satisfies TurnFigures)
    longest = { cpuMs: 0, wallMs: 0 }
    over = 0
  })
  process.channel?.unref()
}

function ownCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
