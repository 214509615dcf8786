import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { PACK_COMPACT_ROUND_PACKS, PACK_RETIRED_KEEP_MS } from '../../../server/base/limits.ts'
import type { BlobLocation, NewBlob } from '../../../storage/blob-store.ts'
import type { Disk } from '../../../storage/blobs/disk.ts'
import { openPacks, type PackStore } from '../../../storage/blobs/packs.ts'
import { blob, listed, outcome, putOne, sameBytes, tempFolder } from './blobs.ts'
import { diskError, type Operation, TestDisk } from './test-disk.ts'

const MAX = 10_000

/** Stands for the rows of the database: the expected octets by location. */
class Rows {
  readonly rows = new Map<BlobLocation, NewBlob>()

  readonly moved = async (from: BlobLocation, to: BlobLocation): Promise<void> => {
    const value = this.rows.get(from)
    if (!value) return
    this.rows.delete(from)
    this.rows.set(to, value)
  }

  /** Locations whose octets cannot be read or differ. */
  async lost(store: PackStore): Promise<string[]> {
    const lost: string[] = []
    for (const [location, { bytes }] of this.rows) {
      const found = await store.read(location).catch(() => null)
      if (!found || Buffer.compare(found, bytes) !== 0) lost.push(location)
    }
    return lost
  }
}

/** Two packs of three blobs, with one live blob in the first and two in the second, and the pack that is being written. */
async function sparse(folder: string, disk?: Disk, clock = new ManualClock()) {
  const store = await openPacks({ folder, clock, maxPackBytes: MAX, ...(disk && { disk }) })
  const rows = new Rows()
  const locations: string[] = []
  for (let seed = 0; seed < 7; seed++) {
    const value = blob(3_000, seed)
    locations.push(await putOne(store, value))
    rows.rows.set(locations[seed]!, value)
  }
  const gone = [0, 2, 4].map((index) => locations[index]!)
  for (const location of gone) rows.rows.delete(location)
  await store.remove(gone)
  return { store, rows, locations, clock }
}

async function packNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d+\.pack$/.test(name)).sort()
}

async function opened(t: Test) {
  const folder = await tempFolder(t)
  const parts = await sparse(folder)
  t.teardown(() => parts.store.close())
  return { folder, ...parts }
}

t.test('a pack with mostly holes is emptied, one with mostly live blobs stays', async (t) => {
  const { store, rows, locations } = await opened(t)
  const result = await store.compact(rows.moved)
  t.equal(result.movedBlobs, 1)
  t.notOk(rows.rows.has(locations[1]!), 'moved away')
  t.ok(rows.rows.has(locations[3]!) && rows.rows.has(locations[5]!), 'they were not moved')
  t.same(await rows.lost(store), [])
  t.same(await listed(store), [...rows.rows.keys()].toSorted())
})

t.test('the space is freed after a while, and the old location is readable until then', async (t) => {
  const { folder, store, rows, locations, clock } = await opened(t)
  await store.compact(rows.moved)
  sameBytes(t, await store.read(locations[1]!), blob(3_000, 1).bytes, 'the old location')
  clock.advance(PACK_RETIRED_KEEP_MS - 1)
  t.equal((await store.compact(rows.moved)).freedBytes, 0, 'not yet')
  t.same(await packNames(folder), ['1.pack', '2.pack', '3.pack'])
  clock.advance(1)
  t.ok((await store.compact(rows.moved)).freedBytes > 9_000)
  t.same(await packNames(folder), ['2.pack', '3.pack'])
  t.equal(await outcome(store.read(locations[1]!)), 'corrupt', 'the old location is gone')
  t.same(await rows.lost(store), [])
})

t.test('a copy counts as written now, so that a sweep skips it until its row has its location', async (t) => {
  const { store, rows, clock } = await opened(t)
  clock.advance(86_400_000)
  const times = new Map<string, number>()
  await store.compact(async (from, to) => {
    for await (const { location, writtenAt } of store.list()) times.set(location, writtenAt)
    t.equal(times.get(to), clock.now())
    t.equal(times.get(from), clock.now() - 86_400_000, 'unlike the original')
    await rows.moved(from, to)
  })
  t.equal(times.size, 5)
})

