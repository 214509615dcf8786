/** Answers what the HTTP parser refuses, before there is a request: input that is not HTTP, too large a header, or too slow. */
import type { Socket } from 'node:net'
import { ApiError, type ApiErrorCode } from '../../rest/errors/api-error.ts'
import { type ServerResponse, STATUS_CODES } from '../base/http/node-http.ts'
import { randomId } from '../base/ids.ts'
import type { Logger } from '../base/logger.ts'

/** As `clientError` of node:http gives it. */
export interface ParserError extends NodeJS.ErrnoException {
  /** The octets at which the parser stopped: often the beginning of the request. */
  readonly rawPacket?: Buffer
}

const CODES: { readonly [code: string]: ApiErrorCode } = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * In the envelope of REST (decision D1); a request to JMAP gets problem details (RFC 8620 3.6.1).
 * @param answer the latest on this connection
 */
export function refuseUnparsed(
  error: ParserError,
  socket: Socket,
  answer: Pick<ServerResponse, 'headersSent' | 'writableFinished'> | undefined,
  logger: Logger,
): void {
  // In the middle of an answer the status cannot change.
  const isAnswering = answer?.headersSent === true && !answer.writableFinished
  if (isAnswering || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const requestId = randomId('req')
  const refusal = new ApiError(CODES[error.code ?? ''] ?? 'malformed_request')
  const { status } = refusal
  const [type, body] = toJmap(error)
    ? [
        'application/problem+json',
        { type: 'about:blank', title: STATUS_CODES[status], status, detail: refusal.message },
      ]
    : ['application/json; charset=utf-8', refusal.toBody(requestId)]
  const text = JSON.stringify(body)
  const fields = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
  ]
  logger.info({ request_id: requestId, status, parser: error.code }, 'http request refused by the parser')
  socket.end(`${fields.join('\r\n')}\r\n\r\n${text}`)
}

function toJmap({ rawPacket }: ParserError): boolean {
  return /^[A-Z]+ \/(?:jmap|\.well-known\/jmap)\b/.test(rawPacket?.subarray(0, 100).toString('latin1') ?? '')
}
