/**
 * The PROXY protocol, versions 1 and 2: a header that a load balancer sends before the client's octets, with the client's address.
 * https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt. Pure.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { PROXY_HEADER_MAX_BYTES } from '../../server/base/inbound-limits.ts'

export interface ProxySource {
  readonly address: string
  readonly port: number
}

/** `source` null: the connection is the balancer's own (LOCAL), or the header names no address. */
export type ProxyHeader =
  | { readonly status: 'read'; readonly length: number; readonly source: ProxySource | null }
  | { readonly status: 'incomplete' }
  | { readonly status: 'malformed' }

const INCOMPLETE: ProxyHeader = { status: 'incomplete' }
const MALFORMED: ProxyHeader = { status: 'malformed' }
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const WORD = Buffer.from('PROXY ')
/** Octets of a line of version 1 with its line end. */
const LINE_MAX = 107
/** Octets of a header of version 2 before its addresses. */
const FIXED_LENGTH = 16

export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (startsAlike(bytes, SIGNATURE)) return bytes.length < FIXED_LENGTH ? INCOMPLETE : readBinary(bytes)
  return startsAlike(bytes, WORD) ? readLine(bytes) : MALFORMED
}

function startsAlike(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length)
  return bytes.compare(start, 0, length, 0, length) === 0
}

function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.indexOf('\r\n')
  if (end < 0 || end + 2 > LINE_MAX) return end < 0 && bytes.length < LINE_MAX ? INCOMPLETE : MALFORMED
  const words = bytes.toString('latin1', 0, end).split(' ')
  const length = end + 2
  // 2.1: the rest of an UNKNOWN line is ignored.
  if (words[1] === 'UNKNOWN') return { status: 'read', length, source: null }
  const [, family, source = '', destination = '', from = '', to = ''] = words
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : () => false
  const fits = words.length === 6 && isAddress(source) && isAddress(destination) && isPort(from) && isPort(to)
  return fits ? { status: 'read', length, source: { address: source, port: Number(from) } } : MALFORMED
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535
}

function readBinary(bytes: Buffer): ProxyHeader {
  const versionAndCommand = bytes[12]!
  const length = FIXED_LENGTH + bytes.readUInt16BE(14)
  const command = versionAndCommand & 0x0f
  if (versionAndCommand >> 4 !== 2 || command > 1 || length > PROXY_HEADER_MAX_BYTES) return MALFORMED
  if (bytes.length < length) return INCOMPLETE
  // 2.2: LOCAL is a health check of the balancer.
  if (command === 0) return { status: 'read', length, source: null }
  const family = bytes[13]!
  if (family === 0x11)
    return length < FIXED_LENGTH + 12 ? MALFORMED : { status: 'read', length, source: sourceOf(bytes, 4) }
  if (family === 0x21)
    return length < FIXED_LENGTH + 36 ? MALFORMED : { status: 'read', length, source: sourceOf(bytes, 16) }
  return { status: 'read', length, source: null }
}

function sourceOf(bytes: Buffer, size: 4 | 16): ProxySource {
  const address = bytes.subarray(FIXED_LENGTH, FIXED_LENGTH + size)
  const text =
    size === 4
      ? address.join('.')
      : Array.from({ length: 8 }, (_, i) => address.readUInt16BE(i * 2).toString(16)).join(':')
  return { address: text, port: bytes.readUInt16BE(FIXED_LENGTH + size * 2) }
}
