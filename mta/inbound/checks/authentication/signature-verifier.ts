/**
 * mailauth's verifier with body hashes of our own, and of the signatures those that are worth their cost. The library's canonicalization
 * handles each line by itself, for each signature: ten million lines that end with a space took it a minute.
 */
import type { Buffer } from 'node:buffer'
import { DkimVerifier, type ParsedField, type ParsedHeader } from 'mailauth/lib/dkim/dkim-verifier.js'
import { DKIM_SIGNATURES_MAX, SIGNATURE_FIELD_MAX_BYTES } from '../../../../server/base/inbound-limits.ts'
import { type BodyForm, BodyHashes } from './body-hashes.ts'

const SIGNATURES = ['dkim-signature', 'arc-seal', 'arc-message-signature']

export class SignatureVerifier extends DkimVerifier {
  readonly #body = new BodyHashes()
  /** A signature was not read because of its size. */
  hasTooLarge = false

  /** RFC 6376 6.1: the verifier chooses which signatures it checks. A set of ARC without one of its fields fails. */
  override async messageHeaders(header: ParsedHeader): Promise<void> {
    const large = header.parsed.filter(isLargeSignature)
    const signatures = header.parsed.filter((field) => field.key === 'dkim-signature' && !isLargeSignature(field))
    const unchecked = new Set([...large, ...signatures.slice(DKIM_SIGNATURES_MAX)])
    this.hasTooLarge = large.some(({ key }) => key === 'dkim-signature')
    await super.messageHeaders({ ...header, parsed: header.parsed.filter((field) => !unchecked.has(field)) })
  }

  /** @param limit '': the whole body is signed */
  override addBodyHash(form: BodyForm, algorithm: string, limit: number | ''): string {
    const key = `${form}:${algorithm}:${limit}`
    if (!this.bodyHashes.has(key))
      this.bodyHashes.set(key, this.#body.add(form, algorithm, limit === '' ? Number.POSITIVE_INFINITY : limit))
    return key
  }

  override async nextChunk(chunk: Buffer): Promise<void> {
    this.#body.update(chunk)
  }
}

/** White space within a tag costs the library the square of its length. */
function isLargeSignature({ key, line }: ParsedField): boolean {
  return line.length > SIGNATURE_FIELD_MAX_BYTES && SIGNATURES.some((name) => name === key)
}
