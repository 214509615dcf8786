/** Line ends of messages from files and other servers. A line may be one octet long, so that large messages are changed in slices. */
import { LINES_TURN_BYTES } from './import-limits.ts'
import { joinInTurns, nextTurn } from './turns.ts'

const LF = 0x0a
const CR = 0x0d

/** Some servers give messages as they lie on their disk, with LF alone. A message with any CRLF is left as it is. */
export async function withCrlf(message: Buffer): Promise<Buffer> {
  return message.includes('\r\n') ? message : everyLineWithCrlf(message)
}

/** RFC 5322 2.1: a line feed alone becomes CRLF; the same octets if there is none. */
export function everyLineWithCrlf(text: Buffer): Promise<Buffer> {
  return changedInSlices(text, sliceWithCrlf)
}

/**
 * A text whose slices are changed one by one; the same octets if none changes.
 * @param change returns what stands for the octets from `from` to `to`; those outside may be read
 */
export async function changedInSlices(
  text: Buffer,
  change: (text: Buffer, from: number, to: number) => Buffer,
): Promise<Buffer> {
  if (text.length <= LINES_TURN_BYTES) return change(text, 0, text.length)
  const slices: Buffer[] = []
  let isChanged = false
  for (let from = 0; from < text.length; from += LINES_TURN_BYTES) {
    const to = Math.min(text.length, from + LINES_TURN_BYTES)
    const slice = change(text, from, to)
    isChanged ||= slice.length !== to - from
    slices.push(slice)
    await nextTurn()
  }
  return isChanged ? joinInTurns(slices) : text
}

function sliceWithCrlf(text: Buffer, from: number, to: number): Buffer {
  const slice = text.subarray(from, to)
  const isBare = (at: number) => (at > 0 ? slice[at - 1] : text[from - 1]) !== CR
  let bare = 0
  for (let at = slice.indexOf(LF); at >= 0; at = slice.indexOf(LF, at + 1)) if (isBare(at)) bare++
  if (bare === 0) return slice
  const whole = Buffer.allocUnsafeSlow(slice.length + bare)
  let copied = 0
  let end = 0
  for (let at = slice.indexOf(LF); at >= 0; at = slice.indexOf(LF, at + 1)) {
    if (!isBare(at)) continue
    end += slice.copy(whole, end, copied, at)
    whole[end++] = CR
    copied = at
  }
  slice.copy(whole, end, copied)
  return whole
}
