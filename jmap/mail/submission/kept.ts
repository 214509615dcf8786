/**
 * What stays of a message that was sent when its email is destroyed: enough to tell what its delivery was about, under the email's id
 * (decision D29). The content goes with the email.
 */
import type { EmailSummary } from '../../../storage/repos/emails.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { type PackedProperty, packedLines, packedText } from '../email/packed.ts'

const KEPT = ['from', 'to', 'cc', 'bcc', 'subject'] as const satisfies readonly PackedProperty[]

/** Of an email, as JSON; `source` and `createdAt` beside the addresses and the subject. */
export function keptOf(email: EmailSummary): JsonObject {
  const lines = packedLines(email.packed)
  const fields = KEPT.map((name) => [name, JSON.parse(packedText(lines, name)) as Json] as const)
  return { ...Object.fromEntries(fields), source: email.source, createdAt: formatUTCDate(email.created_at) }
}
