/** HTML of the blocks that are text: headings, paragraphs, lists, callouts, link lists, quotes and code. Styles are inline. */
import type { BlockOf, CalloutVariant } from './block.ts'
import { parseMerge } from './merge.ts'
import { escapeHtml, joinTemplates, type Template, templateOf, urlTemplate } from './template.ts'
import { CALLOUTS, CODE_FONT, COLOURS, linkColour, type Theme } from './theme.ts'
import { readUrl } from './url.ts'

const FAR_APART = '0 0 12px'

/** A text that was checked, escaped for its place. */
export function inline(text: string, place: 'html' | 'attribute' | 'text' = 'html'): Template {
  const merge = parseMerge(text)
  return templateOf('parts' in merge ? merge.parts : [text], place)
}

/** A URL that was checked, for a double-quoted attribute. */
export function href(url: string): Template {
  const read = readUrl(url, 'link')
  return 'parts' in read ? urlTemplate(read.parts) : ['#']
}

/** Plain text: each line is a paragraph. */
export function paragraphs(text: string, style = ''): Template {
  const lines = proseLines(text)
  return joinTemplates(
    lines.flatMap((line, index) => {
      const margin = index < lines.length - 1 ? FAR_APART : '0'
      return [`<p style="margin:${margin};${style}">`, inline(line), '</p>']
    }),
  )
}

/** The lines of prose that have text. */
export function proseLines(text: string): string[] {
  return text.split(/\r\n|[\r\n\u2028\u2029]/).filter((line) => line.trim() !== '')
}

export function heading(text: string, level: 1 | 2 | 3): Template {
  const [size, height] = { 1: [28, 36], 2: [22, 30], 3: [18, 26] }[level] ?? []
  const style = `margin:0;font-size:${size}px;line-height:${height}px;font-weight:bold`
  return joinTemplates([`<h${level} style="${style}">`, inline(text), `</h${level}>`])
}

export function list({ ordered, items }: BlockOf<'list'>, { direction }: Theme): Template {
  const tag = ordered ? 'ol' : 'ul'
  const padding = direction === 'rtl' ? '0 24px 0 0' : '0 0 0 24px'
  return joinTemplates([
    `<${tag} dir="${direction}" style="margin:0;padding:${padding}">`,
    ...items.flatMap((item) => ['<li style="margin:0 0 6px">', brokenLines(item), '</li>']),
    `</${tag}>`,
  ])
}

/** The lines of a text within one paragraph. */
function brokenLines(text: string): Template {
  return joinTemplates(proseLines(text).flatMap((line, index) => (index > 0 ? ['<br>', inline(line)] : [inline(line)])))
}

/** A table of one cell with a bar at the start: Outlook for Windows pads no other element. */
function boxed(
  content: Template,
  box: { readonly bar: string; readonly background?: string; readonly name: string },
  theme: Theme,
) {
  const side = theme.direction === 'rtl' ? 'right' : 'left'
  const background = box.background ? `background-color:${box.background};` : ''
  const bgcolor = box.background ? ` bgcolor="${box.background}"` : ''
  const font = `font-size:16px;line-height:24px;color:${COLOURS.text}`
  return joinTemplates([
    `<table role="presentation" class="${box.name}" width="100%" border="0" cellpadding="0" cellspacing="0" style="width:100%;border-collapse:collapse">`,
    `<tr><td${bgcolor} style="${background}border-${side}:4px solid ${box.bar};padding:12px 16px;${font}">`,
    content,
    '</td></tr></table>',
  ])
}

export function callout({ title, body, variant }: BlockOf<'callout'>, theme: Theme): Template {
  const kind: CalloutVariant = variant ?? 'accent'
  const colours = kind === 'accent' ? { ...CALLOUTS.accent, bar: theme.accent } : CALLOUTS[kind]
  const top = title ? ['<p style="margin:0 0 6px;font-weight:bold">', inline(title), '</p>'] : []
  return boxed(joinTemplates([...top, paragraphs(body)]), { ...colours, name: 'nl-callout' }, theme)
}

export function quote({ body, cite }: BlockOf<'quote'>, theme: Theme): Template {
  const source = cite ? [`<p style="margin:8px 0 0;color:${COLOURS.quiet}">&#8212; `, inline(cite), '</p>'] : []
  const text = joinTemplates([paragraphs(body, 'font-style:italic'), ...source])
  return boxed(text, { bar: COLOURS.line, name: 'nl-quote' }, theme)
}

export function linkList({ title, items }: BlockOf<'link_list'>, { accent }: Theme): Template {
  const top = title ? ['<p style="margin:0 0 8px;font-weight:bold">', inline(title), '</p>'] : []
  const entries = items.flatMap(({ label, url, description }, index) => [
    `<p style="margin:${index < items.length - 1 ? FAR_APART : '0'}"><a href="`,
    href(url),
    `" style="color:${linkColour(accent)};text-decoration:underline;font-weight:bold">`,
    inline(label),
    '</a>',
    ...(description ? ['<br>', brokenLines(description)] : []),
    '</p>',
  ])
  return joinTemplates([...top, ...entries])
}

/** Left to right in every language; without merge fields. */
export function code({ code: text }: BlockOf<'code'>): Template {
  const font = `font-family:${escapeHtml(CODE_FONT)};font-size:14px;line-height:20px`
  return joinTemplates([
    '<table role="presentation" width="100%" border="0" cellpadding="0" cellspacing="0" style="width:100%;border-collapse:collapse">',
    `<tr><td class="nl-code" dir="ltr" align="left" bgcolor="${COLOURS.code}" style="background-color:${COLOURS.code};padding:12px 16px;color:${COLOURS.text};${font}">`,
    `<pre style="margin:0;white-space:pre-wrap;word-break:break-word;${font}">`,
    templateOf([text], 'html'),
    '</pre></td></tr></table>',
  ])
}

export function caption(text: string, url: string | null | undefined): Template {
  const words = inline(text)
  const style = `color:${COLOURS.quiet};text-decoration:underline`
  return url ? joinTemplates(['<a href="', href(url), `" style="${style}">`, words, '</a>']) : words
}
