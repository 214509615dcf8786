import { Failure } from '../../server/base/errors.ts'
import type { BlobStore } from '../../storage/blob-store.ts'

/** A BlobStore for tests that are not about blobs. */
export function memoryBlobs(now: () => number = Date.now): BlobStore {
  const blobs = new Map<string, { bytes: Uint8Array; writtenAt: number }>()
  return {
    async put(added) {
      return added.map(({ hash, bytes }) => {
        const location = `memory:${Buffer.from(hash).toString('hex')}`
        blobs.set(location, { bytes: Uint8Array.from(bytes), writtenAt: now() })
        return location
      })
    },
    async read(location, range) {
      const found = blobs.get(location)
      if (!found) throw new Failure('corrupt', `no blob at ${location}`)
      return found.bytes.slice(range?.start, range?.end)
    },
    async remove(locations) {
      for (const location of locations) blobs.delete(location)
    },
    async *list() {
      for (const [location, { writtenAt }] of blobs) yield { location, writtenAt }
    },
    async close() {},
  }
}
