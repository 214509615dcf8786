/**
 * Checks the DKIM signatures (RFC 6376, RFC 8301, RFC 8463) and the ARC chain (RFC 8617) of a message, in mailauth's strict mode: the lenient
 * mode passes chains with duplicate tags or tags in other case, which the ARC test suite fails.
 */
import { Readable } from 'node:stream'
import { arc } from 'mailauth/lib/arc/index.js'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import type { CheckResult } from '../../../../jmap/delivery/inbound-verdict.ts'
import { readWholeHeader } from '../../../../jmap/message/header-block.ts'
import { isNamed } from '../../../../jmap/message/headers.ts'
import { withoutFields } from '../../../../jmap/message/without-fields.ts'
import {
  DKIM_SIGNATURES_LARGE,
  DKIM_SIGNATURES_MAX,
  SIGNED_OCTETS_MAX,
} from '../../../../server/base/inbound-limits.ts'
import type { Lookup } from './lookup.ts'
import { type SignatureReport, type SignatureResult, UNREADABLE } from './signature-report.ts'
import { hasLongLine, wholeLines } from './whole-lines.ts'

const RESULTS = ['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror'] as const

/** @param now epoch ms */
export async function checkSignatures(bytes: Buffer, lookup: Lookup, now: number): Promise<SignatureReport> {
  if (hasLongLine(bytes)) return UNREADABLE
  const options = { resolver: lookup, strict: true, curTime: new Date(now) }
  const verified = await dkimVerify(Readable.from(wholeLines(asShown(bytes))), options)
  // Both types are of mailauth, and do not fit each other.
  const chain = await arc(verified.arc as Parameters<typeof arc>[0], { resolver: lookup, strict: true })
  return {
    dkim: verified.results.filter(({ status }) => status.result !== 'none').map(signatureResult),
    arc: {
      result: known(chain.status.result),
      domain: sealer(verified.arc),
      sealedDmarc: text(chain.authenticationResults?.['dmarc']?.result) || null,
    },
  }
}

type Verified = Awaited<ReturnType<typeof dkimVerify>>

function signatureResult(signature: Verified['results'][number]): SignatureResult {
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

function judged(status: Verified['results'][number]['status']): { result: CheckResult; reason: string } {
  const result = known(status.result)
  // RFC 6376 8.2: octets of the body beyond l= are not signed, and a reader may see them.
  if (result === 'pass' && status.underSized)
    return { result: 'policy', reason: 'the body goes on beyond what is signed' }
  return { result, reason: result === 'pass' ? '' : text(status.comment) }
}

function sealer(chain: Verified['arc']): string | null {
  const seal = chain?.chain ? chain.chain.at(-1)?.['arc-seal'] : undefined
  return text(seal?.parsed?.['d']?.value).toLowerCase() || null
}

/** The message with the header that JMAP shows, also where the library would end it elsewhere, and with the signatures that are checked. */
function asShown(bytes: Buffer): Buffer[] {
  const header = readWholeHeader(bytes)
  const signatures = header.fields.filter((field) => isNamed(field, 'dkim-signature'))
  const excess = new Set(signatures.slice(checkedSignatures(bytes.length)))
  return withoutFields(bytes, (field) => excess.has(field), { header })
}

/** RFC 6376 6.1: the verifier chooses how many it checks. Each one may need the whole body canonicalised and hashed. */
function checkedSignatures(octets: number): number {
  const affordable = Math.floor(SIGNED_OCTETS_MAX / octets)
  return Math.max(DKIM_SIGNATURES_LARGE, Math.min(DKIM_SIGNATURES_MAX, affordable))
}

function known(result: unknown): CheckResult {
  return RESULTS.find((each) => each === result) ?? 'neutral'
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
