/**
 * Blobs as objects of any S3 service, named by their hash: `<prefix>ab/cdef...-<suffix>`. Every `put` makes a new suffix, so that the
 * deletion of an object for an old row never hits the object of a newer row (blob-store.ts). An object is visible as a whole or not at
 * all; the service checks it against the hash, which is sent in a signed header, since s3mini does not sign bodies.
 *
 * Only objects below the prefix with such names are read, listed or deleted. Outside of loopback the endpoint should be https.
 */
import { hash, randomBytes } from 'node:crypto'
import { base32Encode } from '../../server/base/base32.ts'
import { type Clock, systemClock } from '../../server/base/clock.ts'
import { Failure } from '../../server/base/errors.ts'
import { S3_LIST_PAGE } from '../../server/base/limits.ts'
import { type Logger, silentLogger } from '../../server/base/logger.ts'
import type { BlobLocation, BlobStore, ByteRange, ListedBlob, NewBlob } from '../blob-store.ts'
import { clampRange, corrupt, requireHashes } from './failures.ts'
import { isNoSuchOctets, S3Requests } from './s3-requests.ts'

export interface S3Options {
  /** `http(s)://host[:port][/path]` of the service, without the bucket: requests are path-style. */
  readonly endpoint: string
  readonly bucket: string
  /** Default: `us-east-1`, which services without regions accept, too. */
  readonly region?: string
  /** Start of every key, such as `mail/`. */
  readonly prefix?: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly clock?: Clock
  readonly logger?: Logger
}

/** Sends no request. @throws Failure 'configuration' */
export function openS3(options: S3Options): BlobStore {
  requireSettings(options)
  const { endpoint, bucket, region = 'us-east-1', accessKeyId, secretAccessKey } = options
  const { clock = systemClock, logger = silentLogger } = options
  const prefix = (options.prefix ?? '').replace(/^\/+|\/+$/g, '')
  const requests = new S3Requests({ endpoint, bucket, region, accessKeyId, secretAccessKey }, clock, logger)
  return new S3(requests, prefix === '' ? '' : `${prefix}/`)
}

class S3 implements BlobStore {
  readonly #requests: S3Requests
  readonly #prefix: string

  constructor(requests: S3Requests, prefix: string) {
    this.#requests = requests
    this.#prefix = prefix
  }

  async put(blobs: readonly NewBlob[]): Promise<BlobLocation[]> {
    requireHashes(blobs)
    return Promise.all(blobs.map((blob) => this.#putOne(blob)))
  }

  async #putOne(blob: NewBlob): Promise<BlobLocation> {
    const hex = Buffer.from(blob.hash).toString('hex')
    const name = `${hex.slice(0, 2)}/${hex.slice(2)}-${base32Encode(randomBytes(5))}`
    const checksum = { 'x-amz-checksum-sha256': Buffer.from(blob.hash).toString('base64') }
    await this.#requests.send('storing a blob', (client) =>
      client.putObject(this.#prefix + name, blob.bytes, 'application/octet-stream', undefined, checksum),
    )
    return formatLocation(name, blob.bytes.length)
  }

  async read(location: BlobLocation, range?: ByteRange): Promise<Uint8Array> {
    const at = requireLocation(location)
    const { start, end } = clampRange(range, at.size)
    const whole = start === 0 && end === at.size
    if (start === end && !whole) return new Uint8Array()
    const { bytes, part } = await this.#requests.send('reading a blob', async (client) => {
      try {
        const response = await client.getObjectRaw(this.#prefix + at.name, whole, start, end)
        const part = response.status === 206 ? response.headers.get('content-range') : undefined
        return { bytes: new Uint8Array(await response.arrayBuffer()), part }
      } catch (error) {
        if (isNoSuchOctets(error)) throw corrupt(location, 'it does not exist in S3', error)
        throw error
      }
    })
    if (part !== undefined) return cutPart(location, bytes, part, { start, end }, at.size)
    if (bytes.length !== at.size || hash('sha256', bytes, 'hex') !== at.hex) {
      throw corrupt(location, 'its octets in S3 have changed')
    }
    // A service may answer the request for a range with the whole object.
    return bytes.subarray(start, end)
  }

