/** Sends files as responses: ranges, conditional requests, and the header fields that keep a browser from running a mailed file. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PassingOctets } from '../collect-garbage.ts'
import { DOWNLOAD_CHUNK_BYTES } from '../limits.ts'
import { DOWNLOAD_PASSING_BYTES } from '../reading-limits.ts'
import { answerNotModified, setHeaders } from './respond.ts'

export interface FileSource {
  readonly type: string
  readonly name: string
  /** Two files with the same tag have the same octets. A blob id is such a tag. */
  readonly tag: string
  /** Octets of the whole file. */
  readonly size: number
  /** Without it the client asks each time whether it may still read the file. */
  readonly cacheControl?: string
  /** Shown by a browser that opens its URL, rather than saved. By default it is saved. */
  readonly isShown?: boolean
  /** Octets that are in memory at a time for a client that reads slowly; default: DOWNLOAD_CHUNK_BYTES. */
  readonly pieceBytes?: number
  /** Octets `start` to `end` (exclusive). */
  read(start: number, end: number): Promise<Uint8Array>
}

interface Range {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/**
 * Answers a GET or HEAD with the file.
 * @param unsatisfiable makes the error for a range outside of the file (RFC 9110 15.5.17), with the header fields of its answer
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: FileSource,
  unsatisfiable: (headers: Readonly<Record<string, string>>) => Error,
): Promise<void> {
  const tag = `"${file.tag}"`
  setHeaders(response, { ...fileHeaders(file), 'Accept-Ranges': 'bytes' })
  if (answerNotModified(request, response, tag)) return
  const range = rangeOf(request, tag, file.size)
  if (range === 'outside') {
    // They describe the file. A cache that kept the error for as long would hold the file back from others.
    for (const name of ['Cache-Control', 'Content-Disposition', 'ETag']) response.removeHeader(name)
    throw unsatisfiable({ 'Content-Range': `bytes */${file.size}` })
  }
  if (range) {
    response.statusCode = 206
    response.setHeader('Content-Range', `bytes ${range.start}-${range.end - 1}/${file.size}`)
  }
  const { start, end } = range ?? { start: 0, end: file.size }
  response.setHeader('Content-Length', end - start)
  if (request.method === 'HEAD') response.end()
  else await copy(file, start, end, response)
}

export function fileHeaders(
  file: Pick<FileSource, 'type' | 'name' | 'cacheControl' | 'isShown'>,
): Readonly<Record<string, string>> {
  return {
    'Content-Type': safeType(file.type),
    'Content-Disposition': disposition(file.name, file.isShown ? 'inline' : 'attachment'),
    // RFC 9111 5.2.2: only the client's own cache may keep it, and must ask each time whether the key may still read it.
    'Cache-Control': file.cacheControl ?? 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    // Players of browsers are pages of the file's own origin, with styles of the browser.
    'Content-Security-Policy': file.isShown
      ? "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"
      : "sandbox; default-src 'none'",
  }
}

/** The type comes from mail. A type that cannot be written into a header field is replaced. */
function safeType(type: string): string {
  const media = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: ?; ?charset="?[\w.:+-]+"?)?$/i
  return media.test(type) ? type : 'application/octet-stream'
}

/** RFC 6266 with RFC 8187: the full name, and an ASCII one for old clients. */
export function disposition(name: string, kind: 'attachment' | 'inline' = 'attachment'): string {
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
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** null: the whole file. A field that is not a single range of octets is ignored. */
function rangeOf(request: IncomingMessage, tag: string, size: number): Range | 'outside' | null {
  // RFC 9110 14.2: ranges are for GET.
  if (request.method !== 'GET') return null
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.headers.range?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  const condition = request.headers['if-range']
  if (typeof condition === 'string' && condition.trim() !== tag) return null
  const suffix = match[1] === ''
  const start = suffix ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const end = suffix || match[2] === '' ? size : Math.min(size, Number(match[2]) + 1)
  if (!suffix && match[2] !== '' && Number(match[2]) < start) return null
  return start < end ? { start, end } : 'outside'
}

/** Copies piece by piece at the speed of the client, so that a large file is never in memory as a whole. */
function copy(file: FileSource, start: number, end: number, response: ServerResponse): Promise<void> {
  return copyPieces(pieces(file, start, end), response)
}

/** As fast as the client reads. Resolves also when the client has gone. */
export async function copyPieces(from: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
  try {
    await pipeline(Readable.from(from), response)
  } catch (error) {
    // The client has closed the connection, so no response reaches it.
    if (!isPrematureClose(error)) throw error
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

const passing = new PassingOctets(DOWNLOAD_PASSING_BYTES)

async function* pieces(file: FileSource, start: number, end: number): AsyncGenerator<Uint8Array> {
  const { pieceBytes = DOWNLOAD_CHUNK_BYTES } = file
  for (let at = start; at < end; at += pieceBytes) {
    yield await file.read(at, Math.min(end, at + pieceBytes))
    passing.add(Math.min(end - at, pieceBytes))
  }
}

/**
 * The octets of a file whose beginning has been read.
 * @param read null: the file is gone
 */
export function inPieces(
  first: { readonly bytes: Uint8Array; readonly size: number },
  read: (range: { start: number; end: number }) => Promise<{ readonly bytes: Uint8Array } | null>,
): Pick<FileSource, 'size' | 'read'> {
  return {
    size: first.size,
    async read(start, end) {
      if (start === 0 && end <= first.bytes.length) return first.bytes.subarray(0, end)
      const piece = await read({ start, end })
      if (!piece) throw new Error('a blob went away while it was read')
      return piece.bytes
    },
  }
}
