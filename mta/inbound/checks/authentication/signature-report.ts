/** The results for the signatures of a message, as plain data without the library. */
import type { CheckResult } from '../../../../jmap/delivery/inbound-verdict.ts'

export interface SignatureResult {
  readonly result: CheckResult
  readonly domain: string
  readonly selector: string
  readonly algorithm: string
  readonly reason?: string
}

export interface SignatureReport {
  readonly dkim: readonly SignatureResult[]
  readonly arc: {
    readonly result: CheckResult
    readonly domain: string | null
    /** The DMARC result that the last sealer states. */
    readonly sealedDmarc: string | null
  }
}

/** The message has no signature. */
export const UNSIGNED: SignatureReport = { dkim: [], arc: { result: 'none', domain: null, sealedDmarc: null } }

/** The signatures could not be checked. */
export const UNDECIDED: SignatureReport = {
  dkim: [{ result: 'temperror', domain: '', selector: '', algorithm: '', reason: 'not checked in time' }],
  arc: { result: 'temperror', domain: null, sealedDmarc: null },
}

/** One signature is larger than any that is read. */
export const TOO_LARGE: SignatureResult = {
  result: 'permerror',
  domain: '',
  selector: '',
  algorithm: '',
  reason: 'the field is too large',
}

/** The header has too many lines, or the library cannot parse a signature. */
export const UNREADABLE: SignatureReport = {
  dkim: [{ result: 'permerror', domain: '', selector: '', algorithm: '', reason: 'cannot be read' }],
  arc: { result: 'fail', domain: null, sealedDmarc: null },
}
