/**
 * Rules that HTML must keep to be shown by mail clients, from what caniemail.com and the vendors' documentation say:
 * Outlook for Windows lays out tables only, knows no flex, position, float or background images, and needs widths as attributes; Gmail
 * removes a `style` element of more than 8,192 characters, and with it `@import`; no client runs scripts or submits forms; images are
 * often not shown, so that each has an alt text; screen readers must know which tables are layout; Gmail hides what is behind the first
 * 102 KB. What can be read on its background is in colour-contrast.ts.
 */
import { Parser } from 'htmlparser2'
import { contrastFaults } from './colour-contrast.ts'

const NEVER = new Set(
  'script link iframe frame object embed video audio form input button select textarea svg math base canvas'.split(' '),
)
const VOID = new Set('area br col hr img input link meta wbr'.split(' '))
const NEVER_STYLED =
  /^(?:position|float|clear|flex.*|grid.*|background-image|transform|animation|transition|filter|clip-path|--.*)$/
const NEVER_VALUES = /\b(?:flex|grid|sticky|fixed)\b|url\(|var\(|calc\(|expression\(/
const GMAIL_STYLE_CHARS = 8_192
const GMAIL_CLIPS_BYTES = 102 * 1_024

interface Link {
  readonly href: string
  text: string
}

/** @returns what breaks a rule, in words */
export function mailHtmlFaults(html: string): string[] {
  const faults: string[] = []
  const seen = new Set<string>()
  let link: Link | null = null
  let style: string | null = null
  const read = (markup: string) => {
    faults.push(...balanceFaults(markup))
    const parser = new Parser({
      onopentag(name, attributes) {
        seen.add(name)
        if (NEVER.has(name)) faults.push(`<${name}>`)
        faults.push(...styleFaults(name, attributes['style'] ?? ''), ...elementFaults(name, attributes))
        if (name === 'a') link = { href: attributes['href'] ?? '', text: '' }
        if (name === 'img' && link) link.text += attributes['alt'] ?? ''
        if (name === 'style') style = ''
      },
      ontext(text) {
        if (link) link.text += text
        if (style !== null) style += text
      },
      onclosetag(name) {
        if (name === 'a' && link) faults.push(...linkFaults(link))
        if (name === 'a') link = null
        if (name === 'style' && style !== null) faults.push(...sheetFaults(style))
        if (name === 'style') style = null
      },
    })
    parser.write(markup)
    parser.end()
  }
  const outlook = forOutlook(html)
  read(html)
  read(outlook)
  if (!/<!--\[if mso/.test(html)) faults.push('Outlook gets no tables')
  if (/<!--\[if/.test(outlook)) faults.push('a conditional comment does not end')
  for (const name of ['html', 'head', 'title', 'body']) if (!seen.has(name)) faults.push(`no <${name}>`)
  if (!/<html [^>]*lang="[a-zA-Z-]+"/.test(html)) faults.push('<html> has no lang')
  if (!/<html [^>]*dir="(?:ltr|rtl)"/.test(html)) faults.push('<html> has no dir')
  if (!/<meta[^>]+name="viewport"/.test(html)) faults.push('no viewport: phones show it small')
  if (!/<meta[^>]+name="color-scheme"/.test(html)) faults.push('no color-scheme: clients invert colours as they like')
  if (!/^<!doctype html>/i.test(html.trim())) faults.push('no doctype')
  if (Buffer.byteLength(html) > GMAIL_CLIPS_BYTES) faults.push('Gmail clips it')
  faults.push(...contrastFaults(html))
  return [...new Set(faults)]
}

/** Outlook reads what stands in its comments, and not what stands between `[if !mso]` ones. */
export function forOutlook(html: string): string {
  return html
    .replaceAll(/<!--\[if !mso\]><!-->[\s\S]*?<!--<!\[endif\]-->/g, '')
    .replaceAll(/<!--\[if [^\]]*\]>/g, '')
    .replaceAll(/<!\[endif\]-->/g, '')
}

/** Every element is closed where it was opened: clients repair HTML in different ways. */
function balanceFaults(markup: string): string[] {
  const open: string[] = []
  const text = markup.replaceAll(/<!--[\s\S]*?-->/g, '').replaceAll(/<(style|xml)\b[\s\S]*?<\/\1>/g, '')
  for (const [, slash, name = ''] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)/g)) {
    if (VOID.has(name)) continue
    if (slash === '') open.push(name)
    else if (open.at(-1) === name) open.pop()
    else return [`</${name}> closes nothing`]
  }
  return open.map((name) => `<${name}> is not closed`)
}

function styleFaults(element: string, style: string): string[] {
  return style
    .split(';')
    .map((declaration) => declaration.split(':').map((part) => part.trim().toLowerCase()))
    .filter(([name = '', value = '']) => NEVER_STYLED.test(name) || NEVER_VALUES.test(value))
    .map(([name, value]) => `<${element}> has the style ${name}:${value}`)
}

function elementFaults(name: string, attributes: { readonly [name: string]: string }): string[] {
  const faults: string[] = []
  for (const attribute of Object.keys(attributes))
    if (attribute.startsWith('on')) faults.push(`${attribute} of <${name}>`)
  if (name === 'table') {
    if (attributes['role'] !== 'presentation') faults.push('a table is no layout for screen readers')
    for (const needed of ['border', 'cellpadding', 'cellspacing'])
      if (attributes[needed] === undefined) faults.push(`a table has no ${needed}`)
  }
  if (name === 'img') {
    if (attributes['alt'] === undefined) faults.push('an image has no alt text')
    if (!/^\d+$/.test(attributes['width'] ?? '')) faults.push('an image has no width for Outlook')
    if (!/^\d*$/.test(attributes['height'] ?? '')) faults.push('an image has a height that is no number')
    if (!/display:\s*block/.test(attributes['style'] ?? '')) faults.push('an image has a gap below it')
    if (!/^https?:\/\//.test(attributes['src'] ?? '')) faults.push(`an image is at ${attributes['src']}`)
  }
  return faults
}

function linkFaults({ href, text }: Link): string[] {
  const faults: string[] = []
  if (!/^(?:https?:\/\/|mailto:)/.test(href)) faults.push(`a link leads to "${href}"`)
  if (text.trim() === '') faults.push(`the link to ${href} has no text`)
  return faults
}

function sheetFaults(sheet: string): string[] {
  const faults: string[] = []
  if (sheet.length > GMAIL_STYLE_CHARS) faults.push('Gmail removes a style element of this size')
  if (/var\(|(?:^|[{;\s])--/.test(sheet)) faults.push('a style element has variables')
  if (/@import|@font-face|url\(/.test(sheet)) faults.push('a style element loads something')
  if (/\b(?:position|float)\s*:|display\s*:\s*(?:flex|grid)/.test(sheet)) faults.push('a style element lays out')
  return faults
}
