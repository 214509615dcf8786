/** Bodies of requests, received into memory within a bound for each and a bound for all together. */
import type { IncomingMessage } from 'node:http'
import { HTTP_DRAIN_MIN_BYTES, HTTP_MAX_RECEIVING_BYTES, HTTP_RETRY_AFTER_SECONDS } from '../base/limits.ts'
import { type HttpProblem, problem } from './problem.ts'

export class BodyReader {
  readonly #budget: number
  #receiving = 0

  /** @param budget octets of all bodies that are being received at a time */
  constructor(budget = HTTP_MAX_RECEIVING_BYTES) {
    this.#budget = budget
  }

  /**
   * @param tooLarge made when the body has more than `limit` octets
   * @throws HttpProblem that of `tooLarge`, or 415, 503, or 400 when the client stopped halfway
   */
  async read(request: IncomingMessage, limit: number, tooLarge: () => HttpProblem): Promise<Buffer> {
    refuseEncoding(request)
    const declared = Number(request.headers['content-length'] ?? Number.NaN)
    if (declared > limit) throw refuse(request, limit, tooLarge())
    const body = new BodyBuffer(Number.isNaN(declared) ? 0 : declared)
    let held = 0
    // By events: an iterator costs as much as all the rest of a small request.
    const received = Promise.withResolvers<void>()
    const take = (chunk: Buffer) => {
      held += chunk.length
      this.#receiving += chunk.length
      if (held <= limit && this.#receiving <= this.#budget) return body.add(chunk)
      request.off('data', take)
      received.reject(refuse(request, limit, held > limit ? tooLarge() : busy()))
    }
    request.on('data', take)
    request.on('end', received.resolve)
    request.on('error', (error) => received.reject(brokenOff(error)))
    try {
      await received.promise
    } finally {
      this.#receiving -= held
    }
    return body.take()
  }
}

function brokenOff(error: NodeJS.ErrnoException): Error {
  return error.code === 'ECONNRESET' ? problem(400, 'The request broke off.') : error
}

/**
 * The rest flows by unread, so that the client gets to see the answer. One that goes on beyond as much again does not look for it: the
 * connection ends.
 */
function refuse(request: IncomingMessage, limit: number, refusal: HttpProblem): HttpProblem {
  let left = Math.max(limit, HTTP_DRAIN_MIN_BYTES)
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  return refusal
}

/** What has come of a body so far. A body that says how long it is lies in memory once, and in octets of its own. */
class BodyBuffer {
  readonly #declared: number
  #whole: Buffer | null = null
  #held = 0
  readonly #chunks: Buffer[] = []

  constructor(declared: number) {
    this.#declared = declared
  }

  add(chunk: Buffer): void {
    if (chunk.length < this.#declared) {
      // Not before something has come: what a client only announces takes nothing.
      this.#whole ??= Buffer.allocUnsafeSlow(this.#declared)
      this.#held += chunk.copy(this.#whole, this.#held)
    } else this.#chunks.push(chunk)
  }

  take(): Buffer {
    if (this.#whole) return this.#whole.subarray(0, this.#held)
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
  }
}

function refuseEncoding(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw problem(415, 'The request body must not be compressed.', { 'Accept-Encoding': 'identity' })
}

function busy(): HttpProblem {
  return problem(503, 'The server is receiving too much at present.', {
    'Retry-After': String(HTTP_RETRY_AFTER_SECONDS),
  })
}
