/** The plain text of a message that has HTML only, with its links. */
import { decodeEntities, htmlToText } from '../../jmap/message/html-text.ts'

/** @param maxChars bound of the result */
export function plainTextOf(html: string, maxChars: number): string {
  const text = htmlToText(withLinks(html), maxChars)
  const lines = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replace(/[^\S\n]+/g, ' ').trim())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Adds the address of each link after its text, unless the text has it already. One pass over the anchors. */
function withLinks(html: string): string {
  let out = ''
  let copied = 0
  let href: string | null = null
  let wordsStart = 0
  for (const tag of html.matchAll(/<(\/?)a(?=[\s>/])([^<>]*)>/gi)) {
    const [, slash, attributes = ''] = tag
    if (slash === '') {
      href = hrefOf(attributes)
      wordsStart = tag.index + tag[0].length
    } else if (href !== null) {
      const words = html.slice(wordsStart, tag.index)
      out += html.slice(copied, tag.index)
      copied = tag.index
      if (!words.includes(href) && !words.includes(href.replace(/^mailto:/i, ''))) out += ` (${href})`
      href = null
    }
  }
  return out + html.slice(copied)
}

/** Still escaped, since it goes back into HTML. null: not a link that a reader can follow. */
function hrefOf(attributes: string): string | null {
  const match = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes)
  const href = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim()
  return /^(?:https?:|mailto:)/i.test(decodeEntities(href)) ? href : null
}
