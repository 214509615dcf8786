/**
 * A caching DNS resolver. Failures are values, since mail treats a missing record and a failed lookup differently. Answers are cached for
 * their TTL; a question that is under way is not asked a second time.
 */
import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { type Clock, systemClock } from '../../server/base/clock.ts'
import {
  DNS_CACHE_ENTRY_MAX_BYTES,
  DNS_CACHE_MAX,
  DNS_CACHE_MAX_MS,
  DNS_NEGATIVE_MAX_MS,
} from '../../server/base/inbound-limits.ts'
import { DNS_TIMEOUT_MS, DNS_TRIES } from '../../server/base/outbound-limits.ts'
import { type DnsServer, queryServer } from './query.ts'
import { addressText, exchangeOf, nameOf, recordsOf, textOf, tlsaOf } from './records.ts'
import { reverseName } from './reverse-name.ts'
import type { DnsMessage, DnsRecord, DnsType } from './wire.ts'

/**
 * `nxdomain`: the name does not exist. `nodata`: the name has no records of this type. `failed`: not known now (SERVFAIL, no answer, refused);
 * it must be asked again, and never counts as absence.
 */
export type DnsAnswer<T> =
  /** `isAuthentic`: the resolver has validated the answer with DNSSEC (AD bit, RFC 4035 3.2.3). */
  | { readonly status: 'found'; readonly records: readonly T[]; readonly isAuthentic?: true }
  | { readonly status: 'nxdomain' | 'nodata' }
  | { readonly status: 'failed'; readonly reason: 'servfail' | 'timeout' | 'other' }

export interface MxRecord {
  readonly preference: number
  /** Without the final dot; '' is the root: a null MX (RFC 7505). */
  readonly exchange: string
}

export interface TlsaData {
  readonly usage: number
  readonly selector: number
  readonly matching: number
  readonly data: Buffer
}

export interface DnsResolver {
  mx(name: string): Promise<DnsAnswer<MxRecord>>
  a(name: string): Promise<DnsAnswer<string>>
  aaaa(name: string): Promise<DnsAnswer<string>>
  /** The strings of each record, joined (RFC 7208 3.3, RFC 6376 3.6.2.2). */
  txt(name: string): Promise<DnsAnswer<string>>
  /** RFC 6698 */
  tlsa(name: string): Promise<DnsAnswer<TlsaData>>
  /** Host names of an address, or of its reverse name (`1.2.0.192.in-addr.arpa`). */
  ptr(address: string): Promise<DnsAnswer<string>>
}

export interface DnsResolverOptions {
  /** `address:port` or `[address]:port` of a recursive server; null: those of the system. */
  readonly server: string | null
  readonly timeoutMs?: number
  readonly tries?: number
  readonly clock?: Clock
}

interface CachedAnswer {
  readonly answer: DnsAnswer<unknown>
  /** Epoch ms. */
  readonly until: number
}

/** An answer with its TTL. */
interface TimedAnswer<T> {
  readonly answer: DnsAnswer<T>
  readonly ttlMs: number
}

type RecordReader<T> = (bytes: Buffer, record: DnsRecord) => T | null

export function createDnsResolver(options: DnsResolverOptions): DnsResolver {
  const resolver = new CachingResolver(options)
  return {
    mx: (name) => resolver.ask(name, 'MX', exchangeOf),
    a: (name) => resolver.ask(name, 'A', addressText),
    aaaa: (name) => resolver.ask(name, 'AAAA', addressText),
    txt: (name) => resolver.ask(name, 'TXT', textOf),
    tlsa: (name) => resolver.ask(name, 'TLSA', tlsaOf),
    ptr: (address) => resolver.ask(isIP(address) ? reverseName(address) : address, 'PTR', nameOf),
  }
}

class CachingResolver {
  readonly #servers: readonly DnsServer[]
  readonly #timeoutMs: number
  readonly #tries: number
  readonly #clock: Clock
  readonly #cache = new Map<string, CachedAnswer>()
  readonly #asking = new Map<string, Promise<DnsAnswer<unknown>>>()

  constructor({ server, timeoutMs = DNS_TIMEOUT_MS, tries = DNS_TRIES, clock = systemClock }: DnsResolverOptions) {
    this.#servers = (server ? [server] : getServers()).map(parseServer)
    this.#timeoutMs = timeoutMs
    this.#tries = tries
    this.#clock = clock
  }

