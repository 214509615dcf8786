/** The description of a part's body in its header, with the names of RFC 8621 4.1.4 (EmailBodyPart). */
import { Buffer } from 'node:buffer'
import {
  bareToken,
  contentId,
  contentLanguage,
  mediaType,
  type ParameterisedValue,
  parseParameters,
} from './content-fields.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import type { HeaderField } from './header-block.ts'
import { unfoldedText } from './headers.ts'

export interface PartDescription {
  /** Lower-case media type. */
  type: string
  charset: string | null
  disposition: string | null
  name: string | null
  cid: string | null
  language: string[] | null
  location: string | null
  /** Content-Transfer-Encoding, lower-case; 7bit when absent. */
  encoding: string
  /** For a multipart: the boundary as latin1 of its octets. */
  boundary: string | null
}

interface ContentFields {
  type?: string
  encoding?: string
  disposition?: string
  id?: string
  language?: string
  location?: string
}

/** Reads the Content-* fields; of several with one name the first counts, as in most readers. */
export function describePart(bytes: Buffer, fields: readonly HeaderField[], implicitType: string): PartDescription {
  const content = contentFields(bytes, fields)
  const type = content.type === undefined ? null : contentType(content.type)
  const disposition = content.disposition === undefined ? null : parseParameters(content.disposition)
  // RFC 2045 5.2: an unreadable Content-Type counts as text/plain; us-ascii.
  const media = type === null ? implicitType : (mediaType(type.value) ?? 'text/plain')
  return {
    type: media,
    charset: charsetOf(media, type),
    disposition: disposition?.value.toLowerCase() || null,
    name: nameOf(type, disposition),
    cid: content.id === undefined ? null : contentId(content.id),
    language: content.language === undefined ? null : contentLanguage(content.language),
    location: content.location === undefined ? null : locationOf(content.location),
    encoding: content.encoding === undefined ? '7bit' : bareToken(content.encoding) || '7bit',
    boundary: media.startsWith('multipart/') ? boundaryOf(type) : null,
  }
}

function contentType(value: string): ParameterisedValue {
  const parsed = parseParameters(value)
  if (mediaType(parsed.value) !== null) return parsed
  // `multipart/mixed boundary=b`: the semicolon is missing.
  const space = value.search(/\s/)
  return space > 0 ? parseParameters(`${value.slice(0, space)};${value.slice(space)}`) : parsed
}

function contentFields(bytes: Buffer, fields: readonly HeaderField[]): ContentFields {
  const content: ContentFields = {}
  for (const field of fields) {
    const key = contentKey(field.name)
    if (key !== null && content[key] === undefined) content[key] = unfoldedText(bytes, field)
  }
  return content
}

function contentKey(name: string): keyof ContentFields | null {
  const first = name.charCodeAt(0) | 0x20
  if (first !== 0x63 || name.length < 10) return null
  switch (name.toLowerCase()) {
    case 'content-type':
      return 'type'
    case 'content-transfer-encoding':
      return 'encoding'
    case 'content-disposition':
      return 'disposition'
    case 'content-id':
      return 'id'
    case 'content-language':
      return 'language'
    case 'content-location':
      return 'location'
    default:
      return null
  }
}

// RFC 8621 4.1.4 (charset): us-ascii for a text part without a charset and for any part without a Content-Type; else null.
function charsetOf(media: string, type: ParameterisedValue | null): string | null {
  const charset = type?.parameters.get('charset')?.trim()
  if (media.startsWith('text/') || type === null) return charset || 'us-ascii'
  return charset || null
}

// RFC 8621 4.1.4 (name): filename of Content-Disposition (RFC 2231), else name of Content-Type (RFC 2047).
function nameOf(type: ParameterisedValue | null, disposition: ParameterisedValue | null): string | null {
  const name = disposition?.parameters.get('filename') || type?.parameters.get('name')
  if (!name) return null
  return decodeEncodedWords(name, true).replace(/[\0-\x1f\x7f]/g, '') || null
}

function locationOf(value: string): string | null {
  return decodeEncodedWords(value.replace(/\s/g, ''), true) || null
}

function boundaryOf(type: ParameterisedValue | null): string | null {
  const boundary = type?.parameters.get('boundary')
  if (boundary === undefined) return null
  // RFC 2046 5.1.1: white space at the end does not belong to a boundary.
  const bare = boundary.replace(/[ \t]{1,64}$/, '')
  return /[^\0-\x7f]/.test(bare) ? Buffer.from(bare, 'utf8').toString('latin1') : bare
}