  async remove(locations: readonly BlobLocation[]): Promise<void> {
    const names = locations.map((location) => parseLocation(location)?.name).filter((name) => name !== undefined)
    // One by one, since not every service has DeleteObjects.
    await Promise.all(names.map((name) => this.#removeOne(name)))
  }

  async #removeOne(name: string): Promise<void> {
    await this.#requests.send('deleting a blob', async (client) => {
      try {
        await client.deleteObject(this.#prefix + name)
      } catch (error) {
        if (!isNoSuchOctets(error)) throw error
      }
    })
  }

  async *list(): AsyncGenerator<ListedBlob> {
    let token: string | undefined
    do {
      const page = await this.#requests.send('listing blobs', async (client) => {
        const answer = await client.listObjectsPaged('/', this.#prefix, S3_LIST_PAGE, token)
        if (!answer) throw new Failure('storageUnavailable', 'the bucket does not exist in S3')
        return answer
      })
      for (const { Key, Size, LastModified } of page.objects ?? []) {
        const location = formatLocation(Key.slice(this.#prefix.length), Size)
        if (parseLocation(location)) yield { location, writtenAt: LastModified.getTime() }
      }
      token = page.nextContinuationToken
    } while (token)
  }

  close(): Promise<void> {
    return this.#requests.close()
  }
}

/** RFC 9110 15.3.7: the response may contain another part than the requested range. */
function cutPart(location: string, bytes: Uint8Array, part: string | null, range: ByteRange, size: number): Uint8Array {
  const [first, last, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/
      .exec(part ?? '')
      ?.slice(1)
      .map(Number) ?? []
  if (first === undefined || last === undefined || total !== size || bytes.length !== last + 1 - first) {
    throw corrupt(location, `it has another size in S3: ${part}`)
  }
  if (first > range.start || last + 1 < range.end) {
    throw new Failure('storageUnavailable', `S3 sent ${part} for octets from ${range.start} to ${range.end}`)
  }
  return bytes.subarray(range.start - first, range.end - first)
}

interface S3Location {
  readonly name: string
  /** SHA-256 of the content. */
  readonly hex: string
  readonly size: number
}

const LOCATION = /^s3:(([0-9a-f]{2})\/([0-9a-f]{62})-[a-z2-7]{8}):(\d{1,15})$/

function formatLocation(name: string, size: number): BlobLocation {
  return `s3:${name}:${size}`
}

function parseLocation(location: BlobLocation): S3Location | null {
  const match = LOCATION.exec(location)
  if (!match) return null
  return { name: match[1]!, hex: match[2]! + match[3]!, size: Number(match[4]) }
}

function requireLocation(location: BlobLocation): S3Location {
  const at = parseLocation(location)
  if (!at) throw corrupt(location, 'this is no location in S3')
  return at
}

function requireSettings(options: S3Options): void {
  const refuse = (why: string): never => {
    throw new Failure('configuration', `S3: ${why}`)
  }
  const url = URL.parse(options.endpoint)
  if (!url || !/^https?:$/.test(url.protocol)) refuse('the endpoint must begin with https:// or http://')
  if (url!.search || url!.hash || url!.username)
    refuse('the endpoint must be an address without "?", "#" or a user name')
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(options.bucket)) refuse('the bucket needs a name of 2 to 63 characters')
  const { prefix = '' } = options
  // Services normalize paths for signatures in different ways, but not these characters.
  if (!/^[A-Za-z0-9._/-]*$/.test(prefix) || /(^|\/)\.{1,2}(\/|$)|\/\//.test(prefix)) {
    refuse('the prefix is made of letters, digits, ".", "_", "-" and single "/"')
  }
  if (!options.accessKeyId.trim() || !options.secretAccessKey.trim()) refuse('the access key needs an id and a secret')
}
