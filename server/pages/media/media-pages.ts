/** /media: images and videos of newsletters, for everybody who has the URL (decision D20). A URL has one content for ever. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from '../../../jmap/services.ts'
import { sendFile } from '../../base/http/files.ts'
import { methodNotAllowed, notFound, problem } from '../../http/problem.ts'
import { CACHE } from '../booking/assets.ts'

export class MediaPages {
  readonly #core: Pick<Core, 'media'>

  constructor(core: Pick<Core, 'media'>) {
    this.#core = core
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
    const read = async (start: number, end: number) => {
      const bytes = await media.read(path, start, end)
      if (!bytes) throw new Error('an asset was deleted while it was sent')
      return bytes
    }
    await sendFile(request, response, { ...found, tag, cacheControl: CACHE, isShown: true, read }, outside)
  }
}

function outside(headers: Readonly<Record<string, string>>): Error {
  return problem(416, 'The range lies outside the file.', headers)
}
