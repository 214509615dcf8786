/**
 * Writes messages for Email/set create (RFC 8621 4.6) and REST sends. The output has CRLF line ends, lines of at most 998 octets, and
 * is ASCII except attached messages with eight-bit text and addresses whose local part is not ASCII. The caller gives Message-ID and
 * Date, because it has the clock and the ids.
 */
import { Buffer, isAscii } from 'node:buffer'
import { createHash } from 'node:crypto'
import { type BodySpec, type GenerateError, type Prepared, prepare } from './body-spec.ts'
import { encodeHeader, type HeaderSpec } from './header-encoding.ts'
import { encodeParameterised } from './parameter-encoding.ts'

export type { BodySpec, GenerateError, LeafSpec, MultipartSpec } from './body-spec.ts'

export interface MessageSpec {
  /** In the order of writing. */
  readonly headers: readonly HeaderSpec[]
  readonly body: BodySpec
}

export type Generated =
  | {
      readonly bytes: Buffer
      /** Whether there are octets beyond ASCII: sending needs 8BITMIME, or SMTPUTF8 if they are in the header. */
      readonly is8bit: boolean
      readonly error?: undefined
    }
  | { readonly error: GenerateError; readonly bytes?: undefined }

/** Fields that are written from the part's own properties. */
const OWN_FIELDS = new Set([
  'content-transfer-encoding',
  'content-type',
  'content-disposition',
  'content-id',
  'content-language',
  'content-location',
])

/** Writes the message, or returns why it cannot be written. */
export function generateMessage(spec: MessageSpec): Generated {
  const prepared = prepare(spec.body)
  if ('type' in prepared) return { error: prepared }
  const root = prepared[0] as Prepared
  const boundary = boundaryFor(prepared)
  const chunks: (string | Buffer)[] = []
  const fields = encodeFields(spec.headers)
  if (typeof fields !== 'string') return { error: fields }
  chunks.push(fields)
  // RFC 2045 4: every MIME message has the field.
  const own = [...spec.headers, ...(root.spec.headers ?? [])]
  if (!own.some(({ name }) => name.toLowerCase() === 'mime-version')) chunks.push('MIME-Version: 1.0\r\n')
  const error = writeParts(root, boundary, chunks)
  if (error) return { error }
  const bytes = Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk)))
  return { bytes, is8bit: !isAscii(bytes) }
}

/** The fields in order, or the first fault. */
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
    // RFC 2046 5.1.1: readers may compare only the beginning of a line, so no boundary begins with another.
    const own = next.body === null ? `${boundary}${multiparts++}_` : null
    const header = partHeader(next, own)
    if (typeof header !== 'string') return header
    chunks.push(header, '\r\n')
    if (next.body !== null) {
      // A body without a line break at its end gets none, so that its text stays unchanged.
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

function partHeader({ spec, path, body, children }: Prepared, boundary: string | null): string | GenerateError {
  const fields = encodeFields(spec.headers ?? [])
  if (typeof fields !== 'string')
    return { type: 'invalidPart', at: path, field: fields.at, description: fields.description }
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
  // RFC 2046 4.1.2: text types have a charset; what we write as text of another type is UTF-8 by its own rules (RFC 8259 8.1).
  if (content && 'text' in content) {
    if (type.startsWith('text/')) parameters.push(['charset', 'utf-8'])
  } else if (content?.charset) parameters.push(['charset', content.charset])
  // RFC 2387 3.1: multipart/related names the type of its root.
  const root = children[0]?.spec.type.toLowerCase()
  if (type === 'multipart/related' && root && !spec.parameters?.['type']) parameters.push(['type', root])
  for (const [key, value] of Object.entries(spec.parameters ?? {})) {
    if (!['charset', 'boundary', 'name'].includes(key.toLowerCase())) parameters.push([key, value])
  }
  // Without a disposition only this parameter can hold the name (RFC 8621 4.1.4, name).
  if (spec.name != null && spec.disposition == null) parameters.push(['name', spec.name])
  if (boundary !== null) parameters.push(['boundary', boundary])
  return parameters
}

// RFC 2045 6.4: a multipart is 8bit if a part inside is.
function multipartEncoding(children: readonly Prepared[]): '7bit' | '8bit' {
  const todo = [...children]
  for (let part = todo.pop(); part; part = todo.pop()) {
    if (part.body?.encoding === '8bit') return '8bit'
    todo.push(...part.children)
  }
  return '7bit'
}

/**
 * A boundary prefix that does not occur in the parts. `=_` never occurs in base64 or quoted-printable (RFC 2045 6.7); content in other
 * encodings is searched for it. The prefix is a hash of that content, so that nobody can write it in advance.
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
