/**
 * The single pass over a message (RFC 2046 5.1): header blocks, delimiter lines, and the start and end of each part. Iterative, with
 * the open multiparts on a stack. Octets of leaf parts are only searched for line starts with `--`, never copied.
 */
import { Buffer } from 'node:buffer'
import { MIME_MAX_DEPTH, MIME_MAX_PARTS } from '../../server/base/limits.ts'
import { afterLineBreak, findLineEnd, type HeaderField, readHeaderBlock } from './header-block.ts'
import { OpenBoundaries } from './open-boundaries.ts'
import { describePart, type PartDescription } from './part-fields.ts'

/** A scanned part: its description, its offsets, its parts. */
export interface ScannedPart extends PartDescription {
  headerStart: number
  headerEnd: number
  bodyStart: number
  bodyEnd: number
  /** Numbers (index + 1) of the parts inside; null: the part is not a multipart. */
  subParts: number[] | null
}

export interface Scan {
  readonly parts: ScannedPart[]
  /** Fields of the message's own header. */
  readonly headers: HeaderField[]
  readonly truncated: boolean
}

interface Open {
  readonly part: ScannedPart
  /** The boundary as latin1 of its octets. */
  readonly boundary: string
  /** Whether one of its delimiter lines was found. */
  seen: boolean
}

interface Delimiter {
  readonly level: number
  readonly closes: boolean
  readonly lineStart: number
  /** Octet after the delimiter line. */
  readonly next: number
}

const DASHES = Buffer.from('--')
/** Octets after a boundary that are read: white space that transport added, and the closing dashes. */
const MAX_TAIL = 70

/** Scans the message in `bytes` from `start` to `end`. */
export function scanMessage(bytes: Buffer, start: number, end: number): Scan {
  const scanner = new Scanner(bytes, end)
  return scanner.run(start)
}

class Scanner {
  private readonly bytes: Buffer
  private readonly end: number
  private readonly parts: ScannedPart[] = []
  private readonly open: Open[] = []
  private readonly boundaries = new OpenBoundaries()
  private headers: HeaderField[] = []
  private truncated = false
  /** The current leaf may contain multiparts that are not scanned. */
  private holdsUnknown = false

  constructor(bytes: Buffer, end: number) {
    this.bytes = bytes
    this.end = end
  }

  run(start: number): Scan {
    /** The part that the next delimiter ends: a leaf, or a multipart in its epilogue. */
    let current = this.beginPart(start, 'text/plain')
    let position = current.bodyStart
    while (this.open.length > 0) {
      const delimiter = this.nextDelimiter(position)
      if (delimiter === null) break
      this.endParts(current, delimiter)
      position = delimiter.next
      const parent = this.open[delimiter.level] as Open
      parent.seen = true
      if (delimiter.closes) {
        current = parent.part
        // Text before the end of a multipart without parts is its text, not a preamble.
        const { bodyStart, subParts } = current
        if (subParts?.length === 0 && !this.isBlank(bodyStart, delimiter.lineStart)) becomeLeaf(current)
        this.holdsUnknown = false
        this.closeFrom(delimiter.level)
        continue
      }
      // A message that ends directly after a delimiter line has no part there.
      if (this.isBlank(position, this.end)) break
      if (this.parts.length >= MIME_MAX_PARTS) {
        this.truncated = true
        break
      }
      // RFC 2046 5.1.5: message/rfc822 is the default inside multipart/digest.
      const implicit = parent.part.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
      parent.part.subParts?.push(this.parts.length + 1)
      current = this.beginPart(position, implicit)
      position = current.bodyStart
    }
    for (const { part, seen } of this.open) if (!seen) becomeLeaf(part)
    return { parts: this.parts, headers: this.headers, truncated: this.truncated }
  }

  private beginPart(start: number, implicitType: string): ScannedPart {
    this.holdsUnknown = false
    const isDelimiter = this.open.length > 0 ? (line: number) => this.delimiterAt(line) !== null : undefined
    const block = readHeaderBlock(this.bytes, start, this.end, { isDelimiter })
    const description = describePart(this.bytes, block.fields, implicitType)
    if (this.parts.length === 0) this.headers = block.fields
    if (block.truncated) this.truncated = true
    const part: ScannedPart = {
      ...description,
      headerStart: start,
      headerEnd: block.headerEnd,
      bodyStart: block.bodyStart,
      bodyEnd: this.end,
      subParts: null,
    }
    this.parts.push(part)
    if (part.type.startsWith('multipart/')) this.openMultipart(part)
    else this.holdsUnknown = part.type.startsWith('message/')
    return part
  }