t.test('a copy is durable before its row changes', async (t) => {
  const folder = await tempFolder(t)
  const disk = new TestDisk()
  const { store, rows } = await sparse(folder, disk)
  const { syncs } = disk
  await store.compact(async (from, to) => {
    t.ok(disk.syncs > syncs)
    await rows.moved(from, to)
  })
  await store.close()
  await disk.losePower()
  const again = await openPacks({ folder })
  t.same(await rows.lost(again), [])
  await again.close()
})

t.test('a row that cannot be changed ends the compaction, and nothing is lost', async (t) => {
  const { folder, store, rows, clock } = await opened(t)
  const refused = store.compact(async () => {
    throw new Error('the database is away')
  })
  await t.rejects(refused, /the database is away/)
  clock.advance(PACK_RETIRED_KEEP_MS)
  t.same(await rows.lost(store), [])
  t.equal((await store.compact(rows.moved)).movedBlobs, 1, 'the next run moves it')
  clock.advance(PACK_RETIRED_KEEP_MS)
  await store.compact(rows.moved)
  t.notOk((await packNames(folder)).includes('1.pack'))
  t.same(await rows.lost(store), [])
})

t.test('blobs can be stored and removed while packs are compacted', async (t) => {
  const { store, rows, locations } = await opened(t)
  const added: [string, NewBlob][] = []
  await store.compact(async (from, to) => {
    await rows.moved(from, to)
    const value = blob(2_000, 99)
    added.push([await putOne(store, value), value])
    rows.rows.delete(locations[3]!)
    await store.remove([locations[3]!])
  })
  for (const [location, value] of added) rows.rows.set(location, value)
  t.equal(added.length, 1)
  t.same(await rows.lost(store), [])
  t.same(await listed(store), [...rows.rows.keys()].toSorted())
})

t.test('compactions run one after the other', async (t) => {
  const { store, rows } = await opened(t)
  const results = await Promise.all([store.compact(rows.moved), store.compact(rows.moved)])
  t.same(
    results.map(({ movedBlobs }) => movedBlobs),
    [1, 0],
  )
  t.same(await rows.lost(store), [])
})

t.test('the pack that is being written and the newest pack are never deleted', async (t) => {
  const folder = await tempFolder(t)
  const clock = new ManualClock()
  const store = await openPacks({ folder, clock, maxPackBytes: MAX })
  await store.remove(await store.put([blob(3_000, 1), blob(3_000, 2)]))
  await store.close()
  clock.advance(PACK_RETIRED_KEEP_MS)
  const again = await openPacks({ folder, clock, maxPackBytes: 1 })
  await again.compact(async () => {})
  t.same(await packNames(folder), ['1.pack'])
  await putOne(again, blob(100))
  await again.compact(async () => {})
  t.same(await packNames(folder), ['2.pack'], 'it is deleted once there is a newer one')
  await again.close()
})

t.test('a damaged blob stays in its pack', async (t) => {
  const folder = await tempFolder(t)
  const { store, rows, locations, clock } = await sparse(folder)
  await store.close()
  const path = join(folder, '1.pack')
  const octets = await readFile(path)
  // Blob 1 is the live one. First its octets are damaged, then its header, after which it is not even listed.
  for (const within of [500, 20]) {
    const damaged = Buffer.from(octets)
    damaged[Number(locations[1]!.split(':')[2]) + within]! ^= 1
    await writeFile(path, damaged)
    const again = await openPacks({ folder, clock, maxPackBytes: MAX })
    clock.advance(PACK_RETIRED_KEEP_MS)
    t.equal((await again.compact(rows.moved)).movedBlobs, 0)
    clock.advance(PACK_RETIRED_KEEP_MS)
    await again.compact(rows.moved)
    t.ok(damaged.equals(await readFile(path)), 'the pack has not changed')
    t.ok(rows.rows.has(locations[1]!), 'its row has not changed')
    await again.close()
  }
})

