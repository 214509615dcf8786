/** What is told of the signatures of a message: plain data, apart from the library that finds it. */
import type { CheckResult } from '../../../../jmap/mail/inbound-verdict.ts'

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
    /** What the last sealer says of DMARC when the message came to it. */
    readonly sealedDmarc: string | null
  }
}

/** Signed by nobody. */
export const UNSIGNED: SignatureReport = { dkim: [], arc: { result: 'none', domain: null, sealedDmarc: null } }

/** When the work could not be done. */
export const UNDECIDED: SignatureReport = {
  dkim: [{ result: 'temperror', domain: '', selector: '', algorithm: '', reason: 'not checked in time' }],
  arc: { result: 'temperror', domain: null, sealedDmarc: null },
}

/** When there is more header than a message has, or what no reader of signatures can make out: nobody signs so in earnest. */
export const UNREADABLE: SignatureReport = {
  dkim: [{ result: 'permerror', domain: '', selector: '', algorithm: '', reason: 'cannot be read' }],
  arc: { result: 'fail', domain: null, sealedDmarc: null },
}
