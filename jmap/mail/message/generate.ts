/**
 * Writes messages: what Email/set create (RFC 8621 4.6) and REST sends put together. Output has CRLF line ends, lines of at most
 * 998 octets, and is ASCII but for attached messages with eight-bit text and addresses whose local part is not ASCII.
 * Message-ID and Date are the caller's, who has the clock and the ids.
 */
import { Buffer, isAscii } from 'node:buffer'
import { createHash } from 'node:crypto'
import { MIME_MAX_DEPTH, MIME_MAX_PARTS } from '../../../server/base/limits.ts'
import { type EncodedBody, encodeOctets, encodeText } from './body-encoding.ts'
import { mediaType } from './content-fields.ts'
import { encodeHeader, encodeParameterised, type HeaderSpec } from './header-encoding.ts'

interface PartFields {
  /** Media type; parameters are given apart. */
  readonly type: string
  readonly disposition?: string | null
  /** File name. */
  readonly name?: string | null
  readonly cid?: string | null
  readonly language?: readonly string[] | null
  readonly location?: string | null
  /** Content-Type parameters beyond charset, name and boundary, as `method` of text/calendar. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Further fields of the part. */
  readonly headers?: readonly HeaderSpec[]
}

/** A leaf: text (written as UTF-8), or octets (whose charset, if they are text, the caller knows). */
export interface LeafSpec extends PartFields {
  readonly content: { readonly text: string } | { readonly bytes: Uint8Array; readonly charset?: string | null }
}

export interface MultipartSpec extends PartFields {
  readonly subParts: readonly BodySpec[]
}

export type BodySpec = LeafSpec | MultipartSpec

export interface MessageSpec {
  /** In the order in which they are written. */
  readonly headers: readonly HeaderSpec[]
  readonly body: BodySpec
}

/** Refusal of a spec: nothing was written. */
export interface GenerateError {
  readonly type: 'invalidHeader' | 'invalidPart'
  /** The name of the header field, or the path of the part: `body`, `body/subParts/0` ... */
  readonly at: string
  readonly description: string
}

export type Generated =
  | {
      readonly bytes: Buffer
      /** Octets beyond ASCII occur: sending it needs 8BITMIME, or SMTPUTF8 when they are in the header. */
      readonly is8bit: boolean
      readonly error?: undefined
    }
  | { readonly error: GenerateError; readonly bytes?: undefined }

/** A part made ready: the tree as a flat list, children after their parent. */
interface Prepared {
  readonly spec: BodySpec
  readonly path: string
  readonly depth: number
  readonly children: Prepared[]
  readonly body: EncodedBody | null
}

/** Fields that the generator writes from the part's own properties. */
const OWN_FIELDS = new Set([
  'content-transfer-encoding',
  'content-type',
  'content-disposition',
  'content-id',
  'content-language',
  'content-location',
])

/** Writes the message, or says what cannot be written. */
export function generateMessage(spec: MessageSpec): Generated {
  const prepared = prepare(spec.body)
  if ('type' in prepared) return { error: prepared }
  const root = prepared[0] as Prepared
  const boundary = boundaryFor(prepared)
  const chunks: (string | Buffer)[] = []
  const fields = encodeFields(spec.headers)
  if (typeof fields !== 'string') return { error: fields }
  chunks.push(fields)
  // RFC 2045 4: every message that uses MIME says so.
  if (!spec.headers.some(({ name }) => name.toLowerCase() === 'mime-version')) chunks.push('MIME-Version: 1.0\r\n')
  const error = writeParts(root, boundary, chunks)
  if (error) return { error }
  const bytes = Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk)))
  return { bytes, is8bit: !isAscii(bytes) }
}

