/** The style sheet and the script of the booking pages. Their paths name their content, so that browsers keep them. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { methodNotAllowed, notFound } from '../../http/problem.ts'
import { accentStyle } from './accent.ts'

const FOLDER = '/book/assets/'
/** A year: the content of a path never changes. */
export const CACHE = 'public, max-age=31536000, immutable'

interface Asset {
  readonly path: string
  readonly type: string
  readonly plain: Buffer
  readonly zipped: Buffer
}

function load(name: string, type: string): Asset {
  const plain = readFileSync(new URL(`assets/${name}`, import.meta.url))
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 12)
  return { path: `${FOLDER}${tag}/${name}`, type, plain, zipped: gzipSync(plain) }
}

export const STYLE = load('booking.css', 'text/css; charset=utf-8')
export const SCRIPT = load('booking.js', 'text/javascript; charset=utf-8')

const ACCENT = /^\/book\/assets\/accent-([0-9a-f]{6})\.css$/

/** @param colour `#1a56b0` */
export function accentPath(colour: string): string {
  return `${FOLDER}accent-${colour.slice(1)}.css`
}

function accentAsset(path: string): Asset | undefined {
  const [, hex] = ACCENT.exec(path) ?? []
  if (hex === undefined) return undefined
  const plain = Buffer.from(accentStyle(hex))
  return { path, type: STYLE.type, plain, zipped: gzipSync(plain) }
}

export function isAssetPath(path: string): boolean {
  return path.startsWith(FOLDER)
}

/** @throws HttpProblem 404, 405 */
export function answerAsset(request: IncomingMessage, response: ServerResponse, path: string): void {
  const asset = [STYLE, SCRIPT].find((one) => one.path === path) ?? accentAsset(path)
  if (!asset) throw notFound()
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD'])
  const zips = acceptsGzip(request)
  const bytes = zips ? asset.zipped : asset.plain
  if (zips) response.setHeader('Content-Encoding', 'gzip')
  response.setHeader('Vary', 'Accept-Encoding')
  response.setHeader('Cache-Control', CACHE)
  response.setHeader('Content-Type', asset.type)
  response.setHeader('Content-Length', bytes.length)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

export function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
}
