/** Rows of `blob` (content) and of `account_blob` (an account's reference to content, under the account's own number). */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { AccountBlobTable, BlobTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { IS_USED } from './blob-sweep.ts'

const insertContent = insertRow('blob', (query) =>
  // The new time keeps the sweep from deleting the content before the reference is written.
  query.onConflict((oc) => oc.column('hash').doUpdateSet((eb) => ({ created_at: eb.ref('excluded.created_at') }))),
)

/** Records content. Its octets are in `data`, or already durable at `location`. */
export async function keepBlob(sql: Sql, row: BlobTable): Promise<void> {
  await sql.all(insertContent, row)
}

const byHash = statement<{ account: number; hash: Uint8Array }>()((db, p) =>
  db.selectFrom('account_blob').selectAll().where('hash', '=', p('hash')).where('account', '=', p('account')),
)

const insertReference = insertRow('account_blob')

/**
 * The account's number for a content; it adds a reference if there is none.
 * @param blob `uploader`: the credential that uploaded it, whose hour of RFC 8620 6.1 begins again; null: something in the account
 * refers to it, so that everybody with access to the account may read it
 */
export async function referBlob(
  unit: AccountUnit,
  blob: { hash: Uint8Array; size: number; type: string; uploader: string | null },
): Promise<number> {
  const [found] = await unit.sql.all(byHash, { account: unit.account, hash: blob.hash })
  if (!found) {
    const id = unit.nextObject()
    await unit.sql.all(insertReference, { account: unit.account, id, ...blob, uploaded_at: unit.now })
    return id
  }
  const uploader = await uploadersOf(unit, found, blob.uploader)
  // The only uploader may change the media type. The blob of an email keeps its type.
  const type = uploader !== null && uploader === blob.uploader ? blob.type : found.type
  await unit.sql.query((db) =>
    db
      .updateTable('account_blob')
      .set({ uploader, type, uploaded_at: unit.now })
      .where('account', '=', unit.account)
      .where('id', '=', found.id),
  )
  return found.id
}

/** Uploaders of an existing reference after another upload of its octets. */
async function uploadersOf(
  unit: AccountUnit,
  found: AccountBlobTable,
  uploader: string | null,
): Promise<string | null> {
  if (uploader === null) return null
  if (found.uploader !== null) return [...new Set([...found.uploader.split(' '), uploader])].join(' ')
  // If nothing refers to the blob any more, it is an upload like any other.
  return (await isReferred(unit, unit.account, found.id)) ? null : uploader
}

const byNumber = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('account_blob').selectAll().where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findAccountBlob(reader: Reader, account: number, id: number): Promise<AccountBlobTable | null> {
  const [row] = await reader.sql.all(byNumber, { account, id })
  return row ?? null
}

const content = statement<{ hash: Uint8Array }>()((db, p) =>
  db.selectFrom('blob').selectAll().where('hash', '=', p('hash')),
)

export async function findBlob(reader: Reader, hash: Uint8Array): Promise<BlobTable | null> {
  const [row] = await reader.sql.all(content, { hash })
  return row ?? null
}

const ofAccount = statement<{ account: number; id: number }>()((db, p) =>
  db
    .selectFrom('account_blob')
    .select('id')
    .where('account', '=', p('account'))
    .where('id', '=', p('id'))
    .where(IS_USED),
)

/** Whether something in the account refers to one of its blobs. */
export async function isReferred(reader: Reader, account: number, id: number): Promise<boolean> {
  return (await reader.sql.all(ofAccount, { account, id })).length > 0
}
