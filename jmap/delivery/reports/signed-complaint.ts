/**
 * Finds the message of a complaint that has no return address of this server but returns a header that this server signed. The signature
 * proves which message it is, whatever mailbox of the organization receives the report.
 */

import { REPORT_CANDIDATES_MAX } from '../../../server/base/outbound-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { sentAsMessage } from '../../../storage/repos/submission-reports.ts'
import type { SubmissionTable } from '../../../storage/schema/tables.ts'
import { returnedMessage } from '../../mail/reports/complaint.ts'
import { type DkimSignature, dkimSignaturesIn, isSignedHeader } from '../../message/dkim-signature.ts'
import { type ParsedMessage, parseMessage } from '../../message/structure.ts'
import { Domain } from '../../policy/domain/domain.type.ts'
import { findStored } from '../../type/object-store.ts'
import type { InboundMessage } from '../inbound-message.ts'

/** Fields that a signature must cover to identify the message. */
const NEEDED = ['from', 'message-id']

/** What a report is about. */
export interface SignedOriginal {
  /** Number of the organization that signed it. */
  readonly organization: number
  readonly messageId: string
}

export function submissionsOf(reader: Reader, { organization, messageId }: SignedOriginal): Promise<SubmissionTable[]> {
  return sentAsMessage(reader, organization, messageId, REPORT_CANDIDATES_MAX)
}

/** The message that a report sends back, if an organization that receives the report has signed it; else null. */
export async function signedOriginal(
  reader: Reader,
  { bytes, recipients }: InboundMessage,
  parsed: ParsedMessage,
): Promise<SignedOriginal | null> {
  const original = returnedMessage(bytes, parsed)
  if (!original) return null
  const signatures = dkimSignaturesIn(original).filter(({ names }) => NEEDED.every((name) => names.includes(name)))
  const messageId = parseMessage(original).messageId?.at(-1)
  if (signatures.length === 0 || messageId === undefined) return null
  const organizations = new Set<number>()
  for (const account of new Set(recipients.map(({ account }) => account))) {
    const found = await findAccount(reader, account)
    if (found?.organization) organizations.add(found.organization)
  }
  for (const organization of organizations)
    for (const signature of signatures)
      if (await isOwnSignature(reader, organization, original, signature)) return { organization, messageId }
  return null
}

/** Verifies with the keys of the organization's domain, including those that signed until recently. */
async function isOwnSignature(
  reader: Reader,
  organization: number,
  original: Buffer,
  signature: DkimSignature,
): Promise<boolean> {
  const claim = (await findDomainName(reader, signature.domain)).find(({ account }) => account === organization)
  const domain = claim && (await findStored(reader, organization, Domain, claim.object))
  const keys = domain?.data.dkimKeys ?? []
  return keys.some(
    ({ selector, algorithm, publicKey }) =>
      selector === signature.selector &&
      algorithm === signature.algorithm &&
      isSignedHeader(original, signature, publicKey),
  )
}
