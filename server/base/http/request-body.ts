/** Receives bodies of requests into memory, with a limit for each and a limit for all together. */
import type { IncomingMessage } from 'node:http'
import { isWhole } from '../free-memory.ts'
import { abandoned } from '../guard.ts'
import { joinInTurns } from '../turns.ts'

export interface BodyBounds {
  /** Limit of the octets of all bodies that are being received, and the error for a body beyond it. */
  readonly all?: { readonly octets: number; readonly busy: () => Error }
  /** Octets of a refused body that are read before the connection ends; default: all. */
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
   * @throws Error that of `tooLarge` or `busy`, or a Failure `abandoned` when the client stops halfway
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
    request.on('error', () => received.reject(abandoned()))
    try {
      await received.promise
    } finally {
      this.#receiving -= held
    }
    return body.take()
  }

  /** The rest is read and dropped, so that the client can read the response. For a client that sends far more the connection ends. */
  #refuse(request: IncomingMessage, limit: number, refusal: Error): Error {
    let left = Math.max(limit, this.#bounds.drain ?? Number.POSITIVE_INFINITY)
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) request.destroy()
    })
    return refusal
  }
}

/** The received part of a body. A body with a declared length is in memory once, in a separate buffer. */
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
      // Allocated when the first octets arrive: a declared length alone takes no memory.
      this.#whole ??= Buffer.allocUnsafeSlow(this.#declared)
      this.#held += chunk.copy(this.#whole, this.#held)
      freeChunk(chunk)
    } else this.#chunks.push(chunk)
  }

  /** One that is large and came without its length is joined in slices. */
  take(): Buffer | Promise<Buffer> {
    if (this.#whole) return this.#whole.subarray(0, this.#held)
    const [first] = this.#chunks
    return first && this.#chunks.length === 1 ? first : this.#join()
  }

  async #join(): Promise<Buffer> {
    const whole = await joinInTurns(this.#chunks)
    for (const chunk of this.#chunks) freeChunk(chunk)
    return whole
  }
}

/** Hundreds of chunks that were copied would wait for the collector beside the body. */
function freeChunk(chunk: Buffer): void {
  if (isWhole(chunk)) chunk.buffer.transfer(0)
}
