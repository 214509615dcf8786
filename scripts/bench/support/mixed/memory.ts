/** The memory of a server and the size of its store, over time. All sizes are MB of 1,048,576 octets. */
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Running } from '../posthouse.ts'

/** Module for --import. */
export const MEMORY_REPORT = join(import.meta.dirname, 'memory-report.js')
const MB = 1_048_576
const WIDTH = 13

/** In octets. */
interface MemoryReport {
  /** The main thread's heap that is in use, and what it holds. */
  readonly heapUsed: number
  readonly heapTotal: number
  readonly external: number
  /** Of the external octets. */
  readonly arrayBuffers: number
  /** In use in the heap of each worker. */
  readonly workers: readonly number[]
}

export interface Reading {
  readonly minute: number
  /** Resident, as the system counts it (proc(5): status). */
  readonly rss: number
  /** Of it not backed by files. */
  readonly anonymous: number
  readonly file: number
  readonly heapUsed: number
  readonly heapTotal: number
  readonly external: number
  readonly arrayBuffers: number
  readonly workers: number
  /** Used heaps of all workers. */
  readonly workerHeaps: number
  readonly store: number
}

export interface Counts {
  readonly operations: number
  readonly failures: number
  readonly webhooks: number
}

const COLUMNS = [
  'minute',
  'rss',
  'anonymous',
  'file',
  'heapUsed',
  'heapTotal',
  'external',
  'arrayBuffers',
  'workers',
  'workerHeaps',
  'store',
] as const satisfies (keyof Reading)[]

/** @param atMs since the load began */
export async function takeReading({ pid, child, data }: Running, atMs: number): Promise<Reading> {
  child.send('memory')
  const [report] = (await once(child, 'message')) as [MemoryReport]
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const ofStatus = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) / 1_024
  return {
    minute: atMs / 60_000,
    rss: ofStatus('VmRSS'),
    anonymous: ofStatus('RssAnon'),
    file: ofStatus('RssFile') + ofStatus('RssShmem'),
    heapUsed: report.heapUsed / MB,
    heapTotal: report.heapTotal / MB,
    external: report.external / MB,
    arrayBuffers: report.arrayBuffers / MB,
    workers: report.workers.length,
    workerHeaps: report.workers.reduce((sum, octets) => sum + octets, 0) / MB,
    store: sizeOf(data) / MB,
  }
}

/** Octets of all files below a folder. A file may vanish in between. */
function sizeOf(folder: string): number {
  let octets = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) octets += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  return octets
}

export function headings(): string {
  return [...COLUMNS, 'operations', 'failures', 'webhooks'].map((name) => name.padStart(WIDTH)).join('')
}

export function rowOf(reading: Reading, { operations, failures, webhooks }: Counts): string {
  const figures = COLUMNS.map((name) => (name === 'workers' ? String(reading[name]) : reading[name].toFixed(1)))
  return [...figures, operations, failures, webhooks].map((figure) => String(figure).padStart(WIDTH)).join('')
}

/** Slope of a least-squares line through the last half of the readings, per hour. NaN: fewer than two. */
export function slopeOfLastHalf(readings: readonly Reading[], figureOf: (reading: Reading) => number): number {
  const half = readings.slice(Math.floor(readings.length / 2))
  const hours = half.map(({ minute }) => minute / 60)
  const figures = half.map(figureOf)
  const [meanHour, meanFigure] = [meanOf(hours), meanOf(figures)]
  let [products, squares] = [0, 0]
  for (const [at, hour] of hours.entries()) {
    products += (hour - meanHour) * (figures[at]! - meanFigure)
    squares += (hour - meanHour) ** 2
  }
  return products / squares
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
