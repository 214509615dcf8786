/** The client's address, and the URL of the server for the client. X-Forwarded-* fields count only from trusted proxies. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { plainAddress } from '../base/http/client-address.ts'
import { urlHost } from '../config/hosting-settings.ts'
import { addNetwork } from '../config/setting-reader.ts'

export interface ClientView {
  /** The client's IP address. */
  ip(request: IncomingMessage): string
  /** Scheme, host and port for URLs in answers, without a slash at the end. */
  baseUrl(request: IncomingMessage): string
  /** Host and optional port as the client wrote them; '' if they are invalid. */
  host(request: IncomingMessage): string
  /** For Express: whether to trust X-Forwarded-* from this address. */
  trusts(address: string): boolean
}

export interface OwnUrl {
  /** The operator's setting; null: made of `hostname` and the port. */
  readonly baseUrl: string | null
  readonly hostname: string
  /** In dev mode a loopback name that the client used is repeated, and others get the address that they reached: nobody can look up `hostname`. */
  readonly isDev: boolean
}

/** @param trustedProxies valid addresses and networks */
export function createClientView(trustedProxies: readonly string[], own: OwnUrl): ClientView {
  const trusted = new BlockList()
  for (const network of trustedProxies) addNetwork(trusted, network)
  const trusts = (address: string) => {
    if (trustedProxies.length === 0) return false
    const family = isIP(address)
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
  return {
    trusts,
    ip: (request) => clientAddress(request, trusts),
    host: (request) => requestedHost(request, trusts(peerOf(request))) ?? '',
    baseUrl: (request) => own.baseUrl ?? defaultBase(request, own, trusts(peerOf(request))),
  }
}

function peerOf(request: IncomingMessage): string {
  return plainAddress(request.socket.remoteAddress ?? '')
}

/** The last address that is not a trusted proxy's. The client may have made up those before it. */
function clientAddress(request: IncomingMessage, trusts: (address: string) => boolean): string {
  let address = peerOf(request)
  const forwarded = listOf(request.headers['x-forwarded-for'])
  while (trusts(address)) {
    const next = plainAddress(forwarded.pop() ?? '')
    if (isIP(next) === 0) break
    address = next
  }
  return address
}

/** A host that the client chose does not get into URLs: others could be given them, from caches or in mail. */
function defaultBase(request: IncomingMessage, { hostname, isDev }: OwnUrl, throughProxy: boolean): string {
  const isHttps = throughProxy && listOf(request.headers['x-forwarded-proto'])[0] === 'https'
  const requested = requestedHost(request, throughProxy)
  if (isDev && requested !== null && LOOPBACK.test(requested)) return `${isHttps ? 'https' : 'http'}://${requested}`
  // The port of the proxy is not known: it is the usual one.
  if (isHttps) return `https://${hostname}`
  const { localAddress, localPort = 80 } = request.socket
  const host = isDev && localAddress ? urlHost(plainAddress(localAddress)) : hostname
  return `http://${host}:${localPort}`
}

/** RFC 6761 6.3, RFC 1122 3.2.1.3, RFC 4291 2.5.3 */
const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

function requestedHost({ headers }: IncomingMessage, throughProxy: boolean): string | null {
  const host = (throughProxy ? listOf(headers['x-forwarded-host'])[0] : undefined) ?? headers.host ?? ''
  return isHost(host) ? host : null
}

/** RFC 9110 7.2, without characters that could end the host in a URL. */
function isHost(text: string): boolean {
  return /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text)
}

function listOf(header: string | readonly string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
