/** Requests to S3: a limited number at a time, each with a deadline, repeated after temporary errors. */
import { S3mini, S3ServiceError } from 's3mini'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage, Failure, isFailure } from '../../server/base/errors.ts'
import { S3_BACKOFF_MS, S3_CONCURRENCY, S3_REQUEST_TIMEOUT_MS, S3_RETRIES } from '../../server/base/limits.ts'
import type { Logger } from '../../server/base/logger.ts'

export interface S3Credentials {
  /** `http(s)://host[:port][/path]` of the service, without the bucket: requests are path-style. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export class S3Requests {
  readonly #client: S3mini
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #slots = new Slots(S3_CONCURRENCY)
  #closed = false

  constructor(credentials: S3Credentials, clock: Clock, logger: Logger) {
    const { endpoint, bucket, ...rest } = credentials
    this.#clock = clock
    this.#logger = logger
    this.#client = new S3mini({
      ...rest,
      endpoint: `${endpoint.replace(/\/+$/, '')}/${bucket}`,
      fetch: (input, init) => this.#fetchWhole(input, init),
    })
  }

  /**
   * @param attempt may run several times
   * @throws Failure 'storageUnavailable' or 'storageFull', or the Failure of `attempt`
   */
  async send<T>(doing: string, attempt: (client: S3mini) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Failure('shuttingDown', 'the blob store is closed')
    for (let tried = 0; ; tried++) {
      try {
        return await this.#slots.use(() => attempt(this.#client))
      } catch (error) {
        if (isFailure(error)) throw error
        if (this.#closed || tried >= S3_RETRIES || !isTemporary(error)) throw serviceFailure(error, doing)
        this.#logger.warn({ tried, problem: errorMessage(error) }, `S3 failed while ${doing}; the request is repeated`)
        await this.#pause(tried)
      }
    }
  }

  /** Resolves when no request runs any more. Requests that wait to be repeated fail. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#slots.idle()
  }

  #pause(tried: number): Promise<void> {
    // Random, so that many nodes do not repeat their requests at the same time.
    const delay = S3_BACKOFF_MS * 2 ** tried * (0.5 + Math.random() / 2)
    return new Promise((resolve) => this.#clock.after(delay, resolve))
  }

  /** The deadline covers the whole response, so the body is read here. s3mini's own deadline does not use the injected clock. */
  async #fetchWhole(input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
    const controller = new AbortController()
    const cancel = this.#clock.after(S3_REQUEST_TIMEOUT_MS, () => controller.abort(new Error('S3 took too long')))
    try {
      const response = await fetch(input, { ...init, signal: controller.signal })
      const { status, statusText, headers } = response
      const body = await response.arrayBuffer()
      return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers })
    } finally {
      cancel()
    }
  }
}

/** Whether S3 reports that the object or the range does not exist; a missing bucket is another error. */
export function isNoSuchOctets(error: unknown): boolean {
  if (!(error instanceof S3ServiceError)) return false
  return error.status === 416 || (error.status === 404 && serviceCode(error) !== 'NoSuchBucket')
}

const TEMPORARY_CODES = ['RequestTimeout', 'SlowDown', 'Throttling', 'TooManyRequests']
const FULL_CODES = ['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage']

function isTemporary(error: unknown): boolean {
  // No response of the service: no connection, a lost connection, or the deadline.
  if (!(error instanceof S3ServiceError)) return true
  const { status } = error
  if (status === 501 || isFull(error)) return false
  return status >= 500 || status === 408 || status === 429 || TEMPORARY_CODES.includes(serviceCode(error))
}

function isFull(error: S3ServiceError): boolean {
  return error.status === 507 || FULL_CODES.includes(serviceCode(error))
}

/** s3mini reads the code only from a response whose media type has no parameters. */
function serviceCode(error: S3ServiceError): string {
  return /<Code>([^<]*)<\/Code>/.exec(error.body ?? '')?.[1] ?? error.serviceCode ?? ''
}

function serviceFailure(error: unknown, doing: string): Failure {
  if (!(error instanceof S3ServiceError)) {
    return new Failure('storageUnavailable', `S3 does not answer while ${doing}: ${errorMessage(error)}`, {
      cause: error,
    })
  }
  const code = isFull(error) ? 'storageFull' : 'storageUnavailable'
  return new Failure(code, `S3 refused while ${doing}: ${error.status} ${serviceCode(error)}`, { cause: error })
}

/** Runs a limited number at a time, in the order of the calls. */
class Slots {
  #free: number
  readonly #size: number
  readonly #waiting: (() => void)[] = []
  readonly #whenIdle: (() => void)[] = []

  constructor(size: number) {
    this.#size = size
    this.#free = size
  }

  async use<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else if (++this.#free === this.#size) for (const resolve of this.#whenIdle.splice(0)) resolve()
    }
  }

  idle(): Promise<void> {
    return this.#free === this.#size ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve))
  }
}
