/** The plain text of a message for its preview and for search: body parts, HTML without markup, attachment names. */
import type { Buffer } from 'node:buffer'
import { SEARCH_MAX_NESTED_MESSAGES, SEARCH_TEXT_MAX_CHARS } from '../../server/base/limits.ts'
import type { Bodies } from './bodies.ts'
import { contentText, decodePartHead } from './decode.ts'
import { headerForm } from './header-forms.ts'
import { fieldText, lastField } from './headers.ts'
import { htmlAttributeText, htmlToText } from './html-text.ts'
import { previewOf } from './preview.ts'
import { type ScannedPart, scanMessage } from './scan.ts'
import { decodedSize, decodeTransfer } from './transfer.ts'
import { wordsBeyond } from './words-beyond.ts'

/** UTF-16 units of HTML that are read: markup is several times longer than its text. */
const HTML_MAX_CHARS = SEARCH_TEXT_MAX_CHARS * 4

/** Decodes text parts once for preview, search and the search for embedded images. */
export class BodyTexts {
  private readonly bytes: Buffer
  private readonly parts: readonly ScannedPart[]
  private readonly contents = new Map<number, Buffer>()
  private readonly decoded = new Map<number, string>()
  private joinedHtml: string | null = null

  constructor(bytes: Buffer, parts: readonly ScannedPart[]) {
    this.bytes = bytes
    this.parts = parts
  }

  /** @param number of a part that the message has, from 1 */
  private part(number: number): ScannedPart {
    return this.parts[number - 1]!
  }

  /** Octets of a part after transfer decoding. The decoded content is kept for the text. */
  size(number: number): number {
    const { bodyStart, bodyEnd, encoding, subParts, type } = this.part(number)
    if (subParts !== null) return bodyEnd - bodyStart
    if (!type.startsWith('text/') || bodyEnd - bodyStart > SEARCH_TEXT_MAX_CHARS) {
      return decodedSize(this.bytes, bodyStart, bodyEnd, encoding)
    }
    const content = decodeTransfer(this.bytes.subarray(bodyStart, bodyEnd), encoding)
    this.contents.set(number, content)
    return content.length
  }

  /** The source text of a part, cut at the length that search reads. */
  source(number: number): string {
    const known = this.decoded.get(number)
    if (known !== undefined) return known
    const part = this.part(number)
    const content = this.contents.get(number)
    const maxBytes = part.type === 'text/html' ? HTML_MAX_CHARS : SEARCH_TEXT_MAX_CHARS
    const text = content ? contentText(content, part).text : decodePartHead(this.bytes, part, maxBytes)
    this.decoded.set(number, text)
    return text
  }

  /** The text of a part without markup. */
  plain(number: number): string {
    const part = this.part(number)
    return part.type === 'text/html' ? this.plainHtml(number) : this.source(number)
  }

  private plainHtml(number: number): string {
    // Negative keys: the text of the part without markup.
    const known = this.decoded.get(-number)
    if (known !== undefined) return known
    const text = htmlToText(this.source(number), SEARCH_TEXT_MAX_CHARS)
    this.decoded.set(-number, text)
    return text
  }

  private attributes(number: number): string {
    const part = this.part(number)
    return part.type === 'text/html' ? htmlAttributeText(this.source(number), SEARCH_TEXT_MAX_CHARS) : ''
  }

  isText(number: number): boolean {
    return this.parts[number - 1]?.type.startsWith('text/') ?? false
  }

  /** The HTML body parts as one text, in which embedded images are searched, up to HTML_MAX_CHARS. */
  html(bodies: Bodies): string {
    if (this.joinedHtml !== null) return this.joinedHtml
    let html = ''
    for (const number of bodies.htmlBody) {
      if (html.length >= HTML_MAX_CHARS) break
      if (this.parts[number - 1]?.type === 'text/html') html += `${this.source(number)}\n`
    }
    this.joinedHtml = html.slice(0, HTML_MAX_CHARS)
    return this.joinedHtml
  }

  /** RFC 8621 4.1.4 (preview): from the first body part that has text, the plain version first. */
  preview(bodies: Bodies): string {
    for (const number of [...bodies.textBody, ...bodies.htmlBody]) {
      const preview = this.isText(number) ? previewOf(this.plain(number)) : ''
      if (preview !== '') return preview
    }
    return ''
  }

  /** Body text, then text attachments, attached messages and attachment names, capped at SEARCH_TEXT_MAX_CHARS. */
  searchText(bodies: Bodies): string {
    const chunks: string[] = []
    let length = 0
    /** @param text is made only while there is room */
    const add = (text: () => string) => {
      const added = length < SEARCH_TEXT_MAX_CHARS ? text().slice(0, SEARCH_TEXT_MAX_CHARS - length) : ''
      if (added === '') return
      chunks.push(added)
      length += added.length + 1
    }
    const plain = bodies.textBody.filter((number) => this.isText(number))
    for (const number of plain) add(() => this.plain(number))
    const body = chunks.join('\n')
    for (const number of bodies.htmlBody) {
      if (this.isText(number) && !bodies.textBody.includes(number)) add(() => wordsBeyond(body, this.plain(number)))
    }
    for (const number of bodies.attachments) {
      if (this.isText(number)) add(() => this.plain(number))
    }
    for (const number of new Set([...bodies.textBody, ...bodies.htmlBody])) add(() => this.attributes(number))
    for (const part of this.parts) {
      if (part.name !== null) add(() => part.name!)
      if (isMessage(part)) add(() => nestedText(this.bytes, part))
    }
    return chunks.join('\n')
  }
}

function isMessage(part: ScannedPart): boolean {
  const isMessageType = part.type === 'message/rfc822' || part.type === 'message/global'
  return isMessageType && part.encoding !== 'base64' && part.encoding !== 'quoted-printable'
}

/** Subject and text of an attached message and of those attached to it, outermost first. */
function nestedText(bytes: Buffer, root: ScannedPart): string {
  const chunks: string[] = []
  let length = 0
  let wanted = [root]
  for (let level = 0; level < SEARCH_MAX_NESTED_MESSAGES && wanted.length > 0; level++) {
    const inner: ScannedPart[] = []
    for (const message of wanted) {
      if (length >= SEARCH_TEXT_MAX_CHARS) break
      const { parts, headers } = scanMessage(bytes, message.bodyStart, message.bodyEnd)
      const subject = lastField(headers, 'Subject')
      if (subject) chunks.push(headerForm(fieldText(bytes, subject), 'Text'))
      const texts = new BodyTexts(bytes, parts)
      for (const [index, part] of parts.entries()) {
        if (part.name !== null) chunks.push(part.name)
        if (part.type.startsWith('text/') && length < SEARCH_TEXT_MAX_CHARS) chunks.push(texts.plain(index + 1))
        length += chunks.at(-1)?.length ?? 0
        if (isMessage(part)) inner.push(part)
      }
    }
    wanted = inner
  }
  return chunks.join('\n')
}
