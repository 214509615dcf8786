/** Bodies that are octets, received piece by piece, so that a large file is never in memory as a whole. */
import type { IncomingMessage } from 'node:http'
import { abandoned } from '../../server/base/guard.ts'
import { isCompressed, readMediaType } from '../../server/base/http/request-fields.ts'
import {
  ASSET_UPLOADS_MAX,
  ASSET_UPLOADS_PER_KEY_MAX,
  ASSET_UPLOADS_PER_ORGANIZATION_MAX,
} from '../../server/base/image-limits.ts'
import { HTTP_RETRY_AFTER_SECONDS } from '../../server/base/limits.ts'
import type { Principal } from '../../server/base/principal.ts'
import type { Upload } from '../endpoint.ts'
import { ApiError } from '../errors/api-error.ts'

/** Whether the body of a request is no JSON. */
export function hasOctets({ headers }: IncomingMessage): boolean {
  return !/^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/.test(readMediaType(headers['content-type'] ?? '').type)
}

type Uploader = Pick<Principal, 'credential' | 'organization'>

export class Uploads {
  /** Uploads that are being received. */
  readonly #open = new Set<Uploader>()

  /** @throws ApiError unsupported_media_type, payload_too_large */
  open(request: IncomingMessage, limit: number, { credential, organization }: Uploader): Upload {
    if (isCompressed(request.headers))
      throw new ApiError('unsupported_media_type', { message: 'The request body must not be compressed.' })
    const declared = Number(request.headers['content-length'] ?? Number.NaN)
    if (declared > limit) throw tooLarge(limit)
    return {
      type: request.headers['content-type'] ?? '',
      size: Number.isNaN(declared) ? null : declared,
      pieces: (bytes) => this.#receive(request, limit, { credential, organization }, bytes),
    }
  }

  async *#receive(
    request: IncomingMessage,
    limit: number,
    uploader: Uploader,
    bytes: number,
  ): AsyncGenerator<Uint8Array> {
    this.#enter(uploader)
    let received = 0
    let held: Buffer[] = []
    let size = 0
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        received += chunk.length
        if (received > limit) throw tooLarge(limit)
        held.push(chunk)
        size += chunk.length
        if (size < bytes) continue
        const all = Buffer.concat(held)
        const end = size - (size % bytes)
        // Whoever takes a piece may take its memory too: nothing is read of it afterwards.
        held = size > end ? [Buffer.from(all.subarray(end))] : []
        size -= end
        for (let at = 0; at < end; at += bytes) yield all.subarray(at, at + bytes)
      }
      if (size > 0) yield Buffer.concat(held)
    } catch (error) {
      // Other errors are those of the connection.
      throw error instanceof ApiError ? error : abandoned()
    } finally {
      this.#open.delete(uploader)
      dropRest(request, limit)
    }
  }

  #enter(uploader: Uploader): void {
    const { credential, organization } = uploader
    const all = [...this.#open]
    const ofKey = all.filter((one) => one.credential === credential).length
    const ofOrganization = all.filter((one) => one.organization === organization).length
    const headers = { 'Retry-After': String(HTTP_RETRY_AFTER_SECONDS) }
    if (ofKey >= ASSET_UPLOADS_PER_KEY_MAX || ofOrganization >= ASSET_UPLOADS_PER_ORGANIZATION_MAX) {
      const message = `At most ${ASSET_UPLOADS_PER_KEY_MAX} files may be uploaded at once by one key, and ${ASSET_UPLOADS_PER_ORGANIZATION_MAX} by one organization.`
      throw new ApiError('rate_limit_exceeded', { message, headers })
    }
    if (all.length >= ASSET_UPLOADS_MAX) {
      const message = 'The server is receiving too much at present; try again.'
      throw new ApiError('service_unavailable', { message, headers })
    }
    this.#open.add(uploader)
  }
}

/** The client of a refused body reads the answer, but cannot send without an end. */
function dropRest(request: IncomingMessage, limit: number): void {
  let left = limit
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
}

function tooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', { message: `The request body may have at most ${limit} octets.` })
}
