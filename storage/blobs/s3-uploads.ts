/**
 * Objects that are uploaded in parts over several requests (S3 multipart uploads), under `<prefix>imports/`. Beside each is a small object
 * with what has been uploaded, because not every service lists parts: an upload goes on in any process.
 */

import { systemClock } from '../../server/base/clock.ts'
import { Failure } from '../../server/base/errors.ts'
import { S3_LIST_PAGE } from '../../server/base/limits.ts'
import { silentLogger } from '../../server/base/logger.ts'
import type { S3Options } from './s3.ts'
import { isNoSuchOctets, S3Requests } from './s3-requests.ts'

export interface S3Upload {
  readonly uploadId: string
  /** Of each part, in order. */
  readonly etags: readonly string[]
  /** In all parts. */
  readonly octets: number
  readonly isComplete: boolean
}

const FOLDER = 'imports/'
const STATE = '.json'

export class S3Uploads {
  readonly #requests: S3Requests
  readonly #prefix: string

  constructor({ prefix = '', region = 'us-east-1', clock = systemClock, logger = silentLogger, ...rest }: S3Options) {
    const folder = prefix.replace(/^\/+|\/+$/g, '')
    this.#requests = new S3Requests({ ...rest, region }, clock, logger)
    this.#prefix = `${folder === '' ? '' : `${folder}/`}${FOLDER}`
  }

  /** null: there is no such upload. */
  find(name: string): Promise<S3Upload | null> {
    return this.#requests.send('reading the state of an upload', async (client) => {
      try {
        const response = await client.getObjectRaw(this.#key(name) + STATE)
        return (await response.json()) as S3Upload
      } catch (error) {
        if (isNoSuchOctets(error)) return null
        throw error
      }
    })
  }

  async begin(name: string): Promise<S3Upload> {
    const uploadId = await this.#requests.send('beginning an upload', (client) =>
      client.getMultipartUploadId(this.#key(name), 'application/octet-stream'),
    )
    return this.#keep(name, { uploadId, etags: [], octets: 0, isComplete: false })
  }

  /** @param bytes at least 5 MiB, except in the last part */
  async addPart(name: string, upload: S3Upload, bytes: Buffer): Promise<S3Upload> {
    const { etag } = await this.#requests.send('uploading a part', (client) =>
      client.uploadPart(this.#key(name), upload.uploadId, bytes, upload.etags.length + 1),
    )
    return this.#keep(name, { ...upload, etags: [...upload.etags, etag], octets: upload.octets + bytes.length })
  }

  /** Joins the parts. */
  async complete(name: string, upload: S3Upload): Promise<void> {
    const parts = upload.etags.map((etag, index) => ({ partNumber: index + 1, etag }))
    await this.#requests.send('completing an upload', (client) =>
      client.completeMultipartUpload(this.#key(name), upload.uploadId, parts),
    )
    await this.#keep(name, { ...upload, isComplete: true })
  }

  /** Octets of a complete upload. @throws Failure `corrupt`: there is none */
  read(name: string, start: number, end: number): Promise<Buffer> {
    return this.#requests.send('reading an upload', async (client) => {
      try {
        const response = await client.getObjectRaw(this.#key(name), false, start, end)
        const bytes = Buffer.from(await response.arrayBuffer())
        // RFC 9110 15.3.7: a service may answer the request for a range with the whole object.
        return response.status === 206 ? bytes.subarray(0, end - start) : bytes.subarray(start, end)
      } catch (error) {
        if (isNoSuchOctets(error)) throw new Failure('corrupt', 'an upload is not there', { cause: error })
        throw error
      }
    })
  }

  async remove(name: string): Promise<void> {
    const upload = await this.find(name)
    if (upload && !upload.isComplete)
      await this.#requests.send('aborting an upload', async (client) => {
        await client.abortMultipartUpload(this.#key(name), upload.uploadId).catch((error: unknown) => {
          if (!isNoSuchOctets(error)) throw error
        })
      })
    for (const key of [this.#key(name), this.#key(name) + STATE])
      await this.#requests.send('deleting an upload', async (client) => {
        await client.deleteObject(key).catch((error: unknown) => {
          if (!isNoSuchOctets(error)) throw error
        })
      })
  }

  async list(): Promise<string[]> {
    const names = new Set<string>()
    let token: string | undefined
    do {
      const page = await this.#requests.send('listing uploads', (client) =>
        client.listObjectsPaged('/', this.#prefix, S3_LIST_PAGE, token),
      )
      for (const { Key } of page?.objects ?? []) {
        const name = Key.slice(this.#prefix.length)
        names.add(name.endsWith(STATE) ? name.slice(0, -STATE.length) : name)
      }
      token = page?.nextContinuationToken
    } while (token)
    return [...names]
  }

  close(): Promise<void> {
    return this.#requests.close()
  }

  async #keep(name: string, upload: S3Upload): Promise<S3Upload> {
    await this.#requests.send('keeping the state of an upload', (client) =>
      client.putObject(this.#key(name) + STATE, JSON.stringify(upload), 'application/json'),
    )
    return upload
  }

  #key(name: string): string {
    return this.#prefix + name
  }
}
