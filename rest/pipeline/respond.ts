/** How the answers of this API are written: JSON with its header fields. */
import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { answerNotModified, send, setHeaders } from '../../server/base/http/respond.ts'

/** Of an ETag: 132 bits. */
const TAG_CHARS = 22

/** @param text '' for no body */
export function sendJson(response: Response, status: number, text: string): void {
  // Answers hold mail and keys: no cache keeps them.
  setHeaders(response, { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
  send(response, status, text === '' ? null : 'application/json; charset=utf-8', text)
}

/** One resource, with an ETag. */
export function sendTagged(request: Request, response: Response, text: string): void {
  response.setHeader('Cache-Control', 'no-store')
  if (!answerNotModified(request, response, tagOf(text))) sendJson(response, 200, text)
}

/** The ETag of a resource. @param text its JSON */
export function tagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, TAG_CHARS)}"`
}

/** Path and query without the prefix `/api`, which clients may leave out (decision D10). */
export function targetOf(request: Request): string {
  return request.originalUrl.replace(/^\/api(?=\/)/, '')
}

export function pathOf(request: Request): string {
  return targetOf(request).replace(/\?.*$/s, '')
}
