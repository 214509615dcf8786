import { hash } from 'node:crypto'
import type { BlobStore } from '../blob-store.ts'
import type { Reader } from '../ports.ts'
import { findBlob } from '../repos/blobs.ts'
import type { Fault } from './check-store.ts'

/** Every email has its blob, every reference its content, every content its octets, of the size and (deep) the hash they should have. */
export async function checkBlobs(reader: Reader, blobs: BlobStore, deep: boolean): Promise<Fault[]> {
  const faults: Fault[] = []
  const references = await reader.sql.query((db) =>
    db.selectFrom('account_blob').select(['account', 'id', 'hash', 'size']),
  )
  const known = new Map(references.map((row) => [`${row.account}/${row.id}`, row.size]))
  for (const row of await reader.sql.query((db) => db.selectFrom('email').select(['account', 'id', 'blob', 'size'])))
    if (known.get(`${row.account}/${row.blob}`) !== row.size)
      faults.push({
        account: row.account,
        kind: 'blob-reference',
        detail: `email ${row.id} of size ${row.size} is at blob ${row.blob} of size ${known.get(`${row.account}/${row.blob}`)}`,
      })
  // What is sent needs its message no more.
  const open = await reader.sql.query((db) =>
    db.selectFrom('submission').select(['account', 'id', 'blob']).where('due_at', 'is not', null),
  )
  for (const row of open)
    if (!known.has(`${row.account}/${row.blob}`))
      faults.push({
        account: row.account,
        kind: 'blob-reference',
        detail: `submission ${row.id} has no blob ${row.blob}`,
      })
  const reports = await reader.sql.query((db) =>
    db.selectFrom('submission_report').select(['account', 'submission', 'blob']),
  )
  for (const row of reports)
    if (!known.has(`${row.account}/${row.blob}`))
      faults.push({
        account: row.account,
        kind: 'blob-reference',
        detail: `a report on submission ${row.submission} has no blob ${row.blob}`,
      })
  for (const row of await reader.sql.query((db) => db.selectFrom('sieve_script').select(['account', 'id', 'blob'])))
    if (!known.has(`${row.account}/${row.blob}`))
      faults.push({ account: row.account, kind: 'blob-reference', detail: `script ${row.id} has no blob ${row.blob}` })
  const contents = await reader.sql.query((db) => db.selectFrom('blob').select(['hash', 'size', 'location']))
  const sizes = new Map(contents.map((row) => [hex(row.hash), row.size]))
  for (const row of references)
    if (sizes.get(hex(row.hash)) !== row.size)
      faults.push({
        account: row.account,
        kind: 'blob-reference',
        detail: `blob ${row.id} has size ${row.size}, its content ${sizes.get(hex(row.hash))}`,
      })
  for (const row of contents) {
    const detail = await contentFault(reader, blobs, row, deep)
    if (detail) faults.push({ account: 0, kind: 'blob-content', detail: `${hex(row.hash)}: ${detail}` })
  }
  return faults
}

async function contentFault(
  reader: Reader,
  blobs: BlobStore,
  row: { hash: Uint8Array; size: number; location: string | null },
  deep: boolean,
): Promise<string | null> {
  if (row.location !== null && !deep) {
    // The last octet is there only when all before it are: packs are written from the front.
    const range = { start: Math.max(0, row.size - 1), end: row.size }
    const end = await blobs.read(row.location, range).catch(() => null)
    return end?.length === range.end - range.start ? null : 'its octets are not there'
  }
  const bytes =
    row.location !== null ? await blobs.read(row.location).catch(() => null) : (await findBlob(reader, row.hash))?.data
  if (!bytes) return 'its octets are not there'
  if (bytes.length !== row.size) return `${bytes.length} octets instead of ${row.size}`
  return hex(hash('sha256', bytes, 'buffer')) === hex(row.hash) ? null : 'its octets are not those that were stored'
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
