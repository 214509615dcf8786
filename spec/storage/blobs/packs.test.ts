import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { openPacks } from '../../../storage/blobs/packs.ts'
import { blob, listed, outcome, putOne, sameBytes, tempFolder } from './blobs.ts'
import { blobStoreContract } from './contract.ts'
import { TestDisk } from './test-disk.ts'

blobStoreContract(t, async (t) => {
  const store = await openPacks({ folder: join(await tempFolder(t), 'blobs') })
  t.teardown(() => store.close())
  const absent = ['pack:1:999999:10:0000000000000000', 'pack:1:32:10:0000000000000000', 'pack:77:32:5:0011223344556677']
  return { store, absent }
})

async function packNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.pack')).sort()
}

t.test('only the owner may read the files and the folder', async (t) => {
  const folder = join(await tempFolder(t), 'data', 'blobs')
  const store = await openPacks({ folder })
  const location = await putOne(store, blob(100))
  await store.remove([location])
  await store.close()
  t.equal((await stat(folder)).mode & 0o777, 0o700)
  t.same((await readdir(folder)).sort(), ['1.holes', '1.pack'])
  for (const name of await readdir(folder)) t.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
})

t.test('a store that is opened again has all blobs, and continues the same pack', async (t) => {
  const folder = await tempFolder(t)
  const locations: string[] = []
  for (let seed = 0; seed < 3; seed++) {
    const store = await openPacks({ folder })
    locations.push(await putOne(store, blob(1_000, seed)))
    await store.close()
  }
  const store = await openPacks({ folder })
  t.same(await listed(store), locations.toSorted())
  for (const [seed, location] of locations.entries())
    sameBytes(t, await store.read(location), blob(1_000, seed).bytes, location)
  await store.close()
  t.same(await packNames(folder), ['1.pack'])
})

t.test('a full pack is followed by a new one', async (t) => {
  const folder = await tempFolder(t)
  const store = await openPacks({ folder, maxPackBytes: 10_000 })
  const together = await store.put([1, 2, 3, 4, 5].map((seed) => blob(3_000, seed)))
  const alone = await putOne(store, blob(3_000, 6))
  const locations = [...together, alone]
  for (const [index, location] of locations.entries()) {
    sameBytes(t, await store.read(location), blob(3_000, index + 1).bytes, location)
  }
  t.same(await listed(store), locations.toSorted())
  await store.close()
  t.same(await packNames(folder), ['1.pack', '2.pack'])
  for (const name of await packNames(folder)) t.ok((await stat(join(folder, name))).size <= 10_000, name)
})

t.test('a blob that is larger than a pack has a pack of its own', async (t) => {
  const folder = await tempFolder(t)
  const store = await openPacks({ folder, maxPackBytes: 10_000 })
  const sizes = [100, 50_000, 200]
  const locations = await store.put(sizes.map((size) => blob(size)))
  for (const [index, size] of sizes.entries())
    sameBytes(t, await store.read(locations[index]!), blob(size).bytes, `${size}`)
  await store.close()
  t.same(await packNames(folder), ['1.pack', '2.pack', '3.pack'])
  const again = await openPacks({ folder, maxPackBytes: 10_000 })
  t.same(await listed(again), locations.toSorted())
  await again.close()
})

t.test('puts of one turn of the event loop share a sync', async (t) => {
  const disk = new TestDisk()
  const store = await openPacks({ folder: await tempFolder(t), disk })
  t.teardown(() => store.close())
  await putOne(store, blob(10))
  const before = disk.syncs
  await Promise.all(Array.from({ length: 20 }, (_, seed) => store.put([blob(100, seed), blob(200, seed)])))
  t.equal(disk.syncs - before, 1)
  for (let seed = 0; seed < 3; seed++) await store.put([blob(100, seed)])
  t.equal(disk.syncs - before, 4, 'control: puts one after the other have one sync each')
})

t.test('puts during a sync share the next one', async (t) => {
  const disk = new TestDisk()
  const store = await openPacks({ folder: await tempFolder(t), disk })
  t.teardown(() => store.close())
  await putOne(store, blob(10))
  const before = disk.syncs
  const late: Promise<unknown>[] = []
  disk.onSync = () => {
    if (late.length === 0) for (let seed = 0; seed < 10; seed++) late.push(store.put([blob(100, seed)]))
  }
  await store.put([blob(100)])
  await Promise.all(late)
  t.equal(late.length, 10)
  t.equal(disk.syncs - before, 2)
})

t.test('the folder is synced for a new pack, and only then', async (t) => {
  const folder = await tempFolder(t)
  const disk = new TestDisk()
  const store = await openPacks({ folder, disk, maxPackBytes: 10_000 })
  t.teardown(() => store.close())
  const synced = async (size: number) => {
    const before = disk.folderSyncs
    await putOne(store, blob(size))
    return disk.folderSyncs - before
  }
  t.equal(await synced(1_000), 1, 'the first pack')
  t.equal(await synced(1_000), 0, 'the same pack')
  t.equal(await synced(9_000), 1, 'the second pack')
})

t.test('a blob is listed with the time of the injected clock', async (t) => {
  const clock = new ManualClock()
  const store = await openPacks({ folder: await tempFolder(t), clock })
  t.teardown(() => store.close())
  const first = clock.now()
  await putOne(store, blob(10, 1))
  clock.advance(5_000)
  await putOne(store, blob(10, 2))
  const times: number[] = []
  for await (const { writtenAt } of store.list()) times.push(writtenAt)
  t.same(times, [first, first + 5_000])
})

t.test('more packs than the limit of open files can be read at the same time', async (t) => {
  const folder = await tempFolder(t)
  const store = await openPacks({ folder, maxPackBytes: 1_000 })
  const locations = await store.put(Array.from({ length: 150 }, (_, seed) => blob(900, seed)))
  t.equal((await packNames(folder)).length, 150)
  for (let round = 0; round < 2; round++) {
    const found = await Promise.all(locations.map((location) => store.read(location)))
    t.ok(found.every((bytes, seed) => Buffer.compare(bytes, blob(900, seed).bytes) === 0))
  }
  const open = (await readdir('/proc/self/fd').catch(() => [])).length
  t.ok(open < 150, 'not all of them stay open')
  await store.close()
})

t.test('a folder that cannot be created is an error when the store is opened', async (t) => {
  const folder = await tempFolder(t)
  const store = await openPacks({ folder: join(folder, 'good') })
  await putOne(store, blob(10))
  await store.close()
  t.equal(await outcome(openPacks({ folder: join(folder, 'good', '1.pack', 'blobs') })), 'storageUnavailable')
})
