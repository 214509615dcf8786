/** RFC 8620 6.2: downloads, with the ranges and conditions of RFC 9110. */
import type { Core } from '../../../jmap/core.ts'
import { Problem } from '../../../rest/errors/api-error.ts'
import { type FileSource, sendFile } from '../../base/http/files.ts'
import { REST_DOWNLOAD_CHUNK_BYTES } from '../../base/limits.ts'
import { notFound, problem } from '../problem.ts'
import type { JmapExchange } from './routes.ts'

export async function download(core: Pick<Core, 'download'>, exchange: JmapExchange): Promise<void> {
  const { request, response, principal, segments, query } = exchange
  const [accountId = '', blobId = '', ...name] = segments
  // A client that wants a range seldom wants the beginning.
  const ahead = request.method === 'HEAD' || request.headers.range !== undefined ? 1 : REST_DOWNLOAD_CHUNK_BYTES
  const first = await core.download(principal, accountId, blobId, { start: 0, end: ahead })
  if (!first) throw notFound()
  const file: FileSource = {
    type: query.get('type') || first.type,
    name: name.join('/'),
    tag: blobId,
    size: first.size,
    // RFC 8620 6.2: what a blob id leads to never changes.
    cacheControl: 'private, immutable, max-age=31536000',
    async read(start, end) {
      if (start === 0 && end <= first.bytes.length) return first.bytes.subarray(0, end)
      const piece = await core.download(principal, accountId, blobId, { start, end })
      if (!piece) throw new Error('a blob went away while it was read')
      return piece.bytes
    },
  }
  try {
    await sendFile(request, response, file)
  } catch (error) {
    if (error instanceof Problem) throw problem(error.status, error.message, error.headers)
    throw error
  }
}
