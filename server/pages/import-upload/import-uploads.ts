/**
 * /imports/files: uploads of files for imports, by URLs that are signed for one file (decisions D12 and D33). PUT sends the whole file, or
 * with Content-Range (RFC 9110 14.4) the next octets; HEAD tells how many octets are there. Octets go to the staged store as they come.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { StagedUpload } from '../../../jmap/imports/staged-files.ts'
import { UPLOAD_FOLDER } from '../../../jmap/imports/upload-url.ts'
import type { Core } from '../../../jmap/services.ts'
import { setHeaders } from '../../base/http/respond.ts'
import { IMPORT_UPLOADS_MAX, IMPORT_UPLOADS_PER_MAILBOX_MAX } from '../../base/import-limits.ts'
import { methodNotAllowed, notFound, problem, sendJson } from '../../http/problem.ts'
import type { StagedStore } from '../../imports/staging/staged-store.ts'
import { readRange } from './content-range.ts'

export interface UploadDeps {
  readonly core: Pick<Core, 'imports'>
  readonly staged: StagedStore
}

const METHODS = ['PUT', 'HEAD', 'OPTIONS']

/** Whoever has the URL may use it, from any page in a browser too: it carries its own right. */
const ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': METHODS.join(', '),
  'Access-Control-Allow-Headers': 'Content-Type, Content-Range',
  'Access-Control-Expose-Headers': 'Upload-Offset, Upload-Length',
  'Access-Control-Max-Age': '7200',
}

export class ImportUploads {
  readonly #core: UploadDeps['core']
  readonly #staged: StagedStore
  /** Places that are being written, each with the account whose file it is. */
  readonly #busy = new Map<string, number>()

  constructor({ core, staged }: UploadDeps) {
    this.#core = core
    this.#staged = staged
  }

  owns(path: string): boolean {
    return path.startsWith(UPLOAD_FOLDER)
  }

  /** The path is a secret. */
  logged(): string {
    return `${UPLOAD_FOLDER}...`
  }

  /** @throws HttpProblem */
  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    setHeaders(response, { ...ANY_ORIGIN, 'Cache-Control': 'no-store' })
    if (!METHODS.includes(request.method ?? '')) throw methodNotAllowed(METHODS)
    if (request.method === 'OPTIONS') {
      response.statusCode = 204
      response.end()
      return
    }
    const token = path.slice(UPLOAD_FOLDER.length)
    if (request.method === 'PUT') return this.#put(request, response, token)
    await this.#tell(response, await this.#find(request, token))
    response.end()
  }

  /** @throws HttpProblem 404 */
  async #find(request: IncomingMessage, token: string): Promise<StagedUpload> {
    const upload = await this.#core.imports.findUpload(token)
    if (!upload) throw closing(request, notFound())
    return upload
  }

  /** Tells the client how many octets are there. @returns the same */
  async #tell(response: ServerResponse, { isComplete, place, size }: StagedUpload): Promise<number> {
    const offset = isComplete ? size : await this.#staged.offset(place)
    setHeaders(response, { 'Upload-Offset': String(offset), 'Upload-Length': String(size) })
    return offset
  }

  async #put(request: IncomingMessage, response: ServerResponse, token: string): Promise<void> {
    const { account, place, size } = await this.#find(request, token)
    if (this.#busy.has(place)) throw closing(request, problem(409, 'Another request is sending the file.'))
    const own = [...this.#busy.values()].filter((one) => one === account).length
    if (this.#busy.size >= IMPORT_UPLOADS_MAX || own >= IMPORT_UPLOADS_PER_MAILBOX_MAX)
      throw closing(request, problem(503, 'Too many files are being uploaded.', { 'Retry-After': '30' }))
    this.#busy.set(place, account)
    try {
      // What another request has sent meanwhile counts: it may have ended since the upload was looked up.
      const upload = await this.#find(request, token)
      const offset = await this.#tell(response, upload)
      if (upload.isComplete) throw closing(request, problem(409, 'The file was uploaded already.'))
      const range = readRange(request.headers, size)
      if ('fault' in range) throw closing(request, problem(422, range.fault))
      if (range.from !== 0 && range.from !== offset)
        throw closing(
          request,
          problem(409, `The next octet to send is ${offset}.`, { 'Upload-Offset': String(offset) }),
        )
      if (range.from === 0 && offset > 0) await this.#staged.remove(place)
      const { from, to } = range
      const body = new BoundedBody(request, to - from)
      // In S3 fewer octets may be there afterwards than were sent: the rest of a part is sent again.
      const now = await this.#staged.append(place, { from, size }, body.chunks())
      if (body.left > 0) throw problem(422, `The request has ${body.left} octets too few.`)
      if (now === size) await this.#complete(upload)
      response.setHeader('Upload-Offset', String(now))
      sendJson(response, now === size ? 200 : 202, JSON.stringify({ object: 'import_upload', offset: now, size }))
    } finally {
      this.#busy.delete(place)
    }
  }

  async #complete({ account, id, place }: StagedUpload): Promise<void> {
    if (await this.#core.imports.completeUpload(account, id)) return
    await this.#staged.remove(place)
    throw notFound()
  }
}

/** The octets of a request that may have so many and no more. */
class BoundedBody {
  readonly #request: IncomingMessage
  /** Octets that have not come yet. */
  left: number

  constructor(request: IncomingMessage, octets: number) {
    this.#request = request
    this.left = octets
  }

  /** @throws HttpProblem 422 for more octets, which are not read */
  async *chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#request as AsyncIterable<Buffer>) {
      if (chunk.length > this.left) throw closing(this.#request, problem(422, 'The request has too many octets.'))
      this.left -= chunk.length
      yield chunk
    }
  }
}

/** The rest of the body is not read: it may have gigabytes. */
function closing<P extends { readonly headers: Readonly<Record<string, string>> }>(
  request: IncomingMessage,
  refusal: P,
): P {
  if (request.complete || request.method === 'HEAD') return refusal
  return Object.assign(refusal, { headers: { ...refusal.headers, Connection: 'close' } })
}
