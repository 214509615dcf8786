/** Tokens of sanitised HTML. It has one form; anything else in it is a fault of the sanitiser, and is refused. */
import { decodeEntities } from '../../message/html-text.ts'
import { ATTRIBUTES, ELEMENTS, EMPTY_ELEMENTS, TABLE_PARTS } from './html-policy.ts'

export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: readonly HtmlAttribute[] }
  | { readonly kind: 'close'; readonly name: string }

export interface HtmlAttribute {
  readonly name: string
  /** Decoded. */
  readonly value: string
}

const KNOWN = new Set(ELEMENTS)
const EMPTY = new Set(EMPTY_ELEMENTS)
const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*\/?>/y
const ATTRIBUTE = /([a-z-]+)(?:="([^"]*)")?/g

/** @returns null if the text is not in the form that the sanitiser writes */
export function readSanitised(html: string): HtmlToken[] | null {
  const tokens: HtmlToken[] = []
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    const end = open < 0 ? html.length : open
    if (end > at) tokens.push({ kind: 'text', text: decodeEntities(html.slice(at, end)) })
    if (open < 0) break
    TAG.lastIndex = open
    const found = TAG.exec(html)
    if (!found) return null
    const [whole, slash, name = '', attributes = ''] = found
    if (!KNOWN.has(name)) return null
    at = open + whole.length
    if (slash === '/') tokens.push({ kind: 'close', name })
    else {
      const read = readAttributes(name, attributes)
      if (!read) return null
      tokens.push({ kind: 'open', name, attributes: read })
    }
  }
  return withoutLooseParts(tokens)
}

function readAttributes(element: string, text: string): HtmlAttribute[] | null {
  const attributes: HtmlAttribute[] = []
  for (const [, name = '', value = ''] of text.matchAll(ATTRIBUTE)) {
    if (!ATTRIBUTES['*']?.includes(name) && !ATTRIBUTES[element]?.includes(name)) return null
    if (name === 'style' && /url\s*\(|expression|@|\\/i.test(decodeEntities(value))) return null
    attributes.push({ name, value: decodeEntities(value) })
  }
  return attributes
}

/** Without parts of tables outside of a table. Tags are balanced in what the sanitiser writes. */
function withoutLooseParts(tokens: readonly HtmlToken[]): HtmlToken[] {
  let tables = 0
  return tokens.filter((token) => {
    if (token.kind === 'text') return true
    if (token.name === 'table') tables += token.kind === 'open' ? 1 : -1
    return tables > 0 || !TABLE_PARTS.has(token.name)
  })
}

export function isEmptyElement(name: string): boolean {
  return EMPTY.has(name)
}
