import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openPacks } from '../../../storage/blobs/packs.ts'
import { blob, blobOf, listed, outcome, putOne, sameBytes, tempFolder } from './blobs.ts'
import { TestDisk } from './test-disk.ts'

/** A folder with one pack of these blobs, each written and synced separately. */
async function writtenPack(folder: string, blobs: readonly ReturnType<typeof blob>[]): Promise<string[]> {
  const store = await openPacks({ folder })
  const locations: string[] = []
  for (const value of blobs) locations.push(await putOne(store, value))
  await store.close()
  return locations
}

async function changePack(folder: string, change: (octets: Buffer) => Buffer | undefined): Promise<void> {
  const path = join(folder, '1.pack')
  const octets = await readFile(path)
  await writeFile(path, change(octets) ?? octets)
}

const offsetOf = (location: string) => Number(location.split(':')[2])

for (const [how, tear] of [
  ['cut off', (octets: Buffer, at: number) => octets.subarray(0, at)],
  ['never written', (octets: Buffer, at: number) => Buffer.from(octets).fill(0, at)],
] as const) {
  t.test(`a last record that is ${how} from any octet on is ignored, and all others stay`, async (t) => {
    const folder = await tempFolder(t)
    const [kept, torn] = [blob(150, 1), blob(8, 2)]
    const [first, last] = (await writtenPack(folder, [kept, torn])) as [string, string]
    const original = join(folder, 'original')
    await copyFile(join(folder, '1.pack'), original)
    const octets = await readFile(original)
    const wrong: string[] = []
    for (let at = offsetOf(last); at < octets.length; at++) {
      const copy = join(folder, `${at}`)
      const empty = await openPacks({ folder: copy })
      await empty.close()
      await writeFile(join(copy, '1.pack'), tear(octets, at))
      const store = await openPacks({ folder: copy })
      const listedThen = await listed(store)
      const tornThen = await outcome(store.read(last))
      const next = await putOne(store, blob(70, 3))
      await store.close()
      const again = await openPacks({ folder: copy })
      const readable =
        Buffer.compare(await again.read(first), kept.bytes) + Buffer.compare(await again.read(next), blob(70, 3).bytes)
      const sound = `${listedThen}` === first && tornThen === 'corrupt' && readable === 0
      if (!sound || `${await listed(again)}` !== `${[first, next].toSorted()}`)
        wrong.push(`${at}: ${listedThen} ${tornThen}`)
      await again.close()
    }
    t.same(wrong, [])
    const store = await openPacks({ folder })
    t.same(await listed(store), [first, last].toSorted(), 'control: a complete record is listed')
    await store.close()
  })
}

t.test('an incomplete write is not truncated', async (t) => {
  const folder = await tempFolder(t)
  const [, last] = (await writtenPack(folder, [blob(150, 1), blob(60, 2)])) as [string, string]
  await changePack(folder, (octets) => octets.subarray(0, offsetOf(last) + 90))
  const store = await openPacks({ folder })
  await putOne(store, blob(70, 3))
  await store.close()
  t.equal((await stat(join(folder, '1.pack'))).size, offsetOf(last) + 90)
})

t.test('of a batch whose start did not reach the disk, the complete records are listed', async (t) => {
  const folder = await tempFolder(t)
  const store = await openPacks({ folder })
  const before = await putOne(store, blob(100, 1))
  const [torn, whole] = (await store.put([blob(20_000, 2), blob(100, 3)])) as [string, string]
  await store.close()
  await changePack(folder, (octets) => octets.fill(0, offsetOf(torn), offsetOf(torn) + 8_192))
  const again = await openPacks({ folder })
  t.same(await listed(again), [before, whole].toSorted())
  t.equal(await outcome(again.read(torn)), 'corrupt')
  const next = await putOne(again, blob(100, 4))
  t.same(await listed(again), [before, whole, next].toSorted())
  await again.close()
})

t.test('damage to one record does not affect the records before and after it', async (t) => {
  const folder = await tempFolder(t)
  const blobs = [1, 2, 3, 4].map((seed) => blob(40_000, seed))
  const locations = await writtenPack(folder, blobs)
  await changePack(folder, (octets) => {
    octets[offsetOf(locations[1]!) + 20]! ^= 1
    return octets
  })
  const store = await openPacks({ folder })
  t.same(await listed(store), [locations[0], locations[2], locations[3]].toSorted())
  t.equal(await outcome(store.read(locations[1]!)), 'corrupt')
  for (const index of [0, 2, 3]) sameBytes(t, await store.read(locations[index]!), blobs[index]!.bytes, `blob ${index}`)
  await store.close()
})

t.test('damage to the header of a file does not affect its records', async (t) => {
  const folder = await tempFolder(t)
  const locations = await writtenPack(folder, [blob(100, 1), blob(200, 2)])
  await changePack(folder, (octets) => octets.fill(0, 0, 32))
  const store = await openPacks({ folder })
  t.same(await listed(store), locations.toSorted())
  sameBytes(t, await store.read(locations[1]!), blob(200, 2).bytes, 'readable')
  await store.close()
})

