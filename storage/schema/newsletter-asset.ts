import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Images and videos for newsletters (decision D20). Their octets are the pieces of `newsletter_asset_piece`. */
export const newsletterAsset = table({
  name: 'newsletter_asset',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'NewsletterAsset',
  columns: {
    /** The organization. */
    account: int,
    id: int,
    /** Random part of its public URLs. */
    nonce: text,
    kind: oneOf('image', 'video'),
    filename: text,
    content_type: text,
    /** Octets that are served. */
    size: int,
    /** SHA-256 of the uploaded octets, hexadecimal. */
    checksum: text,
    width: nullable(int),
    height: nullable(int),
    duration_ms: nullable(int),
    thumbnail_type: text,
    thumbnail_size: int,
    created_at: int,
  },
})
export type NewsletterAssetTable = RowOf<typeof newsletterAsset>
