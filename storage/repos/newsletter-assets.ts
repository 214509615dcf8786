/** Rows of assets of newsletters and of their pieces. */
import { sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import { insertRows } from '../insert-rows.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { NewsletterAssetPieceTable, NewsletterAssetTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type AssetPart = NewsletterAssetPieceTable['part']

const byNonce = statement<{ account: number; nonce: string }>()((db, p) =>
  db.selectFrom('newsletter_asset').selectAll().where('account', '=', p('account')).where('nonce', '=', p('nonce')),
)

export async function findAssetByNonce(
  reader: Reader,
  account: number,
  nonce: string,
): Promise<NewsletterAssetTable | null> {
  const [row] = await reader.sql.all(byNonce, { account, nonce })
  return row ?? null
}

const byChecksum = statement<{ account: number; checksum: string }>()((db, p) =>
  db
    .selectFrom('newsletter_asset')
    .select('id')
    .where('account', '=', p('account'))
    .where('checksum', '=', p('checksum')),
)

/** Its number; null: there is none. */
export async function findAssetByChecksum(reader: Reader, account: number, checksum: string): Promise<number | null> {
  const [row] = await reader.sql.all(byChecksum, { account, checksum })
  return row?.id ?? null
}

/** Count and octets of all assets of an organization, thumbnails included. */
export async function assetUsage(
  reader: Reader,
  account: number,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const [row] = await reader.sql.query((db) =>
    db
      .selectFrom('newsletter_asset')
      .select([sql<number>`count(*)`.as('count'), sql<number | null>`sum(size + thumbnail_size)`.as('bytes')])
      .where('account', '=', account),
  )
  return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) }
}

const insert = insertRow('newsletter_asset')
const insertPieces = insertRows('newsletter_asset_piece')

export async function insertAsset(
  unit: AccountUnit,
  row: NewsletterAssetTable,
  pieces: readonly NewsletterAssetPieceTable[],
): Promise<void> {
  await unit.sql.all(insert, row)
  await insertPieces(unit.sql, pieces)
}

const ofPart = statement<{ account: number; asset: number; part: string }>()((db, p) =>
  db
    .selectFrom('newsletter_asset_piece')
    .select(['blob', 'size'])
    .where('account', '=', p('account'))
    .where('asset', '=', p('asset'))
    .where('part', '=', p('part') as never)
    .orderBy('number'),
)

/** In order. */
export function piecesOf(
  reader: Reader,
  account: number,
  asset: number,
  part: AssetPart,
): Promise<Pick<NewsletterAssetPieceTable, 'blob' | 'size'>[]> {
  return reader.sql.all(ofPart, { account, asset, part })
}

export async function deleteAsset(unit: AccountUnit, id: number): Promise<void> {
  const { account } = unit
  await unit.sql.query((db) =>
    db.deleteFrom('newsletter_asset_piece').where('account', '=', account).where('asset', '=', id),
  )
  await unit.sql.query((db) => db.deleteFrom('newsletter_asset').where('account', '=', account).where('id', '=', id))
}
