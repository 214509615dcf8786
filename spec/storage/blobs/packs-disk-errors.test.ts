import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openPacks } from '../../../storage/blobs/packs.ts'
import { blob, listed, outcome, putOne, sameBytes, tempFolder } from './blobs.ts'
import { diskError, type Operation, TestDisk } from './test-disk.ts'

/** A store with one blob, and a switch for the fault. */
async function storeWithOne(t: Test) {
  const folder = await tempFolder(t)
  const disk = new TestDisk()
  const faults: Error[] = []
  const store = await openPacks({ folder, disk, onDiskFault: (fault) => void faults.push(fault) })
  const location = await putOne(store, blob(1_000, 1))
  t.teardown(() => store.close())
  const fail = (code: string, ...operations: Operation[]) => {
    disk.fault = (operation, name) => {
      if (operations.includes(operation) && name.endsWith('.pack')) throw diskError(code)
    }
  }
  const heal = () => {
    disk.fault = () => {}
  }
  return { folder, disk, store, location, fail, heal, faults }
}

for (const code of ['ENOSPC', 'EDQUOT']) {
  t.test(`on a full disk (${code}) a put fails and leaves no part of the blob`, async (t) => {
    const { folder, store, location, fail, heal } = await storeWithOne(t)
    const { size } = await stat(join(folder, '1.pack'))
    fail(code, 'write')
    t.equal(await outcome(store.put([blob(5_000, 2), blob(5_000, 3)])), 'storageFull')
    t.equal((await stat(join(folder, '1.pack'))).size, size)
    t.same(await listed(store), [location])
    heal()
    const next = await putOne(store, blob(700, 4))
    sameBytes(t, await store.read(next), blob(700, 4).bytes, 'with room again, puts succeed')
    const again = await openPacks({ folder })
    t.same(await listed(again), [location, next].toSorted())
    await again.close()
  })
}

t.test('a pack that cannot be truncated on a full disk is followed by a new pack', async (t) => {
  const { folder, store, location, fail, heal } = await storeWithOne(t)
  fail('ENOSPC', 'write', 'truncate')
  t.equal(await outcome(putOne(store, blob(5_000, 2))), 'storageFull')
  heal()
  const next = await putOne(store, blob(700, 3))
  t.match(next, /^pack:2:/)
  const again = await openPacks({ folder })
  t.same(await listed(again), [location, next].toSorted())
  for (const [at, seed, size] of [[location, 1, 1_000] as const, [next, 3, 700] as const]) {
    sameBytes(t, await again.read(at), blob(size, seed).bytes, at)
  }
  await again.close()
})

t.test('on a full disk, the first put to a new pack fails, too', async (t) => {
  for (const operation of ['open', 'write'] as const) {
    const folder = await tempFolder(t)
    const disk = new TestDisk()
    const store = await openPacks({ folder, disk })
    disk.fault = (asked) => {
      if (asked === operation) throw diskError('ENOSPC')
    }
    t.equal(await outcome(putOne(store, blob(100, 1))), 'storageFull', operation)
    disk.fault = () => {}
    const location = await putOne(store, blob(100, 2))
    await store.close()
    const again = await openPacks({ folder })
    t.same(await listed(again), [location])
    sameBytes(t, await again.read(location), blob(100, 2).bytes, 'the next put succeeds')
    await again.close()
  }
})

t.test('every put that shares a failed write fails', async (t) => {
  const { store, location, fail } = await storeWithOne(t)
  fail('ENOSPC', 'write')
  const outcomes = await Promise.all([1, 2, 3].map((seed) => outcome(store.put([blob(100, seed)]))))
  t.same(outcomes, ['storageFull', 'storageFull', 'storageFull'])
  t.same(await listed(store), [location])
})

for (const [what, code, operation, expected] of [
  ['a failed sync', 'EIO', 'sync', 'storageUnavailable'],
  ['a sync that finds the disk full', 'ENOSPC', 'sync', 'storageFull'],
  ['a failed write', 'EIO', 'write', 'storageUnavailable'],
] as const) {
  t.test(`after ${what} nothing more is written until a restart`, async (t) => {
    const { folder, disk, store, location, fail, heal, faults } = await storeWithOne(t)
    const other = await putOne(store, blob(1_000, 2))
    const { size } = await stat(join(folder, '1.pack'))
    fail(code, operation)
    t.equal(await outcome(putOne(store, blob(5_000, 3))), expected)
    t.equal((await stat(join(folder, '1.pack'))).size, size, 'nothing is left to build on that may not be on disk')
    heal()
    const { syncs } = disk
    t.equal(await outcome(putOne(store, blob(5_000, 3))), 'storageUnavailable', 'put')
    t.equal(await outcome(store.remove([location])), 'storageUnavailable', 'remove')
    t.equal(await outcome(store.compact(async () => {})), 'storageUnavailable', 'compact')
    t.equal(disk.syncs, syncs, 'no sync is repeated')
    t.equal(faults.length, 1, 'it is reported once')
    sameBytes(t, await store.read(location), blob(1_000, 1).bytes, 'reading still works')
    t.same(await listed(store), [location, other].toSorted(), 'the failed puts are not listed')
    await store.close()
    const again = await openPacks({ folder })
    const next = await putOne(again, blob(100, 4))
    for (const at of [location, other, next]) t.equal(await outcome(again.read(at)), 'resolved', 'after a restart')
    await again.close()
  })
}

t.test('a folder that cannot be synced for a new pack counts as a failed sync', async (t) => {
  const folder = await tempFolder(t)
  const disk = new TestDisk()
  const store = await openPacks({ folder, disk })
  t.teardown(() => store.close())
  disk.fault = (operation) => {
    if (operation === 'syncFolder') throw diskError('EIO')
  }
  t.equal(await outcome(putOne(store, blob(100))), 'storageUnavailable')
  disk.fault = () => {}
  t.equal(await outcome(putOne(store, blob(100))), 'storageUnavailable', 'and nothing more is written')
})

t.test('an error of the disk while reading is unavailable, not corrupt', async (t) => {
  const { store, location, fail, heal } = await storeWithOne(t)
  fail('EIO', 'read')
  t.equal(await outcome(store.read(location)), 'storageUnavailable')
  t.equal(await outcome(listed(store)), 'storageUnavailable')
  heal()
  t.equal(await outcome(store.read(location)), 'resolved')
})

t.test('a removal that cannot be noted fails', async (t) => {
  const { disk, store, location, heal } = await storeWithOne(t)
  disk.fault = (operation, name) => {
    if (operation === 'write' && name.endsWith('.holes')) throw diskError('ENOSPC')
  }
  t.equal(await outcome(store.remove([location])), 'storageFull')
  heal()
  await store.remove([location])
  t.same(await listed(store), [], 'and can be repeated')
})
