/** Merge fields in texts: `{{first_name}}`, `{{first_name|there}}` (decision D19). There is no other syntax: no code of a template runs. */
import { MERGE_FALLBACK_MAX_CHARS, MERGE_FIELDS_MAX } from '../../../server/base/newsletter-limits.ts'

export interface MergeField {
  readonly name: string
  /** For recipients without a value; null: nothing. */
  readonly fallback: string | null
}

export type MergePart = string | MergeField

/** Fields that the server fills in. A subscriber's own field of such a name is not used. */
export const SYSTEM_FIELDS = ['email_address', 'display_name', 'unsubscribe_url', 'archive_url'] as const

/** Those of them that are whole URLs. */
export const URL_FIELDS: ReadonlySet<string> = new Set(['unsubscribe_url', 'archive_url'])

export const TOO_MANY_FIELDS = `A newsletter has at most ${MERGE_FIELDS_MAX} merge fields.`

/** Decision D18: names of merge fields. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const EXPRESSION = /\{\{([^{}]*)\}\}/g

/** Braces that are not closed are text. @returns the parts, or why an expression is none */
export function parseMerge(text: string): { readonly parts: readonly MergePart[] } | { readonly fault: string } {
  const parts: MergePart[] = []
  let at = 0
  for (const { 0: whole, 1: content = '', index } of text.matchAll(EXPRESSION)) {
    const field = readField(content)
    if (typeof field === 'string') return { fault: field }
    if (index > at) parts.push(text.slice(at, index))
    parts.push(field)
    at = index + whole.length
  }
  if (at < text.length) parts.push(text.slice(at))
  return { parts }
}

/** @returns the field, or why it is none */
function readField(content: string): MergeField | string {
  const bar = content.indexOf('|')
  const name = (bar < 0 ? content : content.slice(0, bar)).trim()
  const fallback = bar < 0 ? null : content.slice(bar + 1).trim()
  if (!NAME.test(name))
    return `{{${content.slice(0, 80)}}} is no merge field: a name begins with a letter and has letters, digits and _, as in {{first_name|there}}.`
  if (fallback !== null && fallback.length > MERGE_FALLBACK_MAX_CHARS)
    return `The fallback of {{${name}}} has more than ${MERGE_FALLBACK_MAX_CHARS} characters.`
  return { name, fallback }
}

/** As it is written in a text. */
export function showField({ name, fallback }: MergeField): string {
  return fallback === null ? `{{${name}}}` : `{{${name}|${fallback}}}`
}
