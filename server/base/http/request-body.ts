/** Bodies of requests, received into memory within a bound for each and a bound for all together. */
import type { IncomingMessage } from 'node:http'

export interface BodyBounds {
  /** Octets of all bodies that are being received at a time, and the error for a body beyond them. */
  readonly all?: { readonly octets: number; readonly busy: () => Error }
  /** Octets of a refused body that are read at least, before the connection ends; by default all of it. */
  readonly drain?: number
}

export class BodyReader {
  readonly #bounds: BodyBounds
  #receiving = 0

  constructor(bounds: BodyBounds = {}) {
    this.#bounds = bounds
  }

  /**
   * @param tooLarge made when the body has more than `limit` octets
   * @throws Error that of `tooLarge` or `busy`, or the socket's when the client stops halfway
   */
  async read(request: IncomingMessage, limit: number, tooLarge: () => Error): Promise<Buffer> {
    const { all } = this.#bounds
    const declared = Number(request.headers['content-length'] ?? Number.NaN)
    if (declared > limit) throw this.#refuse(request, limit, tooLarge())
    const body = new BodyBuffer(Number.isNaN(declared) ? 0 : declared)
    let held = 0
    // By events: an async iterator costs as much as the rest of a small request.
    const received = Promise.withResolvers<void>()
    const take = (chunk: Buffer) => {
      held += chunk.length
      this.#receiving += chunk.length
      const refusal = held > limit ? tooLarge : all && this.#receiving > all.octets ? all.busy : null
      if (!refusal) return body.add(chunk)
      request.off('data', take)
      received.reject(this.#refuse(request, limit, refusal()))
    }
    request.on('data', take)
    request.on('end', received.resolve)
    request.on('error', received.reject)
    try {
      await received.promise
    } finally {
      this.#receiving -= held
    }
    return body.take()
  }

  /** The rest is read and dropped, so that the client gets to the answer. A client that sends far more does not look for it. */
  #refuse(request: IncomingMessage, limit: number, refusal: Error): Error {
    let left = Math.max(limit, this.#bounds.drain ?? Number.POSITIVE_INFINITY)
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) request.destroy()
    })
    return refusal
  }
}

/** What has arrived of a body. A body with a declared length is in memory once, in a buffer of its own. */
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
      // Allocated when the first octets arrive: a length that a client only declares takes no memory.
      this.#whole ??= Buffer.allocUnsafeSlow(this.#declared)
      this.#held += chunk.copy(this.#whole, this.#held)
    } else this.#chunks.push(chunk)
  }

  take(): Buffer {
    if (this.#whole) return this.#whole.subarray(0, this.#held)
    const [first] = this.#chunks
    return first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
  }
}
