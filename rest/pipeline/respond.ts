/** How the answers of this API are written: JSON with its header fields. */
import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import type { AnswerBody } from '../../jmap/protocol/answer-body.ts'
import { answerNotModified, send, sendPieces, setHeaders } from '../../server/base/http/respond.ts'

/** Of an ETag: 132 bits. */
const TAG_CHARS = 22

/** A whole answer as plain data. */
export interface WrittenAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; '' for no body. */
  readonly body: AnswerBody
  /** The ETag of one resource; null: it has none. */
  readonly tag: string | null
}

/** @param text '' for no body */
export function sendJson(response: Response, status: number, text: string): void {
  // Answers hold mail and keys: no cache keeps them.
  setHeaders(response, { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
  send(response, status, text === '' ? null : 'application/json; charset=utf-8', text)
}

/** A whole answer that was written elsewhere. */
export async function sendWritten(request: Request, response: Response, answer: WrittenAnswer): Promise<void> {
  const { status, headers, body, tag } = answer
  setHeaders(response, headers)
  if (tag !== null) {
    response.setHeader('Cache-Control', 'no-store')
    if (answerNotModified(request, response, tag)) return
  }
  if (typeof body === 'string') return sendJson(response, status, body)
  setHeaders(response, { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
  await sendPieces(response, status, 'application/json; charset=utf-8', body)
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
