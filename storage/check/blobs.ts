import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { BlobStore } from '../blob-store.ts'
import type { Reader } from '../ports.ts'
import { unionAll } from '../raw-query.ts'
import { findBlob } from '../repos/blobs.ts'
import type { Table } from '../schema/table.ts'
import type { Fault } from './fault.ts'

/**
 * Every row that keeps a blob has one, every reference has its content, every content its octets, of the right size and (deep) hash.
 * @param tables those that have rows
 */
export async function checkBlobs(
  reader: Reader,
  blobs: BlobStore,
  { deep, tables }: { readonly deep: boolean; readonly tables: readonly Table[] },
): Promise<Fault[]> {
  const faults = await checkKeepers(reader, tables)
  const references = await reader.sql.query((db) =>
    db.selectFrom('account_blob').select(['account', 'id', 'hash', 'size']),
  )
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

/** Rows whose blob must stay, and emails, which have the size of theirs. */
async function checkKeepers(reader: Reader, tables: readonly Table[]): Promise<Fault[]> {
  const queries = tables.flatMap(({ name, keepsBlob }) => {
    if (keepsBlob === undefined) return []
    const keeps = keepsBlob === 'always' ? sql`` : sql`t.${sql.ref(keepsBlob.whileSet)} is not null and`
    return sql<{ name: string; account: number; blob: number }>`
      select ${sql.lit(name)} as name, t.account, t.blob from ${sql.table(name)} t
      where ${keeps} not exists (select 1 from account_blob b where b.account = t.account and b.id = t.blob)`
  })
  const faults: Fault[] = (await unionAll(reader.sql, queries)).map(({ name, account, blob }) => ({
    account,
    kind: 'blob-reference',
    detail: `${name} has rows with blob ${blob}, which does not exist`,
  }))
  const resized = await reader.sql.query((db) =>
    db
      .selectFrom('email')
      .innerJoin('account_blob as b', (join) =>
        join.onRef('b.account', '=', 'email.account').onRef('b.id', '=', 'blob'),
      )
      .select(['email.account', 'email.id', 'email.size', 'b.size as blob_size'])
      .whereRef('email.size', '<>', 'b.size'),
  )
  for (const { account, id, size, blob_size } of resized)
    faults.push({
      account,
      kind: 'blob-reference',
      detail: `email ${id} has size ${size}, its blob has size ${blob_size}`,
    })
  return faults
}

async function contentFault(
  reader: Reader,
  blobs: BlobStore,
  row: { hash: Uint8Array; size: number; location: string | null },
  deep: boolean,
): Promise<string | null> {
  if (row.location !== null && !deep) {
    // The last octet exists only when all before it do: packs are written from the front.
    const range = { start: Math.max(0, row.size - 1), end: row.size }
    const end = await blobs.read(row.location, range).catch(() => null)
    return end?.length === range.end - range.start ? null : 'its octets are missing'
  }
  const bytes =
    row.location !== null ? await blobs.read(row.location).catch(() => null) : (await findBlob(reader, row.hash))?.data
  if (!bytes) return 'its octets are missing'
  if (bytes.length !== row.size) return `${bytes.length} octets instead of ${row.size}`
  return hex(hash('sha256', bytes, 'buffer')) === hex(row.hash) ? null : 'its octets have changed'
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
