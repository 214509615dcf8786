/** What the message that a report is about may be called. */
import type { ParsedMessage } from '../../message/structure.ts'

/** @param returned what the report sends back of it */
export function messageIdsOf(parsed: ParsedMessage, returned: ParsedMessage | null): string[] {
  return [...(returned?.messageId ?? []), ...(parsed.inReplyTo ?? []), ...(parsed.references ?? []).toReversed()]
}
