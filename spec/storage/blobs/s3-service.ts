/** A real S3 service on a free loopback port, which can simulate faults. */
import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import S3rver from 's3rver'
import type { Test } from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { S3_REQUEST_TIMEOUT_MS } from '../../../server/base/limits.ts'
import { openS3, type S3Options } from '../../../storage/blobs/s3.ts'
import { tempFolder } from './blobs.ts'

type Context = Parameters<S3rver['middleware'][number]>[0]

export const BUCKET = 'posthouse'
const KEY = 'S3RVER'

/** Deadlines never pass; pauses between attempts end at once and are recorded. */
export class ImpatientClock extends ManualClock {
  readonly pauses: number[] = []

  override after(ms: number, fn: () => void): () => void {
    if (ms >= S3_REQUEST_TIMEOUT_MS) return super.after(ms, fn)
    this.pauses.push(ms)
    void setImmediate().then(fn)
    return () => {}
  }
}

export class S3Service {
  readonly endpoint: string
  /** Runs before every request; returns true if it has answered the request. */
  fault: (ctx: Context) => boolean | Promise<boolean> = () => false
  readonly requests: string[] = []
  /** Most keys of a page of a listing. */
  pageSize = 1_000

  constructor(endpoint: string) {
    this.endpoint = endpoint
  }

  options(prefix: string, clock = new ImpatientClock()): S3Options {
    return { endpoint: this.endpoint, bucket: BUCKET, prefix, accessKeyId: KEY, secretAccessKey: KEY, clock }
  }
}

export async function startS3(t: Test): Promise<S3Service> {
  const directory = await tempFolder(t)
  const configureBuckets = [{ name: BUCKET, configs: [] }]
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets,
  })
  server.middleware.unshift(async (ctx, next) => {
    service.requests.push(`${ctx.method} ${ctx.path}`)
    const { searchParams } = new URL(ctx.req.url!, service.endpoint)
    if (!isSigned(ctx.req, KEY)) refuse(ctx, 403, 'SignatureDoesNotMatch')
    else if (await service.fault(ctx)) return
    else if (ctx.path === `/${BUCKET}/` && searchParams.get('list-type') === '2')
      await list(server, service, searchParams, ctx)
    else await next()
  })
  const { port } = await server.run()
  const service = new S3Service(`http://127.0.0.1:${port}`)
  t.teardown(() => server.close())
  return service
}

export function refuse(ctx: Context, status: number, code: string): void {
  ctx.status = status
  ctx.set('content-type', 'application/xml; charset=utf-8')
  ctx.body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`
}

/** s3rver encrypts the tokens of its pages with a cipher that OpenSSL no longer supports. */
async function list(server: S3rver, service: S3Service, query: URLSearchParams, ctx: Context): Promise<void> {
  const startAfter = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString()
  const maxKeys = Math.min(Number(query.get('max-keys')), service.pageSize)
  const page = await server.store.listObjects(BUCKET, { prefix: query.get('prefix') ?? '', startAfter, maxKeys })
  const contents = page.objects.map(
    ({ key, size, lastModifiedDate }) =>
      `<Contents><Key>${key}</Key><Size>${size}</Size><LastModified>${lastModifiedDate.toISOString()}</LastModified></Contents>`,
  )
  const next = Buffer.from(page.objects.at(-1)?.key ?? '').toString('base64')
  ctx.set('content-type', 'application/xml')
  ctx.body = `<?xml version="1.0"?><ListBucketResult><IsTruncated>${page.isTruncated}</IsTruncated>${
    page.isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''
  }${contents.join('')}</ListBucketResult>`
}

/** Checks AWS Signature Version 4, of which s3rver only checks earlier versions. */
function isSigned(request: IncomingMessage, secret: string): boolean {
  const authorization = request.headers.authorization ?? ''
  const fields = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    authorization,
  )
  if (!fields) return false
  const [, credential, names, signature] = fields as unknown as [string, string, string, string]
  const [, date, region, name, end] = credential.split('/') as [string, string, string, string, string]
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  const query = [...searchParams].map(([key, value]) => `${encode(key)}=${encode(value)}`).sort()
  const headers = names.split(';').map((header) => `${header}:${String(request.headers[header]).trim()}\n`)
  const lines = [
    request.method,
    pathname,
    query.join('&'),
    headers.join(''),
    names,
    request.headers['x-amz-content-sha256'],
  ]
  const digest = createHash('sha256').update(lines.join('\n')).digest('hex')
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = [date, region, name, end].reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`)
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], [date, region, name, end].join('/'), digest].join(
    '\n',
  )
  return hmac(key, text).toString('hex') === signature
}

let prefixes = 0

/** A store with a prefix of its own. */
export function freshStore(t: Test, service: S3Service, clock = new ImpatientClock()) {
  const prefix = `mail${++prefixes}`
  const store = openS3(service.options(prefix, clock))
  t.teardown(() => store.close())
  return { store, prefix, clock }
}
