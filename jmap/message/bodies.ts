/** RFC 8621 4.1.4: finds the text body, the HTML body and the attachments, and hasAttachment. */

/** The properties of a part that the classification reads; BodyPart has them. */
export interface ClassifiedPart {
  readonly number: number
  readonly type: string
  readonly disposition: string | null
  readonly name: string | null
  readonly cid: string | null
  readonly subParts: readonly number[] | null
}

/** Part numbers in the order of display. */
export interface Bodies {
  readonly textBody: readonly number[]
  readonly htmlBody: readonly number[]
  readonly attachments: readonly number[]
}

/** One call of the RFC's parseStructure, kept on an explicit stack so that depth costs no call stack. */
interface Frame {
  readonly parts: readonly number[]
  readonly multipartType: string
  readonly inAlternative: boolean
  /** Null: this list takes no more parts. */
  textBody: number[] | null
  htmlBody: number[] | null
  readonly textLength: number
  readonly htmlLength: number
  next: number
}

/** Runs the RFC's algorithm over `parts` (depth-first, part number - 1 is the index; the first is the root). */
export function classifyBodies(parts: readonly ClassifiedPart[]): Bodies {
  const textBody: number[] = []
  const htmlBody: number[] = []
  const stack: Frame[] = [frame([1], 'mixed', false, textBody, htmlBody)]
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const index = top.next++
    const part = parts[(top.parts[index] ?? 0) - 1]
    if (!part) {
      if (index >= top.parts.length) {
        fillAlternative(top)
        stack.pop()
      }
      continue
    }
    if (part.subParts) {
      const subtype = part.type.slice('multipart/'.length)
      const inAlternative = top.inAlternative || subtype === 'alternative'
      stack.push(frame(part.subParts, subtype, inAlternative, top.textBody, top.htmlBody))
    } else if (isBodyPart(part, index, top.multipartType)) {
      addBodyPart(part, top)
    }
  }
  return { textBody, htmlBody, attachments: attachmentsBeside(parts, textBody, htmlBody) }
}

/** RFC 8621 4.1.4 (attachments): parts in neither body, and media that is not in both. The list of parts is depth-first. */
function attachmentsBeside(
  parts: readonly ClassifiedPart[],
  textBody: readonly number[],
  htmlBody: readonly number[],
): number[] {
  const [inText, inHtml] = [new Set(textBody), new Set(htmlBody)]
  const isAttachment = ({ number, type, subParts }: ClassifiedPart) => {
    if (subParts) return false
    const lists = Number(inText.has(number)) + Number(inHtml.has(number))
    return lists === 0 || (lists === 1 && isInlineMediaType(type))
  }
  return parts.filter(isAttachment).map(({ number }) => number)
}

function frame(
  parts: readonly number[],
  multipartType: string,
  inAlternative: boolean,
  textBody: number[] | null,
  htmlBody: number[] | null,
): Frame {
  const textLength = textBody ? textBody.length : -1
  const htmlLength = htmlBody ? htmlBody.length : -1
  return { parts, multipartType, inAlternative, textBody, htmlBody, textLength, htmlLength, next: 0 }
}

function isInlineMediaType(type: string): boolean {
  return type.startsWith('image/') || type.startsWith('audio/') || type.startsWith('video/')
}

// RFC 8621 4.1.4: in a multipart/related only the first part is a body, and a named text part is a body only if it comes first.
function isBodyPart(part: ClassifiedPart, index: number, multipartType: string): boolean {
  if (part.disposition === 'attachment') return false
  const isMedia = isInlineMediaType(part.type)
  if (!isMedia && part.type !== 'text/plain' && part.type !== 'text/html') return false
  return index === 0 || (multipartType !== 'related' && (isMedia || !part.name))
}

function addBodyPart(part: ClassifiedPart, top: Frame): void {
  if (top.multipartType === 'alternative') {
    if (part.type === 'text/plain') top.textBody?.push(part.number)
    else if (part.type === 'text/html') top.htmlBody?.push(part.number)
    return
  }
  if (top.inAlternative) {
    if (part.type === 'text/plain') top.htmlBody = null
    if (part.type === 'text/html') top.textBody = null
  }
  top.textBody?.push(part.number)
  top.htmlBody?.push(part.number)
}

/** An alternative with only one kind of text serves both lists. */
function fillAlternative({ multipartType, textBody, htmlBody, textLength, htmlLength }: Frame): void {
  if (multipartType !== 'alternative' || !textBody || !htmlBody) return
  if (textLength === textBody.length && htmlLength !== htmlBody.length) textBody.push(...htmlBody.slice(htmlLength))
  else if (htmlLength === htmlBody.length && textLength !== textBody.length)
    htmlBody.push(...textBody.slice(textLength))
}

/** Types that mail software processes itself and users do not download. */
const AUTOMATIC = new Set([
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
  'message/delivery-status',
  'message/global-delivery-status',
  'message/disposition-notification',
  'message/global-disposition-notification',
  'message/feedback-report',
  'text/rfc822-headers',
  'message/global-headers',
])

/**
 * RFC 8621 4.1.4 (hasAttachment): whether an attachment is neither `inline`, nor an image that the HTML shows, nor another version in a
 * multipart/alternative, nor of a type that software processes itself. `html` is the text of the HTML body.
 */
export function hasAttachment(
  parts: readonly ClassifiedPart[],
  attachments: readonly number[],
  html: () => string,
): boolean {
  if (attachments.length === 0) return false
  const alternatives = alternativeParts(parts)
  return attachments.some((number) => {
    const part = parts[number - 1]
    if (!part || part.disposition === 'inline' || AUTOMATIC.has(part.type)) return false
    if (part.disposition === null && part.name === null && alternatives.has(number)) return false
    return !(part.cid !== null && part.type.startsWith('image/') && refersTo(html(), part.cid))
  })
}

/** Leaf parts directly in a multipart/alternative, such as calendar and AMP versions of the text. */
function alternativeParts(parts: readonly ClassifiedPart[]): Set<number> {
  const numbers = new Set<number>()
  for (const part of parts) {
    if (part.type !== 'multipart/alternative' || !part.subParts) continue
    for (const number of part.subParts) if (!parts[number - 1]?.subParts) numbers.add(number)
  }
  return numbers
}

// RFC 2392 2: in a cid URL the Content-ID is percent-encoded where needed.
function refersTo(html: string, cid: string): boolean {
  return html.includes(`cid:${cid}`) || html.includes(`cid:${encodeURIComponent(cid)}`)
}
