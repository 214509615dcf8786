/** The texts of a stored message, one after the other, as far as the search index contains them. */
import { SEARCH_TEXT_MAX_CHARS, SNIPPET_MAX_ATTACHED_BYTES } from '../../../server/base/limits.ts'
import { decodePartBytes, decodePartHead } from '../../message/decode.ts'
import { htmlAttributeText, htmlToText } from '../../message/html-text.ts'
import { type BodyPart, parseMessage } from '../../message/structure.ts'
import type { MessageView } from '../email/message-view.ts'

/** Octets read of one part: encoded text with markup is several times longer than its indexed text. */
const PART_MAX_BYTES = SEARCH_TEXT_MAX_CHARS * 4

/** Bodies first, then attached texts, then attached messages; without markup, SEARCH_TEXT_MAX_CHARS units in all. */
export async function* bodyTexts(message: MessageView): AsyncGenerator<string> {
  const { parts, textBody, htmlBody, attachments } = await message.structure()
  const listed = [...new Set([...textBody, ...htmlBody, ...attachments])].map((number) => parts[number - 1]!)
  let left = SEARCH_TEXT_MAX_CHARS
  for (const part of listed.filter(({ type }) => type.startsWith('text/'))) {
    if (left <= 0) return
    const text = (await partText(message, part)).slice(0, left)
    left -= text.length
    yield text
  }
  for (const part of listed.filter(isMessage)) {
    if (left <= 0) return
    const bytes = await message.range(part.bodyStart, part.bodyEnd)
    const { subject, searchText } = parseMessage(decodePartBytes(bytes, part, part.bodyStart))
    const text = `${subject ?? ''}\n${searchText}`.slice(0, left)
    left -= text.length
    yield text
  }
}

function isMessage({ type, size }: BodyPart): boolean {
  return (type === 'message/rfc822' || type === 'message/global') && size <= SNIPPET_MAX_ATTACHED_BYTES
}

async function partText(message: MessageView, part: BodyPart): Promise<string> {
  const head = { ...part, bodyEnd: Math.min(part.bodyEnd, part.bodyStart + PART_MAX_BYTES) }
  const bytes = await message.range(head.bodyStart, head.bodyEnd)
  const value = decodePartHead(bytes, head, PART_MAX_BYTES, head.bodyStart)
  if (part.type !== 'text/html') return value
  return `${htmlToText(value, SEARCH_TEXT_MAX_CHARS)}\n${htmlAttributeText(value, SEARCH_TEXT_MAX_CHARS)}`
}
