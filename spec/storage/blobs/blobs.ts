/** Helpers for tests of blob stores. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isFailure } from '../../../server/base/errors.ts'
import type { BlobLocation, BlobStore, NewBlob } from '../../../storage/blob-store.ts'

/** A blob of `size` octets, none of them zero, different for every `seed`. */
export function blob(size: number, seed = 1): NewBlob {
  const bytes = new Uint8Array(size)
  let state = seed * 2_654_435_761
  for (let i = 0; i < size; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0
    bytes[i] = ((state >>> 16) % 255) + 1
  }
  return blobOf(bytes)
}

export function blobOf(bytes: Uint8Array): NewBlob {
  return { hash: createHash('sha256').update(bytes).digest(), bytes }
}

export async function putOne(store: BlobStore, value: NewBlob): Promise<BlobLocation> {
  const [location] = await store.put([value])
  return location!
}

/** Sorted, since the port gives no order. */
export async function listed(store: BlobStore): Promise<BlobLocation[]> {
  const locations: BlobLocation[] = []
  for await (const { location } of store.list()) locations.push(location)
  return locations.toSorted()
}

/** The code of the Failure that `promise` rejects with, or another outcome. */
export async function outcome(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'resolved',
    (error) => (isFailure(error) ? error.code : String(error)),
  )
}

export async function tempFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthouse-blobs-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export function sameBytes(t: Test, found: Uint8Array, expected: Uint8Array, message: string): void {
  t.ok(Buffer.from(found.buffer, found.byteOffset, found.length).equals(expected), message)
}
