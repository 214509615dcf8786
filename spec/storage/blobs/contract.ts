/** The contract of every BlobStore. `open` returns an empty store that no other test uses. */
import type { Test } from 'tap'
import type { BlobStore } from '../../../storage/blob-store.ts'
import { blob, listed, outcome, putOne, sameBytes } from './blobs.ts'

export interface StoreUnderTest {
  readonly store: BlobStore
  /** Valid locations at which nothing was ever stored. */
  readonly absent: readonly string[]
}

export function blobStoreContract(t: Test, open: (t: Test) => Promise<StoreUnderTest>): void {
  contractOfReading(t, open)
  contractOfForgetting(t, open)
  contractOfEdges(t, open)
}

const SIZES = [0, 1, 16_383, 16_384, 16_385, 100_000, 300_000]

function contractOfReading(t: Test, open: (t: Test) => Promise<StoreUnderTest>): void {
  t.test('stored blobs are read back, in the order of the call', async (t) => {
    const { store } = await open(t)
    const blobs = SIZES.map((size, seed) => blob(size, seed))
    const locations = await store.put(blobs)
    t.equal(locations.length, blobs.length)
    for (const [index, { bytes }] of blobs.entries()) {
      sameBytes(t, await store.read(locations[index]!), bytes, `${bytes.length} octets`)
    }
  })

  t.test('a range returns its octets and no others', async (t) => {
    const { store } = await open(t)
    const { bytes, hash } = blob(300_000)
    const location = await putOne(store, { bytes, hash })
    const ranges = [
      [0, 1],
      [0, 300_000],
      [16_383, 16_385],
      [16_384, 32_768],
      [100_000, 200_001],
      [299_999, 300_000],
    ] as const
    for (const [start, end] of ranges) {
      sameBytes(t, await store.read(location, { start, end }), bytes.subarray(start, end), `${start} to ${end}`)
    }
  })

  t.test('a range is cut at the end of the blob', async (t) => {
    const { store } = await open(t)
    const { bytes, hash } = blob(1_000)
    const location = await putOne(store, { bytes, hash })
    sameBytes(t, await store.read(location, { start: 990, end: 5_000 }), bytes.subarray(990), 'past the end')
    t.equal((await store.read(location, { start: 5_000, end: 6_000 })).length, 0, 'after the end')
    t.equal((await store.read(location, { start: 7, end: 7 })).length, 0, 'of nothing')
  })

  t.test('an invalid range is refused', async (t) => {
    const { store } = await open(t)
    const location = await putOne(store, blob(100))
    for (const [start, end] of [
      [-1, 5],
      [5, 4],
      [0.5, 2],
      [0, Number.NaN],
    ] as const) {
      await t.rejects(store.read(location, { start, end }), RangeError, `${start} to ${end}`)
    }
    await t.resolves(store.read(location, { start: 4, end: 5 }), 'control: a valid range')
  })

  t.test('the caller may change the octets that it read', async (t) => {
    const { store } = await open(t)
    const { bytes, hash } = blob(1_000)
    const location = await putOne(store, { bytes, hash })
    const first = await store.read(location)
    first.fill(0)
    sameBytes(t, await store.read(location), bytes, 'read again')
  })

  t.test('puts at the same time do not affect each other', async (t) => {
    const { store } = await open(t)
    const blobs = Array.from({ length: 24 }, (_, seed) => blob(20_000 + seed, seed))
    const locations = await Promise.all(blobs.map((value) => putOne(store, value)))
    t.equal(new Set(locations).size, blobs.length)
    for (const [index, { bytes }] of blobs.entries()) {
      sameBytes(t, await store.read(locations[index]!), bytes, `blob ${index}`)
    }
  })

  t.test('a location at which nothing was stored is corrupt', async (t) => {
    const { store, absent } = await open(t)
    const location = await putOne(store, blob(100))
    for (const nowhere of [...absent, '', 'elsewhere:1:2', `${location}0`]) {
      t.equal(await outcome(store.read(nowhere)), 'corrupt', nowhere)
    }
    t.equal(await outcome(store.read(location)), 'resolved', 'control: a stored blob')
  })
}

function contractOfForgetting(t: Test, open: (t: Test) => Promise<StoreUnderTest>): void {
  t.test('an empty store lists nothing', async (t) => {
    const { store } = await open(t)
    t.same(await listed(store), [])
  })

  t.test('every blob is listed with its location and a time', async (t) => {
    const { store } = await open(t)
    const locations = await store.put([blob(10, 1), blob(20_000, 2), blob(0, 3)])
    locations.push(await putOne(store, blob(30, 4)))
    t.same(await listed(store), locations.toSorted())
    for await (const { writtenAt } of store.list()) t.ok(Number.isSafeInteger(writtenAt) && writtenAt > 0)
  })

  t.test('removed blobs are not listed any more, others are', async (t) => {
    const { store } = await open(t)
    const [first, second, third] = (await store.put([blob(10, 1), blob(20, 2), blob(30, 3)])) as [
      string,
      string,
      string,
    ]
    await store.remove([first, third])
    t.same(await listed(store), [second])
    sameBytes(t, await store.read(second), blob(20, 2).bytes, 'the other one is readable')
  })

  t.test('a second removal, or one of a blob that does not exist, has no effect', async (t) => {
    const { store, absent } = await open(t)
    const [first, second] = (await store.put([blob(10, 1), blob(20, 2)])) as [string, string]
    await store.remove([first])
    await store.remove([first, ...absent, 'elsewhere:1:2'])
    t.same(await listed(store), [second])
  })

  t.test('the same octets put twice have two locations, and one can be removed', async (t) => {
    const { store } = await open(t)
    const value = blob(5_000)
    const older = await putOne(store, value)
    const newer = await putOne(store, value)
    t.not(older, newer)
    await store.remove([older])
    t.same(await listed(store), [newer])
    sameBytes(t, await store.read(newer), value.bytes, 'the newer one stays')
  })
}

function contractOfEdges(t: Test, open: (t: Test) => Promise<StoreUnderTest>): void {
  t.test('an invalid hash is refused', async (t) => {
    const { store } = await open(t)
    await t.rejects(store.put([blob(10), { hash: new Uint8Array(20), bytes: new Uint8Array(1) }]), TypeError)
    t.same(await listed(store), [], 'nothing of the call was stored')
    t.equal(await outcome(store.put([blob(10)])), 'resolved', 'control: a valid hash')
  })

  t.test('empty lists of blobs to put or to remove are accepted', async (t) => {
    const { store } = await open(t)
    t.same(await store.put([]), [])
    await t.resolves(store.remove([]))
  })

  t.test('closing waits for calls in progress', async (t) => {
    const { store } = await open(t)
    const putting = store.put([blob(50_000)])
    await store.close()
    t.equal(await outcome(putting), 'resolved')
  })

  t.test('a closed store rejects calls', async (t) => {
    const { store } = await open(t)
    const location = await putOne(store, blob(100))
    await store.close()
    t.equal(await outcome(store.put([blob(100)])), 'shuttingDown', 'put')
    t.equal(await outcome(store.read(location)), 'shuttingDown', 'read')
    t.equal(await outcome(store.remove([location])), 'shuttingDown', 'remove')
    t.equal(await outcome(listed(store)), 'shuttingDown', 'list')
  })
}