/** Checks and encodes the tree, breadth-first and without recursion; the root comes first. */
function prepare(body: BodySpec): Prepared[] | GenerateError {
  const all: Prepared[] = [prepareOne(body, 'body', 1)]
  for (let index = 0; index < all.length; index++) {
    const part = all[index] as Prepared
    const { spec, path } = part
    const fault = partFault(part)
    if (fault) return { type: 'invalidPart', at: path, description: fault }
    if (!('subParts' in spec)) continue
    for (const [child, subPart] of spec.subParts.entries()) {
      if (all.length >= MIME_MAX_PARTS)
        return { type: 'invalidPart', at: path, description: 'the message has too many parts' }
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
  if ('text' in content) return encodeText(content.text)
  const { bytes } = content
  return encodeOctets(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), type.toLowerCase())
}

function partFault({ spec, depth }: Prepared): string | null {
  if (mediaType(spec.type) === null) return 'the type is no media type'
  const isMultipart = spec.type.toLowerCase().startsWith('multipart/')
  if (isMultipart !== 'subParts' in spec) return 'a part has subParts if and only if its type is multipart'
  if ('subParts' in spec && spec.subParts.length === 0) return 'a multipart has at least one part'
  if (depth > MIME_MAX_DEPTH) return 'the parts are nested too deep'
  const { disposition, cid, language, location, parameters = {} } = spec
  if (disposition != null && !TOKEN.test(disposition)) return 'the disposition is not valid'
  if (cid != null && (!/^[\x21-\x7e]{1,900}$/.test(cid) || /[<>]/.test(cid))) return 'the cid is not valid'
  if (language?.some((tag) => !/^[A-Za-z0-9-]{1,64}$/.test(tag))) return 'a language tag is not valid'
  if (location != null && !/^[\x21-\x7e]{1,900}$/.test(location)) return 'the location is not valid'
  if (spec.name != null && /[\r\n\0]/.test(spec.name)) return 'the name has a line break or NUL in it'
  const charset = 'content' in spec && 'bytes' in spec.content ? spec.content.charset : null
  if (charset != null && !CHARSET.test(charset)) return 'the charset is not valid'
  const isBad = Object.entries(parameters).some(([key, value]) => !TOKEN.test(key) || /[\r\n\0]/.test(value))
  return isBad ? 'a parameter is not valid' : null
}

const TOKEN = /^[A-Za-z0-9!#$&+\-.^_`{|}~]{1,100}$/
/** Registered names have colons too; a value with one is quoted. */
const CHARSET = /^[A-Za-z0-9!#$&+\-.:^_`{|}~]{1,100}$/

/** The fields in order, or the first that cannot be written. */
function encodeFields(headers: readonly HeaderSpec[]): string | GenerateError {
  let out = ''
  for (const spec of headers) {
    const field = encodeHeader(spec)
    if (typeof field !== 'string') return { type: 'invalidHeader', at: spec.name, description: field.fault }
    if (OWN_FIELDS.has(spec.name.toLowerCase())) {
      return { type: 'invalidHeader', at: spec.name, description: 'this field is set by a property of the part' }
    }
    out += field
  }
  return out
}

/** Writes header and body of each part, depth-first over an explicit stack. */
function writeParts(root: Prepared, boundary: string, chunks: (string | Buffer)[]): GenerateError | null {
  let multiparts = 0
  const stack: (Prepared | string)[] = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') {
      chunks.push(next)
      continue
    }
    // RFC 2046 5.1.1 lets readers compare only the beginning of a line, so no boundary begins with another.
    const own = next.body === null ? `${boundary}${multiparts++}_` : null
    const header = partHeader(next, own)
    if (typeof header !== 'string') return header
    chunks.push(header, '\r\n')
    if (next.body !== null) {
      // A body that does not end with a line break gets none, so that its text comes out as it went in.
      chunks.push(next.body.bytes)
      continue
    }
    stack.push(`\r\n--${own}--\r\n`)
    for (const [index, child] of [...next.children.entries()].reverse()) {
      stack.push(child, `${index === 0 ? '' : '\r\n'}--${own}\r\n`)
    }
  }
  return null
}

function partHeader({ spec, body, children }: Prepared, boundary: string | null): string | GenerateError {
  const fields = encodeFields(spec.headers ?? [])
  if (typeof fields !== 'string') return fields
  const type = spec.type.toLowerCase()
  const parameters = typeParameters(spec, type, boundary, children)
  const { disposition = null, name = null, cid = null, language = null, location = null } = spec
  let out = encodeParameterised('Content-Type', type, parameters)
  if (disposition !== null) {
    out += encodeParameterised('Content-Disposition', disposition, name === null ? [] : [['filename', name]])
  }
  if (cid !== null) out += `Content-ID: <${cid}>\r\n`
  if (language !== null && language.length > 0) out += `Content-Language: ${language.join(',\r\n ')}\r\n`
  if (location !== null) out += `Content-Location: ${location}\r\n`
  const encoding = body === null ? multipartEncoding(children) : body.encoding
  if (encoding !== '7bit') out += `Content-Transfer-Encoding: ${encoding}\r\n`
  return fields + out
}

function typeParameters(spec: BodySpec, type: string, boundary: string | null, children: readonly Prepared[]) {
  const parameters: [string, string][] = []
  const content = 'content' in spec ? spec.content : null
  if (content && 'text' in content) parameters.push(['charset', 'utf-8'])
  else if (content?.charset) parameters.push(['charset', content.charset])
  // RFC 2387 3.1: multipart/related names the type of its root.
  const root = children[0]?.spec.type.toLowerCase()
  if (type === 'multipart/related' && root && !spec.parameters?.['type']) parameters.push(['type', root])
  for (const [key, value] of Object.entries(spec.parameters ?? {})) {
    if (!['charset', 'boundary', 'name'].includes(key.toLowerCase())) parameters.push([key, value])
  }
  // Without a disposition the name can only stand here (RFC 8621 4.1.4, name).
  if (spec.name != null && spec.disposition == null) parameters.push(['name', spec.name])
  if (boundary !== null) parameters.push(['boundary', boundary])
  return parameters
}

// RFC 2045 6.4: a multipart is 8bit when something in it is.
function multipartEncoding(children: readonly Prepared[]): '7bit' | '8bit' {
  const todo = [...children]
  for (let part = todo.pop(); part; part = todo.pop()) {
    if (part.body?.encoding === '8bit') return '8bit'
    todo.push(...part.children)
  }
  return '7bit'
}

/**
 * A boundary prefix that occurs nowhere: `=_` never stands in base64 or quoted-printable (RFC 2045 6.7), and in content that is
 * written as it is, it is looked for. It comes from a hash of that content, so that nobody can write it in beforehand.
 */
function boundaryFor(parts: readonly Prepared[]): string {
  const plain = parts.flatMap(({ body }) =>
    body?.encoding === '7bit' || body?.encoding === '8bit' ? [body.bytes] : [],
  )
  for (let attempt = 0; ; attempt++) {
    const hash = createHash('sha256').update(`${attempt}`)
    for (const bytes of plain) hash.update(bytes)
    const boundary = `=_${hash.digest('hex').slice(0, 24)}_`
    if (!plain.some((bytes) => bytes.includes(boundary))) return boundary
  }
}
