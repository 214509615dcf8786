/**
 * Durable puts per second into packs: one line per figure. Each round puts a batch and waits until it is on disk. The median of the
 * rounds' rates is printed, because single rounds are slow on a shared machine.
 *
 *   node scripts/bench/blobs.ts [folder]      (a folder on the disk to measure; default: the system's temporary one)
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { openPacks, type PackStore } from '../../storage/blobs/packs.ts'

const ROUNDS = 9
const ROUND_MS = 250
const SIZES = [5_000, 50_000]
const BATCHES = [1, 10, 50]

const folder = await mkdtemp(join(argv[2] ?? tmpdir(), 'posthouse-bench-'))
try {
  for (const size of SIZES) {
    for (const batch of BATCHES) {
      const store = await openPacks({ folder: join(folder, `${size}-${batch}`) })
      const locations: string[] = []
      report(
        `${size / 1_000} kB, batch ${batch}: durable puts/s`,
        await median(() => putRound(store, size, batch, locations)),
      )
      if (batch === BATCHES.at(-1)) {
        report(`${size / 1_000} kB: reads/s, from the page cache`, await median(() => readRound(store, locations)))
      }
      await store.close()
      await rm(join(folder, `${size}-${batch}`), { recursive: true })
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function putRound(store: PackStore, size: number, batch: number, locations: string[]): Promise<number> {
  const bytes = randomBytes(size)
  return rate(async (count) => {
    // A store treats any hash like the true one. Random hashes keep hashing out of the figure.
    const blobs = Array.from({ length: batch }, () => ({ hash: randomBytes(32), bytes }))
    locations.push(...(await store.put(blobs)))
    return count + batch
  })
}

async function readRound(store: PackStore, locations: readonly string[]): Promise<number> {
  return rate(async (count) => {
    await store.read(locations[(count * 7_919) % locations.length]!)
    return count + 1
  })
}

/** Steps per second: `step` returns the count after it. */
async function rate(step: (count: number) => Promise<number>): Promise<number> {
  const start = performance.now()
  let count = 0
  while (performance.now() - start < ROUND_MS) count = await step(count)
  return count / ((performance.now() - start) / 1_000)
}

async function median(round: () => Promise<number>): Promise<number> {
  const rates: number[] = []
  for (let i = 0; i < ROUNDS; i++) rates.push(await round())
  return rates.sort((a, b) => a - b)[ROUNDS >> 1]!
}

function report(figure: string, value: number): void {
  console.log(`${figure}: ${Math.round(value)}`)
}
