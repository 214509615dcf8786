/**
 * The figures of a load: a probe beside it, the CPU of the longest turn on the thread of the sockets, and the memory of the server. A load
 * is run again and again until the probe has enough answers.
 */
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Running, startPosthouse } from '../posthouse.ts'
import type { ProbeTarget, ProbeTimes } from './probe-thread.ts'
import type { TurnFigures } from './turns.ts'

/** The work that follows a load, such as indexing, must not count as that of the next load: windows without it, and the most to wait. */
const QUIET_MS = 250
const QUIET_WINDOWS = 2
const SETTLE_MAX_MS = 10_000
/** proc(5): hundredths of a second. What the threads beside that of the sockets may use in a window without work. */
const QUIET_TICKS = 2

export interface Load {
  readonly name: string
  /** Once through. */
  run(): Promise<LoadResult>
}

export interface LoadResult {
  /** Counted in the figures, such as the code of a reply. */
  readonly outcome: string
  /** Octets of its message or request that memory is compared with; 0: with none. */
  readonly octets: number
}

export interface Percentiles {
  readonly count: number
  readonly unanswered: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface StallFigures {
  readonly name: string
  readonly outcomes: ReadonlyMap<string, number>
  readonly smtp: Percentiles
  readonly http: Percentiles
  readonly turn: Worst<TurnFigures>
  /** Resident octets above those before a load, and how many times its own octets that is. */
  readonly grown: Worst<{ readonly bytes: number }>
  readonly ratio: Worst<{ readonly times: number }>
}

/** The worst value of a figure, and its load. */
export type Worst<T> = T & { readonly load: string }

/** A server whose turns are measured. @param node options of Node @param options of the server @param kept see startPosthouse */
export function startMeasured(node: readonly string[], options: readonly string[], kept?: string): Promise<Running> {
  const turns = ['--import', join(import.meta.dirname, 'turns.ts')]
  return startPosthouse(options, kept, undefined, [...node, ...turns])
}

/**
 * @param loads run by turns, one after the other
 * @throws Error that names the load, when it fails or the server has ended
 */
export async function besideLoad(
  server: Running,
  name: string,
  loads: readonly Load[],
  probes: number,
): Promise<StallFigures> {
  const probe = new Worker(new URL('./probe-thread.ts', import.meta.url), { workerData: targetOf(server) })
  try {
    return await besideProbe(server, name, loads, { probe, probes })
  } finally {
    await probe.terminate()
  }
}

async function besideProbe(
  server: Running,
  name: string,
  loads: readonly Load[],
  { probe, probes }: { readonly probe: Worker; readonly probes: number },
): Promise<StallFigures> {
  await longestTurn(server)
  const outcomes = new Map<string, number>()
  let turn: Worst<TurnFigures> = { load: '', cpuMs: 0, wallMs: 0, over: 0 }
  let grown = { load: '', bytes: 0 }
  let ratio = { load: '', times: 0 }
  for (let at = 0; at < loads.length || (await answered(probe)) < probes; at++) {
    const load = loads[at % loads.length]!
    const idle = forgetPeak(server.pid)
    const { outcome, octets } = await load.run().catch((error: Error) => {
      throw new Error(`${name}: at ${load.name}: ${error.message}`)
    })
    await workEnded(server.pid)
    if (!server.isAlive()) throw new Error(`${name}: the server ended at ${load.name}`)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    const bytes = memoryOf(server.pid, 'VmHWM') - idle
    if (bytes > grown.bytes) grown = { load: load.name, bytes }
    if (octets > 0 && bytes / octets > ratio.times) ratio = { load: load.name, times: bytes / octets }
    const longest = await longestTurn(server)
    const over = turn.over + longest.over
    turn = longest.cpuMs > turn.cpuMs ? { ...longest, load: load.name, over } : { ...turn, over }
  }
  probe.postMessage('stop')
  const [times] = (await once(probe, 'message')) as [ProbeTimes]
  return { name, outcomes, smtp: percentiles(times.smtp), http: percentiles(times.http), turn, grown, ratio }
}

/** Loads as one, without pauses: each begins when one of `atOnce` has ended. Its outcome counts theirs. */
export function together(loads: readonly Load[], atOnce: number): Load {
  return {
    name: `${loads.length} loads, ${atOnce} at a time`,
    async run() {
      const outcomes = new Map<string, number>()
      const waiting = loads.values()
      const next = async () => {
        for (const load of waiting) {
          const { outcome } = await load.run()
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, next))
      return { outcome: `(${[...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')})`, octets: 0 }
    },
  }
}

function targetOf(server: Running): ProbeTarget {
  const { smtp, http, api_key } = server
  return { smtpPort: smtp.port, url: `${http}/jmap/session`, authorization: `Bearer ${api_key}` }
}

async function answered(probe: Worker): Promise<number> {
  probe.postMessage('count')
  const [count] = (await once(probe, 'message')) as [number]
  return count
}

async function longestTurn({ child }: Running): Promise<TurnFigures> {
  child.send('turns')
  const [figures] = (await once(child, 'message')) as [TurnFigures]
  return figures
}

/** The threads beside that of the sockets rest. That one answers the probe. */
async function workEnded(pid: number): Promise<void> {
  const end = performance.now() + SETTLE_MAX_MS
  let used = ticksBeside(pid)
  for (let quiet = 0; quiet < QUIET_WINDOWS && performance.now() < end; ) {
    await pause(QUIET_MS)
    const now = ticksBeside(pid)
    quiet = now - used <= QUIET_TICKS ? quiet + 1 : 0
    used = now
  }
}

/** 0 when the process has ended. */
function ticksBeside(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .filter((thread) => Number(thread) !== pid)
      .reduce((sum, thread) => sum + ticksOf(`/proc/${pid}/task/${thread}/stat`), 0)
  } catch {
    return 0
  }
}

/** Fields 14 and 15, utime and stime; the name before them may hold spaces. */
function ticksOf(stat: string): number {
  const text = readFileSync(stat, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** proc(5): resets VmHWM. Returns the resident octets. */
function forgetPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return memoryOf(pid, 'VmRSS')
}

function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const [, kib] = new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kib) * 1024
}

function percentiles(times: readonly (number | null)[]): Percentiles {
  const known = times.filter((time) => time !== null).sort((a, b) => a - b)
  const at = (part: number) => known[Math.min(known.length - 1, Math.floor(known.length * part))] ?? Number.NaN
  return { count: times.length, unanswered: times.length - known.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}
