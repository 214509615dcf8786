/** The body hashes of the signatures of a message (RFC 6376 3.7): the body is brought into each canonical form once, for all signatures with it. */
import type { Buffer } from 'node:buffer'
import { createHash, type Hash } from 'node:crypto'
import { type CanonicalBody, canonicalBody } from './canonical-body.ts'

export type BodyForm = 'simple' | 'relaxed'

/** A hash with the names under which mailauth reads it. */
export class BodyHash {
  readonly #hash: Hash
  readonly #limit: number
  readonly #endBody: () => void
  /** Octets of the canonical body, and those of them that are hashed. */
  canonicalizedLength = 0
  bodyHashedBytes = 0

  /**
   * @param limit octets that are signed (the tag l=); Infinity: all
   * @param endBody is called before the digest
   */
  constructor(algorithm: string, limit: number, endBody: () => void) {
    this.#hash = createHash(algorithm)
    this.#limit = limit
    this.#endBody = endBody
  }

  add(canonical: Buffer): void {
    this.canonicalizedLength += canonical.length
    const signed = Math.min(canonical.length, this.#limit - this.bodyHashedBytes)
    if (signed <= 0) return
    this.#hash.update(canonical.subarray(0, signed))
    this.bodyHashedBytes += signed
  }

  digest(encoding: 'base64'): string {
    this.#endBody()
    return this.#hash.digest(encoding)
  }

  /** For the library: where the first part of a multipart begins does not matter here. */
  setContentType(): void {}
  getMimeStructureStart(): void {}
}

interface Form {
  readonly body: CanonicalBody
  readonly hashes: BodyHash[]
}

export class BodyHashes {
  readonly #forms = new Map<BodyForm, Form>()
  #hasEnded = false

  /** @param algorithm of node:crypto @param limit octets that are signed; Infinity: all */
  add(form: BodyForm, algorithm: string, limit: number): BodyHash {
    const hash = new BodyHash(algorithm, limit, () => this.#end())
    this.#formOf(form).hashes.push(hash)
    return hash
  }

  update(octets: Buffer): void {
    for (const { body } of this.#forms.values()) body.update(octets)
  }

  #formOf(name: BodyForm): Form {
    const known = this.#forms.get(name)
    if (known) return known
    const hashes: BodyHash[] = []
    const body = canonicalBody(name, (piece) => {
      for (const hash of hashes) hash.add(piece)
    })
    const form = { body, hashes }
    this.#forms.set(name, form)
    return form
  }

  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const { body } of this.#forms.values()) body.end()
  }
}