t.test('notes of another pack with the same name have no effect', async (t) => {
  const folder = await tempFolder(t)
  const { store, rows, clock } = await sparse(folder)
  await store.close()
  const other = await tempFolder(t)
  const another = await sparse(other, undefined, clock)
  await another.store.close()
  for (const name of ['1.holes', '2.holes']) await copyFile(join(other, name), join(folder, name))
  const again = await openPacks({ folder, clock, maxPackBytes: MAX })
  t.equal((await listed(again)).length, 7, 'all blobs are listed, removed or not')
  await again.compact(rows.moved)
  t.same(await rows.lost(again), [])
  await again.close()
  const own = await openPacks({ folder: other, clock, maxPackBytes: MAX })
  t.equal((await listed(own)).length, 4, 'control: in their own folder the notes have an effect')
  await own.close()
})

/** Removes blobs that no row refers to, as the sweep does: a power failure may have lost notes of removals. */
async function sweep(store: PackStore, rows: Rows): Promise<void> {
  await store.remove((await listed(store)).filter((location) => !rows.rows.has(location)))
}

/** Every operation from number `after` on fails, as if the process had ended there. */
function endAfter(disk: TestDisk, after: number): () => boolean {
  let count = 0
  const ends: Operation[] = ['write', 'sync', 'syncFolder', 'remove', 'truncate', 'open']
  disk.fault = (operation) => {
    if (ends.includes(operation) && count++ >= after) throw diskError('EIO')
  }
  return () => count > after
}

t.test('no blob is lost, whenever the power fails during a compaction', async (t) => {
  let point = 0
  for (let reached = true; reached; point++) {
    const folder = await tempFolder(t)
    const disk = new TestDisk()
    const { store, rows, clock } = await sparse(folder, disk)
    const ended = endAfter(disk, point)
    for (let run = 0; run < 2; run++) {
      await store.compact(rows.moved).catch(() => {})
      clock.advance(PACK_RETIRED_KEEP_MS)
    }
    reached = ended()
    disk.fault = () => {}
    await store.close()
    await disk.losePower()
    const again = await openPacks({ folder, clock, maxPackBytes: MAX })
    t.same(await rows.lost(again), [], `after ${point} operations`)
    await sweep(again, rows)
    for (let run = 0; run < 2; run++) {
      await again.compact(rows.moved)
      clock.advance(PACK_RETIRED_KEEP_MS)
    }
    await again.compact(rows.moved)
    t.same(await rows.lost(again), [], `after ${point} operations and another compaction`)
    t.notOk((await packNames(folder)).includes('1.pack'), 'and the space is freed')
    await again.close()
  }
  t.ok(point > 8, `${point} points`)
})

t.test('control: on a disk that does not sync, a power failure during a compaction loses blobs', async (t) => {
  const folder = await tempFolder(t)
  const disk = new TestDisk()
  const { store, rows, clock } = await sparse(folder, disk)
  disk.lies = true
  await store.compact(rows.moved)
  clock.advance(PACK_RETIRED_KEEP_MS)
  await store.compact(rows.moved)
  await store.close()
  await disk.losePower()
  const again = await openPacks({ folder, clock })
  t.equal((await rows.lost(again)).length, 1)
  await again.close()
})

t.test('one run examines some packs, the next run the packs after them, and in the end all', async (t) => {
  const folder = await tempFolder(t)
  const store = await openPacks({ folder, clock: new ManualClock(), maxPackBytes: MAX })
  t.teardown(() => store.close())
  const rows = new Rows()
  const packs = PACK_COMPACT_ROUND_PACKS * 2 + 1
  const gone: string[] = []
  for (let seed = 0; seed < packs * 3; seed++) {
    const value = blob(3_000, seed)
    const location = await putOne(store, value)
    if (seed % 3 === 0) rows.rows.set(location, value)
    else gone.push(location)
  }
  await store.remove(gone)
  const moved: number[] = []
  for (let run = 0; run < 3; run++) moved.push((await store.compact(rows.moved)).movedBlobs)
  t.same(moved.slice(0, 2), [PACK_COMPACT_ROUND_PACKS, PACK_COMPACT_ROUND_PACKS])
  t.same(await rows.lost(store), [])
  t.same(await listed(store), [...rows.rows.keys()].toSorted())
})

t.test('a run that is stopped leaves the rest to the next run', async (t) => {
  const { store, rows } = await opened(t)
  t.equal((await store.compact(rows.moved, () => true)).movedBlobs, 0)
  t.equal((await store.compact(rows.moved, () => false)).movedBlobs, 1)
  t.same(await rows.lost(store), [])
})
