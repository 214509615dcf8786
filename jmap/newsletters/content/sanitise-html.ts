/** Cleans custom HTML with sanitize-html (promise N1). What is removed is told; what nobody can mean is refused. */
import { createRequire } from 'node:module'
import { HTML_MAX_DEPTH, HTML_STYLE_MAX_CHARS, HTML_WARNINGS_MAX } from '../../../server/base/newsletter-limits.ts'
import { onDemand } from '../../../server/base/on-demand.ts'
import {
  ATTRIBUTES,
  DROPPED_WITH_CONTENT,
  ELEMENTS,
  EMPTY_ELEMENTS,
  FRAME_ELEMENTS,
  REFUSED_ELEMENTS,
  STYLES,
} from './html-policy.ts'
import { readUrl } from './url.ts'

type Attributes = Record<string, string>

/** What is used of sanitize-html. */
type SanitizeHtml = (dirty: string, options: SanitizeOptions) => string
interface SanitizeOptions {
  readonly allowedTags: readonly string[]
  readonly allowedAttributes: { readonly [element: string]: readonly string[] }
  readonly allowedStyles: { readonly [element: string]: { readonly [property: string]: readonly RegExp[] } }
  readonly allowedSchemes: readonly string[]
  readonly allowedSchemesByTag: { readonly [element: string]: readonly string[] }
  readonly allowProtocolRelative: boolean
  readonly nonTextTags: readonly string[]
  readonly selfClosing: readonly string[]
  readonly disallowedTagsMode: 'discard'
  readonly nestingLimit: number
  readonly onOpenTag: (name: string, attributes: Attributes) => void
  readonly transformTags: {
    readonly '*': (tagName: string, attribs: Attributes) => { tagName: string; attribs: Attributes }
  }
}

const sanitizeHtml = onDemand(() => createRequire(import.meta.url)('sanitize-html') as SanitizeHtml)

export interface Sanitised {
  /** Elements and attributes of the policy only; attributes in double quotes. */
  readonly html: string
  /** What was removed, in words. */
  readonly removed: readonly string[]
  /** What makes the HTML unacceptable, in words (decision D31). */
  readonly refused: readonly string[]
}

export function sanitiseHtml(dirty: string): Sanitised {
  const removed = new Set<string>()
  const refused = new Set<string>()
  const html = sanitizeHtml()(dirty, {
    allowedTags: ELEMENTS,
    allowedAttributes: ATTRIBUTES,
    allowedStyles: { '*': STYLES },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['http', 'https'] },
    allowProtocolRelative: false,
    nonTextTags: DROPPED_WITH_CONTENT,
    selfClosing: EMPTY_ELEMENTS,
    disallowedTagsMode: 'discard',
    nestingLimit: HTML_MAX_DEPTH,
    onOpenTag: (name, attributes) => judge(name, attributes, removed, refused),
    transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: withoutBad(tagName, attribs) }) },
  })
  return { html, removed: [...removed].slice(0, HTML_WARNINGS_MAX), refused: [...refused].slice(0, HTML_WARNINGS_MAX) }
}

const KNOWN = new Set(ELEMENTS)
const COMMON = new Set(ATTRIBUTES['*'])

function judge(name: string, attributes: Attributes, removed: Set<string>, refused: Set<string>): void {
  const shown = name.slice(0, 40)
  if (REFUSED_ELEMENTS.has(name)) refused.add(`the element <${shown}>`)
  else if (!KNOWN.has(name) && !FRAME_ELEMENTS.has(name)) removed.add(`the element <${shown}>`)
  for (const [attribute, value] of Object.entries(attributes)) {
    const where = `${attribute.slice(0, 40)} of <${shown}>`
    if (/^on/.test(attribute)) refused.add(`the event handler ${where}`)
    else if (!KNOWN.has(name)) continue
    else if (!COMMON.has(attribute) && !ATTRIBUTES[name]?.includes(attribute)) removed.add(`the attribute ${where}`)
    else if (attribute === 'style' && !isBad(name, attribute, value)) {
      for (const property of unknownStyles(value)) removed.add(`the style ${property.slice(0, 40)} of <${shown}>`)
    } else if (isBad(name, attribute, value)) removed.add(`the value of ${where}: ${value.slice(0, 80)}`)
  }
}

/** Whether an attribute of the policy has a value that it does not allow. */
function isBad(name: string, attribute: string, value: string): boolean {
  if (attribute === 'href') return 'code' in readUrl(value.trim(), 'link')
  if (attribute === 'src') return 'code' in readUrl(value.trim(), 'image')
  if (attribute === 'style') return value.length > HTML_STYLE_MAX_CHARS || /url\s*\(|expression|@import|\\/i.test(value)
  return name === 'img' && attribute === 'alt' ? false : value.length > HTML_STYLE_MAX_CHARS
}

/** Names of properties, or of properties with such a value, that the sanitiser removes. */
function unknownStyles(style: string): string[] {
  return style.split(';').flatMap((declaration) => {
    const colon = declaration.indexOf(':')
    if (colon < 0) return []
    const name = declaration.slice(0, colon).trim().toLowerCase()
    const value = declaration.slice(colon + 1).trim()
    return STYLES[name]?.some((pattern) => pattern.test(value)) ? [] : [name]
  })
}

function withoutBad(name: string, attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([attribute, value]) => {
      if (isBad(name, attribute, value)) return []
      return [[attribute, attribute === 'href' || attribute === 'src' ? value.trim() : value]]
    }),
  )
}
