/** How answers are written: JSON with its headers, and the path as the API names it. */
import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { type ResponseArguments, writeArguments } from '../../jmap/protocol/json-text.ts'

/** Of an ETag: 132 bits. */
const TAG_CHARS = 22

export function setHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

/** @param text '' for no body */
export function sendJson(response: Response, status: number, text: string): void {
  response.statusCode = status
  // Answers hold mail and keys: no cache keeps them.
  setHeaders(response, { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
  if (text !== '') response.setHeader('Content-Type', 'application/json; charset=utf-8')
  if (status !== 204) response.setHeader('Content-Length', Buffer.byteLength(text))
  response.end(text)
}

/** A resource: one that the client has already is not sent again (RFC 9110 13.1.2). */
export function sendTagged(request: Request, response: Response, text: string): void {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, TAG_CHARS)}"`
  response.setHeader('ETag', tag)
  if (!isKnownTag(request.headers['if-none-match'], tag)) {
    sendJson(response, 200, text)
    return
  }
  response.statusCode = 304
  response.setHeader('Cache-Control', 'no-store')
  response.end()
}

/** Whether If-None-Match names a tag: compared weakly (RFC 9110 13.1.2). */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '') === tag)
}

export function requestIdOf(response: Response): string {
  return response.locals['requestId'] as string
}

export function toText(body: unknown): string {
  return body === null || body === undefined ? '' : writeArguments(body as ResponseArguments)
}

/** Path and query without the prefix that a reverse proxy or a client may leave out (D10). */
export function targetOf(request: Request): string {
  return request.originalUrl.replace(/^\/api(?=\/)/, '')
}

export function pathOf(request: Request): string {
  return targetOf(request).split('?', 1)[0]!
}
