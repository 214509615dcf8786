/** The package has no types of this class. */
declare module 'mailauth/lib/dkim/dkim-verifier.js' {
  import type { Buffer } from 'node:buffer'
  import { Writable } from 'node:stream'
  import type { DKIMVerifyOptions, DKIMVerifyResult } from 'mailauth'

  export interface ParsedField {
    /** In lower case. Absent: the line is no field. */
    readonly key?: string
    readonly line: Buffer
  }

  export interface ParsedHeader {
    readonly parsed: readonly ParsedField[]
  }

  /** A message is written to it; the results exist when it has finished. */
  export class DkimVerifier extends Writable {
    constructor(options: DKIMVerifyOptions)
    readonly results: DKIMVerifyResult['results']
    readonly arc: DKIMVerifyResult['arc']
    /** By the keys that `addBodyHash` returns. */
    protected readonly bodyHashes: Map<string, object>
    /** Finds the signatures, and registers the body hashes that they need. */
    protected messageHeaders(header: ParsedHeader): Promise<void>
    protected addBodyHash(canonicalization: 'simple' | 'relaxed', algorithm: string, limit: number | ''): string
    /** Takes octets of the body, in order; each line ends with CRLF. */
    protected nextChunk(chunk: Buffer): Promise<void>
  }
}
