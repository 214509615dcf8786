/** The text version of a message that came as HTML only: what a reader without HTML sees, its links kept. */
import { decodeEntities, htmlToText } from '../../jmap/mail/message/html-text.ts'

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

/** Puts each link's address behind its words, where the words are not the address already. One pass over the anchors. */
function withLinks(html: string): string {
  let out = ''
  let copied = 0
  let href: string | null = null
  let wordsStart = 0
  for (const tag of html.matchAll(/<(\/?)a(?=[\s>/])([^<>]*)>/gi)) {
    if (tag[1] === '') {
      href = hrefOf(tag[2]!)
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

/** Still escaped, as it goes back into HTML. Only what a reader can follow. */
function hrefOf(attributes: string): string | null {
  const match = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes)
  const href = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim()
  return /^(?:https?:|mailto:)/i.test(decodeEntities(href)) ? href : null
}
