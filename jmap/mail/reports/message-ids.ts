/** Possible Message-IDs of the message that a report is about. */
import type { ParsedMessage } from '../../message/structure.ts'

/** @param returned the part of the message that the report includes */
export function messageIdsOf(parsed: ParsedMessage, returned: ParsedMessage | null): string[] {
  return [...(returned?.messageId ?? []), ...(parsed.inReplyTo ?? []), ...(parsed.references ?? []).toReversed()]
}
