/**
 * Checks the DKIM signatures (RFC 6376, RFC 8301, RFC 8463) and the ARC chain (RFC 8617) of a message, in mailauth's strict mode: the lenient
 * mode passes chains with duplicate tags or tags in other case, which the ARC test suite fails.
 */
import type { Buffer } from 'node:buffer'
import { pipeline } from 'node:stream/promises'
import type { DKIMVerifyResult } from 'mailauth'
import { arc } from 'mailauth/lib/arc/index.js'
import type { CheckResult } from '../../../../jmap/delivery/inbound-verdict.ts'
import { readWholeHeader } from '../../../../jmap/message/header-block.ts'
import { withoutFields } from '../../../../jmap/message/without-fields.ts'
import { SIGNED_HEADER_MAX_LINES } from '../../../../server/base/inbound-limits.ts'
import type { Lookup } from './lookup.ts'
import { type SignatureReport, type SignatureResult, TOO_LARGE, UNREADABLE } from './signature-report.ts'
import { SignatureVerifier } from './signature-verifier.ts'

const RESULTS = ['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror'] as const
const LF = 0x0a
const CHUNK_BYTES = 65_536

/** @param now epoch ms */
export async function checkSignatures(bytes: Buffer, lookup: Lookup, now: number): Promise<SignatureReport> {
  const header = readWholeHeader(bytes)
  if (hasManyLines(bytes.subarray(0, header.bodyStart))) return UNREADABLE
  const verifier = new SignatureVerifier({ resolver: lookup, strict: true, curTime: new Date(now) })
  // The message with the header that JMAP shows, also where the library would end it elsewhere.
  await pipeline(chunksOf(withoutFields(bytes, () => false, { header })), verifier)
  // Both types are of mailauth, and do not fit each other.
  const chain = await arc(verifier.arc as Parameters<typeof arc>[0], { resolver: lookup, strict: true })
  return {
    dkim: [
      ...verifier.results.filter(({ status }) => status.result !== 'none').map(signatureResult),
      ...(verifier.hasTooLarge ? [TOO_LARGE] : []),
    ],
    arc: {
      result: known(chain.status.result),
      domain: sealer(verifier.arc),
      sealedDmarc: text(chain.authenticationResults?.['dmarc']?.result) || null,
    },
  }
}

function signatureResult(signature: DKIMVerifyResult['results'][number]): SignatureResult {
  const { status, signingDomain, selector, algo } = signature
  const { result, reason } = judged(status)
  return {
    result,
    domain: text(signingDomain).toLowerCase(),
    selector: text(selector),
    algorithm: text(algo).toLowerCase(),
    ...(reason && { reason }),
  }
}

function judged(status: DKIMVerifyResult['results'][number]['status']): { result: CheckResult; reason: string } {
  const result = known(status.result)
  // RFC 6376 8.2: octets of the body beyond l= are not signed, and a reader may see them.
  if (result === 'pass' && status.underSized)
    return { result: 'policy', reason: 'the body goes on beyond what is signed' }
  return { result, reason: result === 'pass' ? '' : text(status.comment) }
}

function sealer(chain: DKIMVerifyResult['arc']): string | null {
  const seal = chain?.chain ? chain.chain.at(-1)?.['arc-seal'] : undefined
  return text(seal?.parsed?.['d']?.value).toLowerCase() || null
}

/** The library joins the lines of a field in time that grows with the square of their number. */
function hasManyLines(header: Buffer): boolean {
  let lines = 0
  for (let at = header.indexOf(LF); at >= 0 && lines <= SIGNED_HEADER_MAX_LINES; at = header.indexOf(LF, at + 1))
    lines++
  return lines > SIGNED_HEADER_MAX_LINES
}

function* chunksOf(pieces: readonly Buffer[]): Generator<Buffer> {
  for (const piece of pieces)
    for (let from = 0; from < piece.length; from += CHUNK_BYTES) yield piece.subarray(from, from + CHUNK_BYTES)
}

function known(result: unknown): CheckResult {
  return RESULTS.find((each) => each === result) ?? 'neutral'
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