  ask<T>(name: string, type: DnsType, read: RecordReader<T>): Promise<DnsAnswer<T>> {
    const ascii = toAscii(name)
    // Text that is no domain name has no records, and no server is asked.
    if (ascii === null) return Promise.resolve({ status: 'nxdomain' })
    const key = `${type} ${ascii.toLowerCase()}`
    const kept = this.#cache.get(key)
    if (kept && kept.until > this.#clock.now()) return Promise.resolve(kept.answer as DnsAnswer<T>)
    const asking = this.#asking.get(key) ?? this.#askNow(key, ascii, type, read)
    return asking as Promise<DnsAnswer<T>>
  }

  #askNow<T>(key: string, ascii: string, type: DnsType, read: RecordReader<T>): Promise<DnsAnswer<T>> {
    // An exception is a fault of this machine, such as no free socket.
    const unknown: TimedAnswer<T> = { answer: { status: 'failed', reason: 'other' }, ttlMs: 0 }
    const told = this.#question(ascii, type, read).catch(() => unknown)
    const asking = told.then(({ answer, ttlMs }) => {
      this.#asking.delete(key)
      this.#keep(key, answer, ttlMs)
      return answer
    })
    this.#asking.set(key, asking)
    return asking
  }

  #keep(key: string, answer: DnsAnswer<unknown>, ttlMs: number): void {
    this.#cache.delete(key)
    if (ttlMs <= 0) return
    this.#cache.set(key, { answer, until: this.#clock.now() + ttlMs })
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= DNS_CACHE_MAX) break
      this.#cache.delete(oldest)
    }
  }

  async #question<T>(name: string, type: DnsType, read: RecordReader<T>): Promise<TimedAnswer<T>> {
    let reason: 'servfail' | 'timeout' | 'other' = this.#servers.length > 0 ? 'timeout' : 'other'
    for (let attempt = 0; attempt < this.#tries; attempt++) {
      for (const server of this.#servers) {
        const message = await queryServer({ server, name, type, timeoutMs: this.#timeoutMs, clock: this.#clock })
        const told = message && readAnswer(message, name, type, read)
        if (told) return told
        if (message) reason = message.rcode === SERVFAIL ? 'servfail' : 'other'
      }
      // Another try helps after a timeout only; a server that refused would refuse again.
      if (reason !== 'timeout') break
    }
    return { answer: { status: 'failed', reason }, ttlMs: 0 }
  }
}

const NOERROR = 0
const SERVFAIL = 2
const NXDOMAIN = 3

/** null: the server does not know. */
function readAnswer<T>(message: DnsMessage, name: string, type: DnsType, read: RecordReader<T>): TimedAnswer<T> | null {
  if (message.rcode !== NOERROR && message.rcode !== NXDOMAIN) return null
  const { records, ttl } = recordsOf(message, name, type)
  try {
    const values = records.map((record) => read(message.bytes, record)).filter((value) => value !== null)
    if (values.length > 0)
      return {
        answer: { status: 'found', records: values, ...(message.isAuthentic && { isAuthentic: true }) },
        ttlMs: isSmall(message) ? Math.min(ttl * 1_000, DNS_CACHE_MAX_MS) : 0,
      }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
  // RFC 2308 5: a negative answer without an SOA is not cached.
  const ttlMs = Math.min((message.negativeTtl ?? 0) * 1_000, DNS_NEGATIVE_MAX_MS)
  return { answer: { status: message.rcode === NXDOMAIN ? 'nxdomain' : 'nodata' }, ttlMs }
}

/** Large answers are not cached: a domain must not fill the memory. */
function isSmall({ bytes }: DnsMessage): boolean {
  return bytes.length <= DNS_CACHE_ENTRY_MAX_BYTES
}

function parseServer(text: string): DnsServer {
  if (isIP(text)) return { host: text, port: 53 }
  const at = text.lastIndexOf(':')
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) }
}

/** The name in A-labels. ASCII names stay as they are, such as `_dmarc`. null: it is no domain name. */
function toAscii(name: string): string | null {
  const plain = name.replace(/\.$/, '')
  const ascii = /^[\u0000-\u007f]*$/.test(plain) ? plain : domainToASCII(plain)
  const labels = ascii.split('.')
  const fits = ascii.length <= 253 && labels.every((label) => label.length > 0 && label.length <= 63)
  return fits && !/[\s\u0000-\u0020\u007f]/.test(ascii) ? ascii : null
}
