/** RFC 8620 3.1: API requests. */

import { limitProblem, notJson } from '../../../jmap/protocol/request-problem.ts'
import type { Core } from '../../../jmap/services.ts'
import type { Limits } from '../../../jmap/type/limits.ts'
import { WaitingClient } from '../../base/guard.ts'
import type { BodyReader } from '../../base/http/request-body.ts'
import { readMediaType } from '../../base/http/request-fields.ts'
import { send, sendPieces, whenClosed } from '../../base/http/respond.ts'
import { HTTP_RETRY_AFTER_SECONDS } from '../../base/limits.ts'
import type { UnsentAnswers } from '../../base/unsent-answers.ts'
import { HttpProblem, limitExceeded, setLanguage } from '../problem.ts'
import type { Slots } from '../slots.ts'
import type { JmapExchange } from './exchange.ts'

export class ApiHandler {
  readonly #core: Pick<Core, 'processText'>
  readonly #limits: Limits
  readonly #unsent: UnsentAnswers
  readonly #bodies: BodyReader
  readonly #slots: Slots

  /** @param slots concurrent requests over HTTP and WebSocket together (RFC 8887 4.3.2) */
  constructor(
    core: Pick<Core, 'processText'>,
    limits: Limits,
    unsent: UnsentAnswers,
    bodies: BodyReader,
    slots: Slots,
  ) {
    this.#core = core
    this.#limits = limits
    this.#unsent = unsent
    this.#bodies = bodies
    this.#slots = slots
  }

  async run({ request, response, principal }: JmapExchange): Promise<void> {
    requireJson(request.headers['content-type'])
    const { maxSizeRequest, maxConcurrentRequests } = this.#limits
    const detail = `A client makes at most ${maxConcurrentRequests} requests at a time.`
    const client = new WaitingClient()
    whenClosed(response, () => client.leave())
    const full = () => limitExceeded(limitProblem('maxConcurrentRequests', detail), 429, HTTP_RETRY_AFTER_SECONDS)
    const answer = await this.#slots.within(principal.credential, full, async () => {
      const body = await this.#bodies.read(request, maxSizeRequest, () => tooLarge(maxSizeRequest))
      return this.#core.processText(principal, body, client)
    })
    const type = answer.status === 200 ? 'application/json; charset=utf-8' : 'application/problem+json'
    setLanguage(response)
    if (typeof answer.body === 'string') {
      send(response, answer.status, type, answer.body)
      this.#unsent.holdWritten(principal.credential, response)
    } else await sendPieces(response, answer.status, type, answer.body)
  }
}

/** RFC 8620 3.6.1: notJSON also covers another content type. The HTTP status for that is more precise than 400. */
function requireJson(field = ''): void {
  const { type, isUtf8 } = readMediaType(field)
  if (type === 'application/json' && isUtf8) return
  throw new HttpProblem({ ...notJson('The content type of a request is application/json, in UTF-8.'), status: 415 })
}

function tooLarge(limit: number): HttpProblem {
  return limitExceeded(limitProblem('maxSizeRequest', `A request has at most ${limit} octets.`), 400)
}
