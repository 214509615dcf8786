/** Custom HTML as a template, with its URLs and its text. */

import { type HtmlAttribute, type HtmlToken, isEmptyElement, readSanitised } from './html-tokens.ts'
import { type MergePart, parseMerge } from './merge.ts'
import { sanitiseHtml } from './sanitise-html.ts'
import { escapeHtml, joinTemplates, type Template, templateOf, urlTemplate } from './template.ts'
import { readUrl } from './url.ts'

export interface CustomHtml {
  readonly html: Template
  readonly text: Template
  readonly links: readonly string[]
  readonly images: readonly string[]
  /** What was removed, and what recipients may miss. */
  readonly removed: readonly string[]
  /** Images without `alt`. */
  readonly withoutAlt: number
}

/** The content, or why it is refused: sentences. */
export function readCustomHtml(dirty: string): CustomHtml | { readonly refused: readonly string[] } {
  const { html, removed, refused } = sanitiseHtml(dirty)
  if (refused.length > 0) return { refused: refused.map((what) => `Newsletters cannot have ${what}.`) }
  const tokens = readSanitised(html)
  if (!tokens) return { refused: ['This HTML cannot be cleaned. Write it more simply.'] }
  const faults: string[] = []
  const pieces = tokens.map((token) => tokenTemplate(token, faults))
  if (faults.length > 0) return { refused: [...new Set(faults)] }
  const images = tokens.filter((token) => token.kind === 'open' && token.name === 'img')
  return {
    html: joinTemplates(pieces),
    text: textOf(tokens),
    links: valuesOf(tokens, 'href'),
    images: valuesOf(tokens, 'src'),
    removed,
    withoutAlt: images.filter((token) => token.kind === 'open' && !token.attributes.some(({ name }) => name === 'alt'))
      .length,
  }
}

function valuesOf(tokens: readonly HtmlToken[], attribute: string): string[] {
  return tokens.flatMap((token) =>
    token.kind === 'open' ? token.attributes.filter(({ name }) => name === attribute).map(({ value }) => value) : [],
  )
}

function tokenTemplate(token: HtmlToken, faults: string[]): Template {
  if (token.kind === 'text') return templateOf(mergeParts(token.text, faults), 'html')
  if (token.kind === 'close') return [`</${token.name}>`]
  const attributes = token.attributes.map((attribute) => attributeTemplate(attribute, faults))
  return joinTemplates([`<${token.name}`, ...attributes, isEmptyElement(token.name) ? ' />' : '>'])
}

function attributeTemplate({ name, value }: HtmlAttribute, faults: string[]): Template {
  if (name === 'href' || name === 'src') {
    const read = readUrl(value, name === 'href' ? 'link' : 'image')
    // The sanitiser has removed those that are not allowed.
    return 'parts' in read ? joinTemplates([` ${name}="`, urlTemplate(read.parts), '"']) : []
  }
  // A style has no merge fields: the sanitiser removes values with braces.
  if (name === 'style') return [` style="${escapeHtml(value)}"`]
  return joinTemplates([` ${name}="`, templateOf(mergeParts(value, faults), 'attribute'), '"'])
}

function mergeParts(text: string, faults: string[]): readonly MergePart[] {
  const merge = parseMerge(text)
  if ('parts' in merge) return merge.parts
  faults.push(merge.fault)
  return []
}

const ENDS_LINE = new Set(
  'blockquote caption center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre table tbody tfoot thead tr ul'.split(' '),
)
const PARAGRAPHS = new Set('blockquote h1 h2 h3 h4 h5 h6 p pre table ul ol dl'.split(' '))

/** Readable without HTML: links with their URLs, images by their texts. */
function textOf(tokens: readonly HtmlToken[]): Template {
  const pieces: Template[] = []
  let href: readonly MergePart[] | null = null
  for (const token of tokens) {
    if (token.kind === 'text') pieces.push(textParts(token.text.replaceAll(/[\s\u00a0]+/g, ' ')))
    else if (token.name === 'a') {
      const target = token.kind === 'open' ? token.attributes.find(({ name }) => name === 'href') : undefined
      if (token.kind === 'close' && href) pieces.push([' ('], templateOf(href, 'text'), [')'])
      const read = target && readUrl(target.value, 'link')
      href = read && 'parts' in read ? read.parts : null
    } else if (token.name === 'img' && token.kind === 'open') {
      const alt = token.attributes.find(({ name }) => name === 'alt')?.value ?? ''
      if (alt.trim() !== '') pieces.push(['['], textParts(alt), [']'])
    } else if (token.name === 'br') pieces.push(['\n'])
    else if (token.name === 'li' && token.kind === 'open') pieces.push(['\n- '])
    else if (PARAGRAPHS.has(token.name)) pieces.push(['\n\n'])
    else if (ENDS_LINE.has(token.name)) pieces.push(['\n'])
    else if (token.name === 'td' || token.name === 'th') pieces.push([' '])
  }
  return tidy(joinTemplates(pieces))
}

function textParts(text: string): Template {
  const merge = parseMerge(text)
  return 'parts' in merge ? templateOf(merge.parts, 'text') : [text]
}

/** At most one empty line, no white space at ends of lines. */
function tidy(template: Template): Template {
  return template.map((part, index) => {
    if (typeof part !== 'string') return part
    // In this order each step is linear.
    const text = part
      .replaceAll(/ {2,}/g, ' ')
      .replaceAll(/ ?\n ?/g, '\n')
      .replaceAll(/\n{3,}/g, '\n\n')
    const start = index === 0 ? text.trimStart() : text
    return index === template.length - 1 ? start.trimEnd() : start
  })
}
