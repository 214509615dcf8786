/** The body of a request: its size and type are judged before it is read, its JSON after. */
import type { IncomingMessage } from 'node:http'
import { parseIJson } from '../../jmap/protocol/i-json.ts'
import { invalid, Problem } from '../errors/api-error.ts'

/** @throws Problem unsupported_media_type, payload_too_large */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0)
  const hasBody = length > 0 || request.headers['transfer-encoding'] !== undefined
  if (!hasBody) return Buffer.alloc(0)
  requireJson(request)
  if (length > limit) throw tooLarge(request, limit)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw tooLarge(request, limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

/** @throws Problem malformed_json. No body at all reads as an object without members. */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  const json = parseIJson(bytes)
  if ('value' in json) return json.value
  throw new Problem('malformed_json', {
    message: json.fault,
    details: invalid(null, 'invalid_format', json.fault).details!,
  })
}

function requireJson(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', { message: 'The request body must not be compressed.' })
  }
  const type = request.headers['content-type']
  // Clients that name no type send what the API takes.
  if (type === undefined) return
  const [media = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (!/^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/.test(media)) throw new Problem('unsupported_media_type')
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new Problem('unsupported_media_type', { message: 'The request body must be in UTF-8.' })
  }
}

function tooLarge(request: IncomingMessage, limit: number): Problem {
  // The rest flows by unread: closing the connection at once would reach many a client before the answer does.
  request.resume()
  return new Problem('payload_too_large', { message: `The request body may have at most ${limit} octets.` })
}
