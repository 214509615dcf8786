import { int, oneOf, type RowOf, table } from './table.ts'

/** The octets of assets, in pieces, so that a large video is never in memory as a whole. */
export const newsletterAssetPiece = table({
  name: 'newsletter_asset_piece',
  key: ['account', 'asset', 'part', 'number'],
  owner: 'account',
  numbers: [
    { column: 'asset', of: 'account' },
    { column: 'blob', of: 'account' },
  ],
  keepsBlob: 'always',
  columns: {
    /** The organization. */
    account: int,
    asset: int,
    part: oneOf('media', 'thumbnail'),
    /** From 0. */
    number: int,
    blob: int,
    size: int,
  },
})
export type NewsletterAssetPieceTable = RowOf<typeof newsletterAssetPiece>
