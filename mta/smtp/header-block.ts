/** The header section of a message, looked at as octets and only as far as mail transport needs. Pure. */

const LF = 0x0a
const SPACE = 0x20
const TAB = 0x09
const COLON = 0x3a

/** One field with its folded lines and line end: `bytes.subarray(start, end)`. */
export interface HeaderField {
  /** In lower case, without what stands before the colon as white space. */
  readonly name: string
  readonly start: number
  readonly end: number
}

export interface HeaderBlock {
  readonly fields: readonly HeaderField[]
  /** Where the empty line begins; the length of the message when there is none. */
  readonly end: number
}

/** Finds the fields of a message with CRLF or LF line ends. A line that is no field belongs to the one before it. */
export function readHeaderBlock(bytes: Buffer): HeaderBlock {
  const fields: { name: string; start: number; end: number }[] = []
  let start = 0
  while (start < bytes.length) {
    const first = bytes[start]!
    if (first === LF || (first === 0x0d && bytes[start + 1] === LF)) break
    const lf = bytes.indexOf(LF, start)
    const end = lf < 0 ? bytes.length : lf + 1
    const name = first === SPACE || first === TAB ? null : fieldName(bytes, start, end)
    const last = fields.at(-1)
    if (name !== null) fields.push({ name, start, end })
    else if (last) last.end = end
    // RFC 5322 2.1: what begins with no field has no header section.
    else return { fields, end: 0 }
    start = end
  }
  return { fields, end: Math.min(start, bytes.length) }
}

/** The unfolded text of a field's body; octets beyond ASCII are read as UTF-8. */
export function fieldText(bytes: Buffer, field: HeaderField): string {
  const text = bytes.toString('utf8', field.start, field.end)
  return text
    .slice(text.indexOf(':') + 1)
    .replace(/\r?\n/g, '')
    .trim()
}

/** A message without the fields that `drop` names, as pieces of it. */
export function withoutFields(bytes: Buffer, block: HeaderBlock, drop: (field: HeaderField) => boolean): Buffer[] {
  const pieces: Buffer[] = []
  let kept = 0
  for (const field of block.fields) {
    if (!drop(field)) continue
    if (field.start > kept) pieces.push(bytes.subarray(kept, field.start))
    kept = field.end
  }
  pieces.push(bytes.subarray(kept))
  return pieces
}

function fieldName(bytes: Buffer, start: number, end: number): string | null {
  let i = start
  while (i < end && bytes[i]! > SPACE && bytes[i]! < 0x7f && bytes[i] !== COLON) i++
  const nameEnd = i
  // RFC 5322 4.5: white space before the colon is obsolete, and still read.
  while (i < end && (bytes[i] === SPACE || bytes[i] === TAB)) i++
  if (nameEnd === start || bytes[i] !== COLON) return null
  return bytes.toString('latin1', start, nameEnd).toLowerCase()
}