  private openMultipart(part: ScannedPart): void {
    const boundary = part.boundary
    if (boundary === null || boundary === '') {
      becomeLeaf(part)
      return
    }
    if (this.open.length >= MIME_MAX_DEPTH) {
      this.truncated = true
      becomeLeaf(part, 'application/octet-stream')
      this.holdsUnknown = true
      return
    }
    part.subParts = []
    this.open.push({ part, boundary, seen: false })
    this.boundaries.push(boundary)
  }

  private closeFrom(level: number): void {
    this.open.length = level
    this.boundaries.truncate(level)
  }

  /** The delimiter line of any open multipart at or after `from`, which is a line start. */
  private nextDelimiter(from: number): Delimiter | null {
    const { bytes, end } = this
    let position = from
    while (position < end) {
      const at = bytes.indexOf(DASHES, position)
      if (at < 0 || at >= end) return null
      const before = at === from ? 0x0a : bytes[at - 1]
      if (before === 0x0a || before === 0x0d) {
        const delimiter = this.delimiterAt(at)
        if (delimiter) return delimiter
      }
      position = findLineEnd(bytes, at + 2, end)
    }
    return null
  }

  // RFC 2046 5.1.1: `--boundary`, with a further `--` when it closes, and white space that transport added; the innermost comes first.
  private delimiterAt(lineStart: number): Delimiter | null {
    const { bytes, end, open } = this
    if (bytes[lineStart + 1] !== 0x2d) return null
    const textStart = lineStart + 2
    const lineEnd = findLineEnd(bytes, textStart, end)
    let textEnd = lineEnd
    while (textEnd > textStart && (bytes[textEnd - 1] === 0x20 || bytes[textEnd - 1] === 0x09)) textEnd--
    const { boundaries } = this
    const text = bytes.toString('latin1', textStart, Math.min(textEnd, textStart + boundaries.longest + MAX_TAIL))
    if (text === '') return null
    const whole = boundaries.whole(text)
    // RFC 2046 5.1.1: only the beginning of the line counts. If several boundaries match, the longest is meant.
    const found = whole < 0 && !this.holdsUnknown ? boundaries.beginning(text) : whole
    if (found < 0) return null
    const closes = text
      .slice((open[found] as Open).boundary.length)
      .trimStart()
      .startsWith('--')
    return { level: found, closes, lineStart, next: afterLineBreak(bytes, lineEnd, end) }
  }

  private isBlank(start: number, end: number): boolean {
    let index = start
    while (index < end && isLineBreak(this.bytes[index])) index++
    return index >= end
  }

  private endParts(current: ScannedPart, delimiter: Delimiter): void {
    const parent = this.open[delimiter.level]?.part
    // An empty part begins after its blank line, which is also the line break before the delimiter: parts around it end there too.
    const bodyEnd = Math.max(current === parent ? 0 : current.bodyStart, this.beforeLineBreak(delimiter.lineStart))
    if (current !== parent) current.bodyEnd = bodyEnd
    for (let level = this.open.length - 1; level > delimiter.level; level--) {
      const { part, seen } = this.open[level] as Open
      part.bodyEnd = bodyEnd
      if (!seen) becomeLeaf(part)
    }
    this.closeFrom(delimiter.level + 1)
  }

  // RFC 2046 5.1.1: the line break before a delimiter line belongs to the delimiter.
  private beforeLineBreak(lineStart: number): number {
    const { bytes } = this
    if (lineStart === 0) return 0
    if (bytes[lineStart - 1] === 0x0a && bytes[lineStart - 2] === 0x0d) return lineStart - 2
    return bytes[lineStart - 1] === 0x0a || bytes[lineStart - 1] === 0x0d ? lineStart - 1 : lineStart
  }
}

function isLineBreak(code: number | undefined): boolean {
  return code === 0x0a || code === 0x0d
}

/** A multipart without parts is shown as its content, so that no text is lost (RFC 2045 5.2). */
function becomeLeaf(part: ScannedPart, type = 'text/plain'): void {
  part.type = type
  part.charset = type === 'text/plain' ? 'us-ascii' : null
  part.subParts = null
}
