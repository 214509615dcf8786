/** /docs: pages for people who use the API. All files come from this process; pages load nothing from other hosts. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { methodNotAllowed, notFound } from '../../http/problem.ts'
import { changelogFeed } from './changelog.ts'
import { CHANGELOG, pageTexts, RECEIVER, renderPage, TITLES } from './pages.ts'
import { searchIndex } from './search.ts'

// The style sheet of Swagger UI has its pictures as data: URLs; the favicon is a file.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: { readonly [extension: string]: string } = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  html: 'text/html; charset=utf-8',
  xml: 'application/atom+xml; charset=utf-8',
}

const viewer = (name: string) => new URL(`static/${name}`, import.meta.resolve('@fastify/swagger-ui/package.json'))
const ASSETS: { readonly [path: string]: URL } = {
  '/docs/assets/docs.css': new URL('assets/docs.css', import.meta.url),
  '/docs/assets/docs.js': new URL('assets/docs.js', import.meta.url),
  '/docs/assets/favicon.svg': new URL('assets/favicon.svg', import.meta.url),
  '/docs/assets/reference.css': new URL('assets/reference.css', import.meta.url),
  '/docs/assets/reference.js': new URL('assets/reference.js', import.meta.url),
  '/docs/assets/swagger-ui.css': viewer('swagger-ui.css'),
  '/docs/assets/swagger-ui-bundle.js': viewer('swagger-ui-bundle.js'),
}

interface Ready {
  readonly plain: Buffer
  readonly zipped: Buffer
  readonly tag: string
}

/** What the search looks through, made when it is first asked for. */
let index: Promise<Ready> | undefined

/** Files by path, read and compressed once, when first asked for. */
const assets = new Map<string, Promise<Ready>>()

export function isDocsPath(path: string): boolean {
  return path === '/docs' || path.startsWith('/docs/')
}

/** @param base where clients reach the server. @throws HttpProblem 404, 405 */
export async function answerDocs(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  base: string,
): Promise<void> {
  const ready = await find(path, base)
  if (!ready) throw notFound()
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD'])
  const [extension = 'html'] = /(?<=\.)\w+$/.exec(path) ?? []
  response.setHeader('Content-Security-Policy', POLICY)
  response.setHeader('Cache-Control', 'no-cache')
  response.setHeader('ETag', ready.tag)
  response.setHeader('Vary', 'Accept-Encoding')
  if (request.headers['if-none-match'] === ready.tag) {
    response.writeHead(304).end()
    return
  }
  const zips = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  const bytes = zips ? ready.zipped : ready.plain
  if (zips) response.setHeader('Content-Encoding', 'gzip')
  response.setHeader('Content-Type', TYPES[extension] ?? TYPES['html']!)
  response.setHeader('Content-Length', bytes.length)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

async function find(path: string, base: string): Promise<Ready | null> {
  const asset = Object.hasOwn(ASSETS, path) ? ASSETS[path]! : null
  if (asset) {
    const begun = assets.get(path) ?? readFile(asset).then(prepared)
    assets.set(path, begun)
    return begun
  }
  if (path === '/docs/webhook-receiver.mjs') return prepared(RECEIVER)
  if (path === '/docs/search.json') {
    // Nothing of it depends on who asks.
    index ??= prepared(JSON.stringify(searchIndex(pageTexts(''))))
    return index
  }
  if (path === '/docs/changelog.xml') return prepared(changelogFeed(CHANGELOG, base))
  const name = path === '/docs' || path === '/docs/' ? '' : path.slice('/docs/'.length)
  if (!Object.hasOwn(TITLES, name)) return null
  return prepared(renderPage(name, base))
}

async function prepared(content: string | Buffer): Promise<Ready> {
  const plain = Buffer.from(content)
  const tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { plain, zipped: await promisify(gzip)(plain), tag }
}
