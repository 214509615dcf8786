/** The client's address, and the URL that the client used. X-Forwarded-* fields count only from trusted proxies. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { plainAddress } from '../base/http/client-address.ts'
import { addNetwork } from '../config/setting-reader.ts'

export interface ClientView {
  /** The client's IP address. */
  ip(request: IncomingMessage): string
  /** Scheme, host and port as the client wrote them, without a slash at the end. */
  baseUrl(request: IncomingMessage): string
  /** Host and optional port as the client wrote them; '' if they are invalid. */
  host(request: IncomingMessage): string
  /** For Express: whether to trust X-Forwarded-* from this address. */
  trusts(address: string): boolean
}

/**
 * @param trustedProxies valid addresses and networks
 * @param baseUrl the operator's setting; null: taken from each request
 */
export function createClientView(trustedProxies: readonly string[], baseUrl: string | null): ClientView {
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
    baseUrl: (request) => baseUrl ?? requestedBase(request, trusts(peerOf(request))),
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

function requestedBase(request: IncomingMessage, throughProxy: boolean): string {
  const headers = request.headers
  const scheme = throughProxy ? listOf(headers['x-forwarded-proto'])[0] : undefined
  const { localAddress = '127.0.0.1', localPort = 80 } = request.socket
  const address = plainAddress(localAddress)
  const fallback = `${isIP(address) === 6 ? `[${address}]` : address}:${localPort}`
  return `${scheme === 'https' ? 'https' : 'http'}://${requestedHost(request, throughProxy) ?? fallback}`
}

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
