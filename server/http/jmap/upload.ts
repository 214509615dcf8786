/** RFC 8620 6.1: uploads. */

import type { Limits } from '../../../jmap/limits.ts'
import { limitProblem } from '../../../jmap/protocol/request-problem.ts'
import type { Core } from '../../../jmap/services.ts'
import type { BodyReader } from '../../base/http/request-body.ts'
import { HTTP_RETRY_AFTER_SECONDS, MEDIA_TYPE_MAX_CHARS } from '../../base/limits.ts'
import { limitExceeded, notFound, problem, sendJson } from '../problem.ts'
import { Slots } from '../slots.ts'
import type { JmapExchange } from './exchange.ts'

export class UploadHandler {
  readonly #core: Pick<Core, 'upload'>
  readonly #limits: Limits
  readonly #bodies: BodyReader
  readonly #slots: Slots

  constructor(core: Pick<Core, 'upload'>, limits: Limits, bodies: BodyReader) {
    this.#core = core
    this.#limits = limits
    this.#bodies = bodies
    this.#slots = new Slots(limits.maxConcurrentUpload)
  }

  async run({ request, response, principal, segments }: JmapExchange): Promise<void> {
    const { maxSizeUpload, maxConcurrentUpload } = this.#limits
    const [accountId = ''] = segments
    const type = request.headers['content-type'] ?? 'application/octet-stream'
    if (type.length > MEDIA_TYPE_MAX_CHARS) throw problem(400, 'The Content-Type is too long for a media type.')
    const busy = limitProblem('maxConcurrentUpload', `A client makes at most ${maxConcurrentUpload} uploads at a time.`)
    const large = limitProblem('maxSizeUpload', `An upload has at most ${maxSizeUpload} octets.`)
    const full = () => limitExceeded(busy, 429, HTTP_RETRY_AFTER_SECONDS)
    const result = await this.#slots.within(principal.credential, full, async () => {
      const bytes = await this.#bodies.read(request, maxSizeUpload, () => limitExceeded(large, 413))
      return this.#core.upload(principal, accountId, type, bytes)
    })
    if (!result) throw notFound()
    sendJson(response, 201, JSON.stringify(result))
  }
}
