/** How answers are written: JSON with its headers, and the path as the API names it. */
import type { Request, Response } from 'express'

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

export function requestIdOf(response: Response): string {
  return response.locals['requestId'] as string
}

export function toText(body: unknown): string {
  return body === null || body === undefined ? '' : JSON.stringify(body)
}

/** Path and query without the prefix that a reverse proxy or a client may leave out (D10). */
export function targetOf(request: Request): string {
  return request.originalUrl.replace(/^\/api(?=\/)/, '')
}

export function pathOf(request: Request): string {
  return targetOf(request).split('?', 1)[0]!
}
