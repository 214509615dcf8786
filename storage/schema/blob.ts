import { bytes, int, nullable, type RowOf, table, text } from './table.ts'

/** Stored octets, once per content over all accounts. Small ones are in `data`, others at `location` in the blob store. */
export const blob = table({
  name: 'blob',
  key: ['hash'],
  owner: null,
  columns: {
    /** SHA-256 of the octets. */
    hash: bytes,
    size: int,
    data: nullable(bytes),
    location: nullable(text),
    created_at: int,
  },
})
export type BlobTable = RowOf<typeof blob>
