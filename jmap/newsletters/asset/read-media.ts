/** What is served of assets, to anybody who has the URL. */
import { findAssetByNonce, piecesOf } from '../../../storage/repos/newsletter-assets.ts'
import { readStored } from '../../mail/blob/blobs.ts'
import type { Services } from '../../type/context.ts'
import { type AssetPlace, extensionOf, readAssetPath } from './asset-paths.ts'
import { readPieces } from './uploaded-file.ts'

export interface MediaFile {
  readonly type: string
  readonly size: number
  readonly name: string
}

/** null: there is nothing. */
export async function findMedia(services: Services, path: string): Promise<MediaFile | null> {
  const place = readAssetPath(services.keyring, path)
  return place && ((await open(services, place))?.file ?? null)
}

/** Octets from `start` up to, but not including, `end`; null: the asset was deleted. */
export async function readMedia(
  services: Services,
  path: string,
  start: number,
  end: number,
): Promise<Uint8Array | null> {
  const place = readAssetPath(services.keyring, path)
  const found = place && (await open(services, place))
  if (!found) return null
  const { store } = services
  const pieces = found.pieces.map(({ blob, size }) => ({
    size,
    read: async (range?: { start: number; end: number }) =>
      (await store.read((reader) => readStored(store, reader, place.account, blob, range)))!,
  }))
  return readPieces(pieces, start, end)
}

async function open({ store }: Services, { account, nonce, part, extension }: AssetPlace) {
  return store.read(async (reader) => {
    const row = await findAssetByNonce(reader, account, nonce)
    if (!row) return null
    const type = part === 'media' ? row.content_type : row.thumbnail_type
    const size = part === 'media' ? row.size : row.thumbnail_size
    if (extensionOf(type) !== extension) return null
    const name = part === 'media' ? row.filename : `thumbnail.${extension}`
    return { file: { type, size, name }, pieces: await piecesOf(reader, account, row.id, part) }
  })
}
