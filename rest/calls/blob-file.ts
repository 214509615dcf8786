import { type FileSource, inPieces } from '../../server/base/http/files.ts'
import { DOWNLOAD_CHUNK_BYTES } from '../../server/base/limits.ts'
import { notFound } from '../errors/api-error.ts'
import type { JmapClient } from './jmap-client.ts'

/** A blob as a file. @param as.type instead of the type of the blob. @throws ApiError 404 */
export async function openBlob(
  jmap: JmapClient,
  accountId: string,
  blobId: string,
  as: { readonly name: string; readonly what: string; readonly type?: string },
): Promise<FileSource> {
  // Most files are no larger than the first piece.
  const first = await jmap.download(accountId, blobId, { start: 0, end: DOWNLOAD_CHUNK_BYTES })
  if (!first) throw notFound(as.what)
  const pieces = inPieces(first, (range) => jmap.download(accountId, blobId, range))
  return { ...pieces, type: as.type ?? first.type, name: as.name, tag: blobId }
}
