import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { PACK_RETIRED_KEEP_MS } from '../../../server/base/limits.ts'
import { openPacks } from '../../../storage/blobs/packs.ts'
import { blob, listed, outcome, putOne, sameBytes, tempFolder } from './blobs.ts'

t.test('a read-only store reads what is written after it was opened', async (t) => {
  const folder = join(await tempFolder(t), 'blobs')
  const view = await openPacks({ folder, readOnly: true })
  t.same(await listed(view), [], 'nothing, before the folder exists')
  t.same(await readdir(join(folder, '..')), [], 'and it does not create the folder')
  const store = await openPacks({ folder, maxPackBytes: 10_000 })
  const locations: string[] = []
  for (let seed = 0; seed < 8; seed++) {
    locations.push(await putOne(store, blob(3_000, seed)))
    sameBytes(t, await view.read(locations[seed]!), blob(3_000, seed).bytes, `blob ${seed}`)
    t.same(await listed(view), locations.toSorted())
  }
  await store.remove(locations.slice(0, 2))
  t.same(await listed(view), locations.slice(2).toSorted(), 'removals are seen, too')
  await view.close()
  await store.close()
})

t.test('a read-only store writes nothing', async (t) => {
  const folder = await tempFolder(t)
  const store = await openPacks({ folder })
  const location = await putOne(store, blob(100))
  const view = await openPacks({ folder, readOnly: true })
  const before = await readFile(join(folder, '1.pack'))
  t.equal(await outcome(view.put([blob(100)])), 'configuration', 'put')
  t.equal(await outcome(view.remove([location])), 'configuration', 'remove')
  t.equal(await outcome(view.compact(async () => {})), 'configuration', 'compact')
  t.same(await readdir(folder), ['1.pack'])
  t.ok(before.equals(await readFile(join(folder, '1.pack'))))
  t.equal(await outcome(store.put([blob(100)])), 'resolved', 'control: the writing store does')
  await view.close()
  await store.close()
})

t.test('a read-only store does not list a record that is incomplete yet', async (t) => {
  const folder = await tempFolder(t)
  const store = await openPacks({ folder })
  const location = await putOne(store, blob(100, 1))
  const { length } = await readFile(join(folder, '1.pack'))
  const next = await putOne(store, blob(100, 2))
  await store.close()
  const octets = await readFile(join(folder, '1.pack'))
  const view = await openPacks({ folder: join(folder, 'copy'), readOnly: true })
  await (await openPacks({ folder: join(folder, 'copy') })).close()
  const path = join(folder, 'copy', '1.pack')
  await appendFile(path, octets.subarray(0, length + 90))
  t.same(await listed(view), [location])
  await appendFile(path, octets.subarray(length + 90))
  t.same(await listed(view), [location, next].toSorted(), 'control: a complete record is listed')
  await view.close()
})

t.test('a read-only store reads blobs that were moved', async (t) => {
  const folder = await tempFolder(t)
  const clock = new ManualClock()
  const store = await openPacks({ folder, clock, maxPackBytes: 10_000 })
  const view = await openPacks({ folder, readOnly: true })
  const [kept, ...gone] = (await store.put([1, 2, 3].map((seed) => blob(3_000, seed)))) as [string, ...string[]]
  await putOne(store, blob(3_000, 4))
  await view.read(kept)
  await store.remove(gone)
  let now = kept
  await store.compact(async (_from, to) => {
    now = to
  })
  sameBytes(t, await view.read(kept), blob(3_000, 1).bytes, 'at the old location, for readers of the old row')
  sameBytes(t, await view.read(now), blob(3_000, 1).bytes, 'at the new location')
  clock.advance(PACK_RETIRED_KEEP_MS)
  await store.compact(async () => {})
  sameBytes(t, await view.read(now), blob(3_000, 1).bytes, 'at the new location, after the old pack was deleted')
  await view.close()
  await store.close()
})
