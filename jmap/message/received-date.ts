/** When a message was received, from its own header: RFC 8621 4.8, RFC 5321 4.4. */
import { parseDate } from './date.ts'
import type { HeaderField } from './header-block.ts'
import { fieldText, isNamed, unfold } from './headers.ts'

/** Epoch ms of the newest Received field with a date; null: there is none. Servers write theirs in front of older ones. */
export function newestReceived(bytes: Uint8Array, fields: readonly HeaderField[]): number | null {
  for (const field of fields) {
    if (!isNamed(field, 'received')) continue
    const date = parseDate(unfold(fieldText(bytes, field)).split(';').at(-1) ?? '')
    if (date) return date.ms
  }
  return null
}
