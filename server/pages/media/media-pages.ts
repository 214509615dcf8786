/** /media: images and videos of newsletters, for everybody who has the URL (decision D20). A URL has one content for ever. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from '../../../jmap/services.ts'
import { addressGroup } from '../../base/http/client-address.ts'
import { sendFile } from '../../base/http/files.ts'
import { MEDIA_PIECE_BYTES } from '../../base/image-limits.ts'
import type { ClientView } from '../../http/client.ts'
import { methodNotAllowed, notFound, problem } from '../../http/problem.ts'
import { CACHE } from '../booking/assets.ts'
import { MediaSends } from './media-sends.ts'

export class MediaPages {
  readonly #core: Pick<Core, 'media'>
  readonly #client: Pick<ClientView, 'ip'>
  readonly #sends: MediaSends

  constructor(core: Pick<Core, 'media'>, client: Pick<ClientView, 'ip'>, sends = new MediaSends()) {
    this.#core = core
    this.#client = client
    this.#sends = sends
  }

  owns(path: string): boolean {
    return path.startsWith('/media/')
  }

  /** @throws HttpProblem 404, 405, 416 */
  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD'])
    const { media } = this.#core
    const found = await media.find(path)
    if (!found) throw notFound()
    // The path names the content.
    const tag = path.split('.')[1]! + (path.includes('.thumbnail.') ? '-thumbnail' : '')
    this.#sends.begin(response, addressGroup(this.#client.ip(request)))
    const read = async (start: number, end: number) => {
      this.#sends.note(response)
      const bytes = await media.read(path, start, end)
      if (!bytes) throw new Error('an asset was deleted while it was sent')
      return bytes
    }
    const shown = { tag, cacheControl: CACHE, isShown: true, pieceBytes: MEDIA_PIECE_BYTES, read }
    await sendFile(request, response, { ...found, ...shown }, outside)
  }
}

function outside(headers: Readonly<Record<string, string>>): Error {
  return problem(416, 'The range lies outside the file.', headers)
}
