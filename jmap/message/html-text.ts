/** HTML to plain text for previews and search: one linear pass, no tree, no rendering. Not a sanitiser. */
import { HTML_ENTITIES } from './html-entities.ts'

/** Elements whose content is not text of the message. Other content of <head> is not text either. */
const DROPPED = new Set(['script', 'style', 'title', 'template', 'noscript', 'svg', 'object'])

/** Elements that end a word; all others (b, span, a ...) do not interrupt text. */
const BREAKS = new Set(
  'address article aside blockquote body br center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html img li main nav ol option p pre section select table tbody td textarea tfoot th thead tr ul'.split(
    ' ',
  ),
)

/** The text of an HTML document, about `maxChars` UTF-16 units at most. Breaks are newlines; white space is not folded. */
export function htmlToText(html: string, maxChars: number): string {
  let out = ''
  let index = 0
  while (index < html.length && out.length < maxChars) {
    const open = html.indexOf('<', index)
    const end = open < 0 ? html.length : open
    if (end > index) out += decodeEntities(html.slice(index, Math.min(end, index + maxChars)))
    if (open < 0) break
    const tag = readTag(html, open)
    if (tag === null) {
      out += '<'
      index = open + 1
      continue
    }
    index = tag.end
    if (DROPPED.has(tag.name)) index = skipElement(html, tag.name, index)
    else if (BREAKS.has(tag.name)) out += '\n'
  }
  return out
}

/** Index of a tag or comment that the end of `html` cuts, or -1. */
export function openTagStart(html: string): number {
  for (let open = html.indexOf('<'); open >= 0; ) {
    if (open >= html.length - 2 && /^<\/?$/.test(html.slice(open))) return open
    const tag = readTag(html, open)
    if (tag?.isCut) return open
    open = html.indexOf('<', tag === null ? open + 1 : tag.end)
  }
  return -1
}

interface Tag {
  /** In lower case; '' for markup without a name and for end tags of inline elements. */
  readonly name: string
  readonly end: number
  /** The text ends before the tag does. */
  readonly isCut: boolean
}

/** Attributes that readers see. */
const SHOWN_ATTRIBUTE = /[\s"'](?:alt|title)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
/** Characters of a tag that are searched for them. */
const TAG_MAX_CHARS = 4_096

/** RFC 8621 4.4.1: the texts of `alt` and `title`, one per line; about `maxChars` units at most. */
export function htmlAttributeText(html: string, maxChars: number): string {
  if (!/(?:alt|title)\s{0,9}=/i.test(html)) return ''
  let out = ''
  for (let open = html.indexOf('<'); open >= 0 && out.length < maxChars; ) {
    const tag = readTag(html, open)
    const end = tag?.end ?? open + 1
    if (tag && DROPPED.has(tag.name)) {
      open = html.indexOf('<', skipElement(html, tag.name, end))
      continue
    }
    if (tag && !html.startsWith('<!', open)) {
      const text = html.slice(open, Math.min(end, open + TAG_MAX_CHARS))
      for (const [, double, single, bare] of text.matchAll(SHOWN_ATTRIBUTE))
        out += `${decodeEntities(double ?? single ?? bare ?? '')}\n`
    }
    open = html.indexOf('<', end)
  }
  return out
}

/** A tag, comment or declaration at `start`; null: there is none. */
function readTag(html: string, start: number): Tag | null {
  const first = html.charCodeAt(start + 1)
  if (first === 0x21 || first === 0x3f) return toTag(html, '', declarationEnd(html, start))
  const closing = first === 0x2f
  const nameStart = closing ? start + 2 : start + 1
  let nameEnd = nameStart
  if (isLetter(html.charCodeAt(nameStart))) while (isNameChar(html.charCodeAt(nameEnd))) nameEnd++
  // HTML 13.2.5.6: `<` before anything but a letter, `/`, `!` or `?` is text.
  if (nameEnd === nameStart) return null
  const name = nameEnd - nameStart > 12 ? '' : html.slice(nameStart, nameEnd).toLowerCase()
  return toTag(html, closing && DROPPED.has(name) ? '' : name, tagEnd(html, nameEnd))
}

function toTag(html: string, name: string, end: number): Tag {
  return { name, end: end < 0 ? html.length : end, isCut: end < 0 }
}

/** Index after a comment or declaration, or -1 if it does not end. */
function declarationEnd(html: string, start: number): number {
  const isComment = html.startsWith('<!--', start)
  const end = isComment ? html.indexOf('-->', start + 2) : html.indexOf('>', start)
  if (end < 0) return -1
  return isComment ? end + 3 : end + 1
}

/** Index after the tag whose name ends at `from`, or -1 if it does not end. */
function tagEnd(html: string, from: number): number {
  let quote = 0
  let afterEquals = false
  for (let index = from; index < html.length; index++) {
    const code = html.charCodeAt(index)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === 0x3e) {
      return index + 1
    } else if ((code === 0x22 || code === 0x27) && afterEquals) {
      quote = code
      afterEquals = false
    } else if (code > 0x20) {
      afterEquals = code === 0x3d
    }
  }
  return -1
}

function skipElement(html: string, name: string, from: number): number {
  for (let index = html.indexOf('</', from); index >= 0; index = html.indexOf('</', index + 2)) {
    if (html.slice(index + 2, index + 2 + name.length).toLowerCase() === name) {
      const end = tagEnd(html, index + 2)
      return end < 0 ? html.length : end
    }
  }
  // As in a browser, an unclosed element hides the rest.
  return html.length
}

function isLetter(code: number): boolean {
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x7a
}

function isNameChar(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x3a || code === 0x2d
}

/** Decodes character references: numeric ones and the common names. */
export function decodeEntities(text: string): string {
  let at = text.indexOf('&')
  if (at < 0) return text
  let out = ''
  let copied = 0
  while (at >= 0) {
    const reference = readReference(text, at)
    if (reference) {
      out += text.slice(copied, at) + reference.value
      copied = reference.end
    }
    at = text.indexOf('&', reference ? reference.end : at + 1)
  }
  return out + text.slice(copied)
}

function readReference(text: string, start: number): { value: string; end: number } | null {
  let end = start + 1
  while (end < text.length && end < start + 12 && isReferenceChar(text.charCodeAt(end))) end++
  const body = text.slice(start + 1, end)
  const after = text.charCodeAt(end) === 0x3b ? end + 1 : end
  if (body.startsWith('#')) {
    const hex = body[1] === 'x' || body[1] === 'X'
    const digits = hex ? body.slice(2) : body.slice(1)
    const point = (hex ? /^[0-9a-f]+$/i : /^\d+$/).test(digits) ? Number.parseInt(digits, hex ? 16 : 10) : -1
    return point < 0 ? null : { value: codePoint(point), end: after }
  }
  const value = HTML_ENTITIES.get(body)
  return value === undefined ? null : { value, end: after }
}

function isReferenceChar(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x23
}

function codePoint(point: number): string {
  if (point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return '\ufffd'
  return String.fromCodePoint(point)
}