t.test('every changed octet of a blob is detected', async (t) => {
  const folder = await tempFolder(t)
  const [location] = (await writtenPack(folder, [blob(60, 1)])) as [string]
  const store = await openPacks({ folder, readOnly: true })
  const original = await readFile(join(folder, '1.pack'))
  const unnoticed: number[] = []
  for (let at = offsetOf(location); at < original.length; at++) {
    const changed = Buffer.from(original)
    changed[at]! ^= 0x10
    await writeFile(join(folder, '1.pack'), changed)
    if ((await outcome(store.read(location))) !== 'corrupt') unnoticed.push(at)
  }
  t.same(unnoticed, [])
  await writeFile(join(folder, '1.pack'), original)
  t.equal(await outcome(store.read(location)), 'resolved', 'control: an unchanged blob is read')
  await store.close()
})

t.test('the octets of a range are checked', async (t) => {
  const folder = await tempFolder(t)
  const value = blob(400_000)
  const [location] = (await writtenPack(folder, [value])) as [string]
  await changePack(folder, (octets) => {
    octets[octets.length - 100_000]! ^= 1
    return octets
  })
  const store = await openPacks({ folder })
  t.equal(await outcome(store.read(location, { start: 299_000, end: 301_000 })), 'corrupt', 'a range with the damage')
  const sound = await store.read(location, { start: 350_000, end: 351_000 })
  sameBytes(t, sound, value.bytes.subarray(350_000, 351_000), 'without it')
  await store.close()
})

t.test('a pack inside a message is never taken for records', async (t) => {
  const other = await tempFolder(t)
  await writtenPack(other, [blob(100, 1), blob(100, 2)])
  const folder = await tempFolder(t)
  const attachment = blobOf(await readFile(join(other, '1.pack')))
  const locations = await writtenPack(folder, [attachment, blob(100, 3)])
  await changePack(folder, (octets) => {
    octets[offsetOf(locations[0]!) + 20]! ^= 1
    return octets
  })
  const store = await openPacks({ folder })
  t.same(await listed(store), [locations[1]], 'its records are not found after the damage')
  await store.close()
  const sent = await openPacks({ folder: other })
  t.equal((await listed(sent)).length, 2, 'control: in a pack of their own they are')
  await sent.close()
})

t.test('a location of another time does not lead to the blob that is there now', async (t) => {
  const folder = await tempFolder(t)
  const other = await tempFolder(t)
  const [here] = (await writtenPack(folder, [blob(100, 1)])) as [string]
  const [there] = (await writtenPack(other, [blob(100, 2)])) as [string]
  t.equal(offsetOf(here), offsetOf(there))
  const store = await openPacks({ folder })
  t.equal(await outcome(store.read(there)), 'corrupt')
  await store.remove([there])
  t.same(await listed(store), [here], 'nor does it remove that blob')
  await store.remove([here])
  t.same(await listed(store), [], 'control: its own location does')
  await store.close()
})

t.test('an acknowledged blob survives a power failure', async (t) => {
  for (const lies of [false, true]) {
    const folder = await tempFolder(t)
    const disk = new TestDisk()
    disk.lies = lies
    const store = await openPacks({ folder, disk, maxPackBytes: 10_000 })
    const values = [1, 2, 3, 4, 5].map((seed) => blob(3_000, seed))
    const locations = await store.put(values)
    locations.push(await putOne(store, blob(3_000, 6)))
    await store.close()
    await disk.losePower()
    const again = await openPacks({ folder })
    const found = await Promise.all(locations.map((location) => outcome(again.read(location))))
    t.same(
      new Set(found),
      new Set([lies ? 'corrupt' : 'resolved']),
      lies ? 'not on a disk that lies' : 'on a true disk',
    )
    await again.close()
  }
})

t.test('a blob that was not synced before a kill is synced before another is written', async (t) => {
  const folder = await tempFolder(t)
  const liar = new TestDisk()
  liar.lies = true
  const killed = await openPacks({ folder, disk: liar })
  await putOne(killed, blob(3_000, 1))
  await killed.close()
  const disk = new TestDisk()
  const store = await openPacks({ folder, disk })
  t.equal(disk.syncs, 1)
  await store.close()
})

t.test('an incomplete note of a removed blob does not affect other notes, nor later ones', async (t) => {
  const folder = await tempFolder(t)
  const [first, second, third] = (await writtenPack(
    folder,
    [1, 2, 3].map((seed) => blob(100, seed)),
  )) as [string, string, string]
  const store = await openPacks({ folder })
  await store.remove([first])
  await store.remove([second])
  await store.close()
  const notes = await readFile(join(folder, '1.holes'))
  await writeFile(join(folder, '1.holes'), notes.subarray(0, notes.length - 5))
  const again = await openPacks({ folder })
  t.same(await listed(again), [second, third].toSorted())
  await again.remove([third])
  t.same(await listed(again), [second])
  await again.close()
})
