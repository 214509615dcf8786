/** Writes the responses of every API. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { freeWhole } from '../free-memory.ts'

export function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

/** Calls `listener` when the response has ended or its client has left, or now if that has happened. */
export function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.closed) listener()
  else response.once('close', listener)
}

/** UTF-16 units of a text from which on octets, made once, cost less than to count and write those of the text. */
const OCTETS_FROM_CHARS = 16_384

/**
 * Sends a whole response. Responses hold mail: without Cache-Control from the handler, no cache may keep them.
 * @param type null: without a body
 */
export function send(response: ServerResponse, status: number, type: string | null, text: string): void {
  response.statusCode = status
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store')
  if (type !== null) response.setHeader('Content-Type', type)
  // A string is sent in one piece with the header. A Buffer would be a second write, which costs more than the rest of a small
  // response.
  const body = text.length < OCTETS_FROM_CHARS ? text : Buffer.from(text)
  // RFC 9110 8.6: a 204 has no Content-Length.
  if (status !== 204) response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(body)
}

/** Responds 304 if the client has this state of the resource (RFC 9110 13.1.2). @param tag with its quotes */
export function answerNotModified(request: IncomingMessage, response: ServerResponse, tag: string): boolean {
  response.setHeader('ETag', tag)
  // RFC 9110 13.1.2: If-None-Match compares weakly.
  const known = (request.headers['if-none-match'] ?? '').split(',').map((item) => item.trim().replace(/^W\//, ''))
  if (!known.includes(tag) && !known.includes('*')) return false
  response.statusCode = 304
  response.end()
  return true
}

/**
 * A large answer, piece by piece, as fast as the client reads. Resolves when it has been written, or the client has gone.
 * @param pieces their memory is freed as soon as they are written: the collector would leave several answers
 */
export async function sendPieces(
  response: ServerResponse,
  status: number,
  type: string,
  pieces: readonly Uint8Array[],
): Promise<void> {
  response.statusCode = status
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store')
  response.setHeader('Content-Type', type)
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  response.setHeader('Content-Length', size)
  for (const piece of pieces) {
    if (response.destroyed) {
      freeWhole(piece)
      continue
    }
    if (response.write(piece, () => freeWhole(piece))) continue
    const { promise: moved, resolve } = Promise.withResolvers<void>()
    response.once('drain', resolve).once('close', resolve)
    await moved
    response.off('drain', resolve).off('close', resolve)
  }
  response.end()
}
