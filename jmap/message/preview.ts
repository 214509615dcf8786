/** RFC 8621 4.1.4 (preview): the line of a message in lists. */
import { PREVIEW_MAX_CHARS } from '../../server/base/limits.ts'

/** Number of these characters in a row that form a ruler. */
const RULER_MIN = 4

/**
 * The preview of a plain text. Quoted lines, the signature and rulers are left out if there is other text; white space and invisible
 * characters are folded. At most PREVIEW_MAX_CHARS UTF-16 units, with whole surrogate pairs.
 */
export function previewOf(text: string): string {
  return fold(text, true) || fold(text, false)
}

function fold(text: string, ownTextOnly: boolean): string {
  let out = ''
  let spaced = false
  for (let index = 0; index < text.length && out.length < PREVIEW_MAX_CHARS; ) {
    const code = text.charCodeAt(index)
    if (ownTextOnly && isLineStart(text, index)) {
      if (code === 0x3e) {
        const next = text.indexOf('\n', index)
        index = next < 0 ? text.length : next
        continue
      }
      // RFC 3676 4.3: the signature separator.
      if (code === 0x2d && text.startsWith('-- \n', index)) break
    }
    const end = isFolded(code) ? index + 1 : rulerEnd(text, index, code)
    if (end > index) {
      spaced = true
      index = end
      continue
    }
    if (spaced && out !== '') out += ' '
    spaced = false
    const isPair = code >= 0xd800 && code <= 0xdbff && index + 1 < text.length
    out += isPair ? text.slice(index, index + 2) : text[index]
    index += isPair ? 2 : 1
  }
  return out.length <= PREVIEW_MAX_CHARS ? out : cut(out)
}

function cut(text: string): string {
  const last = text.charCodeAt(PREVIEW_MAX_CHARS - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? PREVIEW_MAX_CHARS - 1 : PREVIEW_MAX_CHARS)
}

function isLineStart(text: string, index: number): boolean {
  return index === 0 || text.charCodeAt(index - 1) === 0x0a
}

/** Index after a ruler at `index`, or `index`. */
function rulerEnd(text: string, index: number, code: number): number {
  if (code !== 0x2d && code !== 0x3d && code !== 0x5f && code !== 0x2a && code !== 0x7e && code !== 0x23) return index
  let end = index
  while (text.charCodeAt(end) === code) end++
  return end - index >= RULER_MIN ? end : index
}

/** White space, controls, and the characters without width with which newsletters pad their first line. */
function isFolded(code: number): boolean {
  if (code <= 0x20) return true
  if (code < 0x7f) return false
  if (code < 0x2000) {
    return code <= 0xa0 || code === 0xad || code === 0x34f || code === 0x61c || code === 0x115f || code === 0x180e
  }
  // U+2000 to U+200F except the joiner of emoji (U+200D), line and bidi controls, BOM.
  if (code <= 0x206f) return code <= 0x200c || (code >= 0x200e && code <= 0x200f) || isControl2000(code)
  return code === 0x3000 || code === 0xfeff
}

function isControl2000(code: number): boolean {
  return (code >= 0x2028 && code <= 0x202f) || code >= 0x205f
}
