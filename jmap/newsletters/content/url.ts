/** URLs of content (decision D19): https, http and mailto only; images https and http only. */
import { BLOCK_URL_MAX_CHARS } from '../../../server/base/newsletter-limits.ts'
import type { FaultCode } from './fault.ts'
import { type MergePart, parseMerge, showField, URL_FIELDS } from './merge.ts'

export type UrlUse = 'link' | 'image'

export interface ReadUrl {
  readonly parts: readonly MergePart[]
}
export interface UrlFault {
  readonly code: FaultCode
  readonly message: string
}

const SCHEMES: { readonly [use in UrlUse]: { readonly pattern: RegExp; readonly words: string } } = {
  link: { pattern: /^(?:https?:\/\/[^/?#\\]|mailto:[^?])/i, words: 'https, http or mailto' },
  image: { pattern: /^https?:\/\/[^/?#\\]/i, words: 'https or http' },
}

const NEVER_IN_URL = /[\u0000-\u0020\u007f"<>\\^`|]/

/** A link may begin with a merge field, whose value is checked for each recipient. */
export function readUrl(text: string, use: UrlUse): ReadUrl | UrlFault {
  if (text === '') return { code: 'required', message: 'is empty.' }
  if (text.length > BLOCK_URL_MAX_CHARS)
    return { code: 'too_long', message: `has at most ${BLOCK_URL_MAX_CHARS} characters.` }
  const merge = parseMerge(text)
  if ('fault' in merge) return { code: 'invalid_format', message: `is no URL. ${merge.fault}` }
  const { parts } = merge
  const fixed = parts.filter((part) => typeof part === 'string')
  if (fixed.some((part) => NEVER_IN_URL.test(part)))
    return { code: 'invalid_format', message: 'is no URL: it has a space or another character that URLs do not have.' }
  const beginsWithField = typeof parts[0] === 'object'
  if (beginsWithField && use === 'link') return { parts }
  const { pattern, words } = SCHEMES[use]
  if (beginsWithField || !pattern.test(parts[0] as string))
    return { code: 'not_allowed', message: `is an absolute URL whose scheme is ${words}.` }
  const sample = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('')
  if (!URL.canParse(sample)) return { code: 'invalid_format', message: 'is no URL.' }
  return { parts }
}

/** The text by which two URLs are the same; null: a link that the server makes. */
export function normalisedUrl(text: string): string | null {
  const merge = parseMerge(text)
  if ('parts' in merge) {
    const [first] = merge.parts
    if (typeof first === 'object' && URL_FIELDS.has(first.name)) return null
    text = merge.parts.map((part) => (typeof part === 'string' ? part : showField(part))).join('')
  }
  const url = URL.parse(text)
  if (!url) return text
  url.hash = ''
  return url.href
}
