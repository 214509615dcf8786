/** The body of a message to write, as the caller gives it, and its checked and encoded form. */
import { Buffer } from 'node:buffer'
import { MIME_MAX_DEPTH, MIME_MAX_PARTS } from '../../server/base/limits.ts'
import { type EncodedBody, encodeOctets, encodeText, textOctets } from './body-encoding.ts'
import { mediaType } from './content-fields.ts'
import type { HeaderSpec } from './header-encoding.ts'

interface PartFields {
  /** Media type without parameters. */
  readonly type: string
  readonly disposition?: string | null
  /** File name. */
  readonly name?: string | null
  readonly cid?: string | null
  readonly language?: readonly string[] | null
  readonly location?: string | null
  /** Content-Type parameters beside charset, name and boundary, such as `method` of text/calendar. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Further fields of the part. */
  readonly headers?: readonly HeaderSpec[]
}

/** A leaf: text (written as UTF-8), or octets (if they are text, the caller names the charset). */
export interface LeafSpec extends PartFields {
  readonly content: { readonly text: string } | { readonly bytes: Uint8Array; readonly charset?: string | null }
}

export interface MultipartSpec extends PartFields {
  readonly subParts: readonly BodySpec[]
}

export type BodySpec = LeafSpec | MultipartSpec

/** Refusal of a spec: nothing was written. */
export interface GenerateError {
  readonly type: 'invalidHeader' | 'invalidPart'
  /** The name of the header field, or the path of the part: `body`, `body/subParts/0` ... */
  readonly at: string
  /** The member of the part at fault, or the name of its header field. */
  readonly member?: string
  readonly field?: string
  readonly description: string
}

/** A prepared part: the tree as a flat list, children after their parent. */
export interface Prepared {
  readonly spec: BodySpec
  readonly path: string
  readonly depth: number
  readonly children: Prepared[]
  readonly body: EncodedBody | null
}

/** Checks and encodes the tree, breadth-first and without recursion; the root comes first. */
export function prepare(body: BodySpec): Prepared[] | GenerateError {
  const all: Prepared[] = [prepareOne(body, 'body', 1)]
  for (let index = 0; index < all.length; index++) {
    const part = all[index] as Prepared
    const { spec, path } = part
    const fault = partFault(part)
    if (fault) return { type: 'invalidPart', at: path, member: fault[0], description: fault[1] }
    if (!('subParts' in spec)) continue
    for (const [child, subPart] of spec.subParts.entries()) {
      if (all.length >= MIME_MAX_PARTS)
        return { type: 'invalidPart', at: path, member: 'subParts', description: 'the message has too many parts' }
      const prepared = prepareOne(subPart, `${path}/subParts/${child}`, part.depth + 1)
      part.children.push(prepared)
      all.push(prepared)
    }
  }
  return all
}

function prepareOne(spec: BodySpec, path: string, depth: number): Prepared {
  return { spec, path, depth, children: [], body: 'subParts' in spec ? null : encodeLeaf(spec) }
}

function encodeLeaf({ content, type }: LeafSpec): EncodedBody {
  const media = type.toLowerCase()
  if ('text' in content) {
    // RFC 2046 5.2.1: a message is not encoded again.
    return media === 'message/rfc822' ? encodeOctets(textOctets(content.text), media) : encodeText(content.text)
  }
  const { bytes } = content
  return encodeOctets(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), media)
}

/** The member at fault, and its fault. */
function partFault({ spec, depth }: Prepared): readonly [member: string, fault: string] | null {
  if (mediaType(spec.type) === null) return ['type', 'the type is no media type']
  const isMultipart = spec.type.toLowerCase().startsWith('multipart/')
  if (isMultipart !== 'subParts' in spec) return ['type', 'a part has subParts if and only if its type is multipart']
  if ('subParts' in spec && spec.subParts.length === 0) return ['subParts', 'a multipart has at least one part']
  if (depth > MIME_MAX_DEPTH) return ['subParts', 'the parts are nested too deep']
  const { disposition, cid, language, location, parameters = {} } = spec
  if (disposition != null && !TOKEN.test(disposition)) return ['disposition', 'the disposition is not valid']
  if (cid != null && (!/^[\x21-\x7e]{1,900}$/.test(cid) || /[<>]/.test(cid))) return ['cid', 'the cid is not valid']
  if (language?.some((tag) => !/^[A-Za-z0-9-]{1,64}$/.test(tag))) return ['language', 'a language tag is not valid']
  if (location != null && !/^[\x21-\x7e]{1,900}$/.test(location)) return ['location', 'the location is not valid']
  if (spec.name != null && /[\r\n\0]/.test(spec.name)) return ['name', 'the name has a line break or NUL in it']
  const charset = 'content' in spec && 'bytes' in spec.content ? spec.content.charset : null
  if (charset != null && !CHARSET.test(charset)) return ['charset', 'the charset is not valid']
  const isBad = Object.entries(parameters).some(([key, value]) => !TOKEN.test(key) || /[\r\n\0]/.test(value))
  return isBad ? ['type', 'a parameter is not valid'] : null
}

const TOKEN = /^[A-Za-z0-9!#$&+\-.^_`{|}~]{1,100}$/
/** Some registered names have a colon; the value is then quoted. */
const CHARSET = /^[A-Za-z0-9!#$&+\-.:^_`{|}~]{1,100}$/
