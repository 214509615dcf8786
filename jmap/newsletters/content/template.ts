/**
 * Text with holes for merge fields. A newsletter becomes templates once; for each recipient only the holes are filled, each escaped for
 * the place where it stands (promise N3).
 */
import type { MergeField, MergePart } from './merge.ts'

/**
 * `html`: between tags. `attribute`: in a double-quoted attribute. `url`: within a URL in such an attribute. `wholeUrl`: at the beginning
 * of one. `text`: the text part. `header`: a header field.
 */
export type Place = 'html' | 'attribute' | 'url' | 'wholeUrl' | 'text' | 'header'

export interface Hole extends MergeField {
  readonly place: Place
}

export type Template = readonly (string | Hole)[]

/** What a recipient has, by the names of merge fields. */
export type MergeValues = { readonly [name: string]: string | number | boolean | null }

export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char) : text
}

const ENTITIES: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The template of a text that is escaped for a place, without characters that no page and no message may have. */
export function templateOf(parts: readonly MergePart[], place: Exclude<Place, 'url' | 'wholeUrl'>): Template {
  return parts.map((part) => (typeof part === 'string' ? literal(part, place) : { ...part, place }))
}

/** The template of a URL in an attribute. */
export function urlTemplate(parts: readonly MergePart[]): Template {
  return parts.map((part, index) =>
    typeof part === 'string' ? escapeHtml(part) : { ...part, place: index === 0 ? 'wholeUrl' : 'url' },
  )
}

function literal(text: string, place: Place): string {
  const shown = text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '')
  return place === 'text' || place === 'header' ? shown : escapeHtml(shown)
}

/** Joins pieces, so that texts next to each other are one. */
export function joinTemplates(pieces: readonly (Template | string)[]): Template {
  const joined: (string | Hole)[] = []
  for (const piece of pieces.flat()) {
    const last = joined.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') joined[joined.length - 1] = last + piece
    else if (piece !== '') joined.push(piece)
  }
  return joined
}

/** The text for one recipient. */
export function fill(template: Template, values: MergeValues): string {
  let text = ''
  for (const part of template) text += typeof part === 'string' ? part : fillHole(part, values)
  return text
}

/** The text with its merge fields as they are written. */
export function showTemplate(template: Template, show: (field: MergeField) => string): string {
  return template.map((part) => (typeof part === 'string' ? part : show(part))).join('')
}

/** The text in place of a hole. */
export function fillHole({ name, fallback, place }: Hole, values: MergeValues): string {
  const value = Object.hasOwn(values, name) ? values[name] : null
  const given = value === null || value === undefined ? '' : printable(String(value))
  return ESCAPE[place](given === '' ? printable(fallback ?? '') : given)
}

/** Line breaks, tabs and characters that show. Marks that turn the direction of the text that follows them are removed. */
function printable(text: string): string {
  const unwanted = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g
  return text.toWellFormed().replaceAll(unwanted, '').trim()
}

const LINE_BREAKS = /\r\n|[\r\n\u2028\u2029]/g

const ESCAPE: { readonly [place in Place]: (value: string) => string } = {
  html: (value) => escapeHtml(value).replaceAll(LINE_BREAKS, '<br>'),
  attribute: (value) => escapeHtml(value.replaceAll(LINE_BREAKS, ' ')),
  url: (value) => escapeHtml(encodeURIComponent(value)),
  wholeUrl: (value) => (/^(?:https?:\/\/|mailto:)[^\s<>"]+$/i.test(value) ? escapeHtml(value) : '#'),
  text: (value) => value.replaceAll(LINE_BREAKS, '\n'),
  // RFC 5322 2.2: a field ends with its line.
  header: (value) => value.replaceAll(/[\s\u2028\u2029]+/g, ' '),
}
