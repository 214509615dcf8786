/** RFC 8620 6.2: downloads, with the ranges and conditions of RFC 9110. */
import type { Core } from '../../../jmap/services.ts'
import { inPieces, sendFile } from '../../base/http/files.ts'
import { DOWNLOAD_CHUNK_BYTES } from '../../base/limits.ts'
import { notFound, problem } from '../problem.ts'
import type { JmapExchange } from './exchange.ts'

export async function download(core: Pick<Core, 'download'>, exchange: JmapExchange): Promise<void> {
  const { request, response, principal, segments, query } = exchange
  const [accountId = '', blobId = '', ...name] = segments
  // A range seldom includes the beginning.
  const ahead = request.method === 'HEAD' || request.headers.range !== undefined ? 1 : DOWNLOAD_CHUNK_BYTES
  const first = await core.download(principal, accountId, blobId, { start: 0, end: ahead })
  if (!first) throw notFound()
  const file = {
    ...inPieces(first, (range) => core.download(principal, accountId, blobId, range)),
    type: query.get('type') || first.type,
    name: name.join('/'),
    tag: blobId,
    // RFC 8620 6.2: the content of a blob id never changes.
    cacheControl: 'private, immutable, max-age=31536000',
  }
  await sendFile(request, response, file, (headers) => problem(416, 'The range lies outside the file.', headers))
}
