/** The octets of a message as they arrive, which end as one Buffer. No turn of the event loop copies more than LARGE octets of them. */

/** Chunks that are joined to one at a time: a message that comes octet by octet must not take an object for each octet. */
const CHUNKS_JOINED = 256
/** Octets from which on a message has memory for the largest. The system gives pages of it only when they are written to. */
const LARGE = 1_048_576

export class ReceivedOctets {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  /** Chunks at the end of `#chunks` that are not joined yet. */
  #loose = 0
  /** Of a large message; then there are no chunks. */
  #memory: Buffer | null = null
  #length = 0

  /** @param maxBytes never more are added */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#length
  }

  add(octets: Buffer): void {
    if (octets.length === 0) return
    const start = this.#length
    this.#length += octets.length
    if (this.#length > LARGE) {
      this.#memory ??= this.#moveToMemory(start)
      this.#memory.set(octets, start)
      return
    }
    this.#chunks.push(octets)
    if (++this.#loose < CHUNKS_JOINED) return
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-CHUNKS_JOINED)))
    this.#loose = 0
  }

  /** All octets so far. */
  joined(): Buffer {
    if (this.#memory) return this.#memory.subarray(0, this.#length)
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)]
    this.#loose = 0
    return this.#chunks[0]!
  }

  #moveToMemory(length: number): Buffer {
    const memory = Buffer.allocUnsafeSlow(Math.max(this.#maxBytes, this.#length))
    if (length > 0) memory.set(this.joined().subarray(0, length))
    this.#chunks = []
    return memory
  }
}
