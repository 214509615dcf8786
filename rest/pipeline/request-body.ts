/** The body of a request: its type and size are checked before it is read, its JSON after. */
import type { IncomingMessage } from 'node:http'
import { parseIJson } from '../../jmap/protocol/i-json.ts'
import { BodyReader } from '../../server/base/http/request-body.ts'
import { isCompressed, readMediaType } from '../../server/base/http/request-fields.ts'
import { REST_MAX_RECEIVING_BYTES } from '../../server/base/limits.ts'
import { ApiError } from '../errors/api-error.ts'

/** Reads bodies; at most `octets` are being received at once. */
export function bodyReader(octets: number = REST_MAX_RECEIVING_BYTES): BodyReader {
  return new BodyReader({ all: { octets, busy } })
}

function busy(): ApiError {
  return new ApiError('service_unavailable', { message: 'The server is receiving too much at present; try again.' })
}

/** @param type media type of the body; null: JSON. @throws ApiError unsupported_media_type, payload_too_large, service_unavailable */
export async function readBody(
  bodies: BodyReader,
  request: IncomingMessage,
  limit: number,
  type: string | null,
): Promise<Buffer> {
  const { headers } = request
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
  if (!hasBody) return Buffer.alloc(0)
  requireType(request, type)
  const message = `The request body may have at most ${limit} octets.`
  return bodies.read(request, limit, () => new ApiError('payload_too_large', { message }))
}

/** The JSON of a body; `{}` without a body. @throws ApiError malformed_json */
export function parseBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {}
  const json = parseIJson(bytes)
  if ('value' in json) return json.value
  const details = [{ field: null, code: 'invalid_format', message: json.fault }]
  throw new ApiError('malformed_json', { message: json.fault, details })
}

function requireType({ headers }: IncomingMessage, wanted: string | null): void {
  if (isCompressed(headers))
    throw new ApiError('unsupported_media_type', { message: 'The request body must not be compressed.' })
  // A body without a type is taken as what it should be.
  if (headers['content-type'] === undefined) return
  const { type, isUtf8 } = readMediaType(headers['content-type'])
  if (wanted !== null && type !== wanted)
    throw new ApiError('unsupported_media_type', { message: `The body of this request is ${wanted}.` })
  if (wanted === null && !/^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/.test(type))
    throw new ApiError('unsupported_media_type')
  if (!isUtf8) throw new ApiError('unsupported_media_type', { message: 'The request body must be in UTF-8.' })
}
