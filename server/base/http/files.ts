/** Files as answers: ranges, conditional requests and the headers that keep a browser from running what a stranger mailed. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Problem } from '../../../rest/errors/api-error.ts'
import { isKnownTag } from '../../../rest/pipeline/respond.ts'
import { REST_DOWNLOAD_CHUNK_BYTES } from '../limits.ts'

export interface FileSource {
  readonly type: string
  readonly name: string
  /** Same tag, same octets. Blob ids are that by themselves. */
  readonly tag: string
  /** Octets of the whole file. */
  readonly size: number
  /** Without it the client asks each time whether it may still read the file. */
  readonly cacheControl?: string
  /** Octets `start` to `end`, `end` not included. */
  read(start: number, end: number): Promise<Uint8Array>
}

interface Range {
  readonly start: number
  /** Not included. */
  readonly end: number
}

/** Answers a GET or HEAD with the file. */
export async function sendFile(request: IncomingMessage, response: ServerResponse, file: FileSource): Promise<void> {
  const tag = `"${file.tag}"`
  for (const [name, value] of Object.entries(fileHeaders(file))) response.setHeader(name, value)
  response.setHeader('ETag', tag)
  if (isKnownTag(request.headers['if-none-match'], tag)) {
    response.statusCode = 304
    response.end()
    return
  }
  const range = rangeOf(request, tag, file.size)
  if (range) {
    response.statusCode = 206
    response.setHeader('Content-Range', `bytes ${range.start}-${range.end - 1}/${file.size}`)
  }
  const { start, end } = range ?? { start: 0, end: file.size }
  response.setHeader('Content-Length', end - start)
  if (request.method === 'HEAD') response.end()
  else await copy(file, start, end, response)
}

function fileHeaders(file: FileSource): Record<string, string> {
  return {
    'Content-Type': safeType(file.type),
    'Content-Disposition': disposition(file.name),
    'Accept-Ranges': 'bytes',
    // RFC 9111 5.2.2: only the client's own cache, and only after asking whether the key may still read it.
    'Cache-Control': file.cacheControl ?? 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
  }
}

/** A type comes from mail: one that could not stand in a header is not repeated. */
function safeType(type: string): string {
  const media = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: ?; ?charset="?[\w.:+-]+"?)?$/i
  return media.test(type) ? type : 'application/octet-stream'
}

/** RFC 6266 with RFC 8187: the name in full, and an ASCII one for clients that know no other. */
export function disposition(name: string): string {
  const clean =
    name
      .toWellFormed()
      .replace(/[\x00-\x1f\x7f\u2028\u2029]/g, '')
      .replace(/[/\\]/g, '_') || 'attachment'
  const ascii = clean.replace(/[^\x20-\x7e]/g, '_').replace(/["%]/g, '_')
  const encoded = encodeURIComponent(clean).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** RFC 9110 14.2: null for the whole file; what is no single range of octets may be ignored, and is. @throws Problem 416 */
function rangeOf(request: IncomingMessage, tag: string, size: number): Range | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.headers.range?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  const condition = request.headers['if-range']
  if (typeof condition === 'string' && condition.trim() !== tag) return null
  const suffix = match[1] === ''
  const start = suffix ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const end = suffix || match[2] === '' ? size : Math.min(size, Number(match[2]) + 1)
  if (!suffix && match[2] !== '' && Number(match[2]) < start) return null
  if (start < end) return { start, end }
  throw new Problem('range_not_satisfiable', { headers: { 'Content-Range': `bytes */${size}` } })
}

/** Piece by piece, no faster than the client reads, so that a large file never stands in memory. */
async function copy(file: FileSource, start: number, end: number, response: ServerResponse): Promise<void> {
  try {
    await pipeline(Readable.from(pieces(file, start, end)), response)
  } catch (error) {
    // The client went away: nothing to tell, and no one to tell it to.
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

async function* pieces(file: FileSource, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += REST_DOWNLOAD_CHUNK_BYTES) {
    yield await file.read(at, Math.min(end, at + REST_DOWNLOAD_CHUNK_BYTES))
  }
}
