/** Links of a message: their targets and their shown text. */
import { SPAM_LINKS_MAX } from '../../../server/base/spam-limits.ts'
import { decodeEntities, htmlToText } from '../../message/html-text.ts'

export interface Link {
  /** As written, with entities decoded. */
  readonly href: string
  /** In lower case; '' if there is none (`mailto:` and similar). */
  readonly host: string
  /** Host with the user name before it and the port after it. */
  readonly authority: string
  /** The text of the link in HTML; null in plain text and for images. */
  readonly shown: string | null
}

const TEXT_LINK = /\bhttps?:\/\/[^\s<>"'`)\]}]{1,2000}/gi

export function linksOfText(text: string): Link[] {
  const links: Link[] = []
  if (!text.includes('://')) return links
  for (const [href] of text.matchAll(TEXT_LINK)) {
    if (links.length >= SPAM_LINKS_MAX) break
    links.push(toLink(href, null))
  }
  return links
}

// Tags without `<` inside: each octet is read once, whatever is left open.
const ANCHOR = /<a\s([^<>]{0,4000})>/gi
const HREF = /\bhref\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i
/** Characters after a link in which the end of its text is searched. */
const SHOWN_MAX_CHARS = 400

export function linksOfHtml(html: string): Link[] {
  const links: Link[] = []
  for (const match of html.matchAll(ANCHOR)) {
    if (links.length >= SPAM_LINKS_MAX) break
    const found = HREF.exec(match[1]!)
    if (!found) continue
    const href = decodeEntities(found[1] ?? found[2] ?? found[3] ?? '').trim()
    links.push(toLink(href, shownAfter(html, match.index + match[0].length)))
  }
  return links
}

function shownAfter(html: string, start: number): string {
  const piece = html.slice(start, start + SHOWN_MAX_CHARS)
  const end = piece.search(/<\/a/i)
  return htmlToText(end < 0 ? piece : piece.slice(0, end), SHOWN_MAX_CHARS).trim()
}

const AUTHORITY = /^[a-z][a-z0-9+.-]{0,20}:[/\\]{2}([^/\\?#]*)/i

function toLink(href: string, shown: string | null): Link {
  // Browsers ignore white space and control characters in a URL.
  const plain = href.replace(/[\x00-\x20]+/g, '')
  const authority = (AUTHORITY.exec(plain)?.[1] ?? '').toLowerCase()
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '')
  return { href: plain, host, authority, shown }
}

/** The last labels of a host, which one owner has: two, or three under suffixes such as co.uk. An approximation without a list. */
export function ownedDomain(host: string): string {
  const labels = host.replace(/\.$/, '').split('.')
  const isSecondLevelSuffix =
    labels.length > 2 && labels.at(-1)!.length === 2 && /^(?:co|com|net|org|ac|gov|edu|ne|or)$/.test(labels.at(-2)!)
  return labels.slice(isSecondLevelSuffix ? -3 : -2).join('.')
}
