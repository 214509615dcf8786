/**
 * Questions to the DNS, whose failures are values: what is not there, and what is not known now, mean different things to mail.
 * Answers are remembered for as long as they say themselves; a question that is under way is not put a second time.
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
import { type DnsServer, exchange } from './exchange.ts'
import { addressText, exchangeOf, nameOf, recordsOf, textOf, tlsaOf } from './records.ts'
import { reverseName } from './reverse-name.ts'
import type { DnsMessage, DnsRecord, DnsType } from './wire.ts'

/**
 * `nxdomain`: there is no such name. `nodata`: the name has no records of this type. `failed`: not known now (SERVFAIL, no answer,
 * refused): to be asked again, never to be taken as absence.
 */
export type DnsAnswer<T> =
  /** `isAuthentic`: the resolver says that DNSSEC vouches for it (RFC 4035 3.2.3). */
  | { readonly status: 'found'; readonly records: readonly T[]; readonly isAuthentic?: true }
  | { readonly status: 'nxdomain' | 'nodata' }
  | { readonly status: 'failed'; readonly reason: 'servfail' | 'timeout' | 'other' }

export interface MxRecord {
  readonly preference: number
  /** Without the final dot; '' for the root, which a null MX names (RFC 7505). */
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
  /** Each record's strings joined, as RFC 7208 3.3 and RFC 6376 3.6.2.2 have it. */
  txt(name: string): Promise<DnsAnswer<string>>
  /** RFC 6698 */
  tlsa(name: string): Promise<DnsAnswer<TlsaData>>
  /** Host names of an address, or of the name that stands for one (`1.2.0.192.in-addr.arpa`). */
  ptr(address: string): Promise<DnsAnswer<string>>
}

export interface DnsResolverOptions {
  /** `address:port` or `[address]:port` of a recursive server; null: those of the system. */
  readonly server: string | null
  readonly timeoutMs?: number
  readonly tries?: number
  readonly clock?: Clock
}

interface Remembered {
  readonly answer: DnsAnswer<unknown>
  /** Epoch ms. */
  readonly until: number
}

/** One answer, and the milliseconds for which it holds. */
interface Told<T> {
  readonly answer: DnsAnswer<T>
  readonly ttlMs: number
}

type Reading<T> = (bytes: Buffer, record: DnsRecord) => T | null

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
  readonly #kept = new Map<string, Remembered>()
  readonly #asking = new Map<string, Promise<DnsAnswer<unknown>>>()

  constructor({ server, timeoutMs = DNS_TIMEOUT_MS, tries = DNS_TRIES, clock = systemClock }: DnsResolverOptions) {
    this.#servers = (server ? [server] : getServers()).map(parseServer)
    this.#timeoutMs = timeoutMs
    this.#tries = tries
    this.#clock = clock
  }

  ask<T>(name: string, type: DnsType, read: Reading<T>): Promise<DnsAnswer<T>> {
    const ascii = toAscii(name)
    // What is no name has no records, and asks nobody.
    if (ascii === null) return Promise.resolve({ status: 'nxdomain' })
    const key = `${type} ${ascii.toLowerCase()}`
    const kept = this.#kept.get(key)
    if (kept && kept.until > this.#clock.now()) return Promise.resolve(kept.answer as DnsAnswer<T>)
    const asking = this.#asking.get(key) ?? this.#askNow(key, ascii, type, read)
    return asking as Promise<DnsAnswer<T>>
  }

  #askNow<T>(key: string, ascii: string, type: DnsType, read: Reading<T>): Promise<DnsAnswer<T>> {
    // What throws is the machine, which has no socket to give: to be asked again as well.
    const unknown: Told<T> = { answer: { status: 'failed', reason: 'other' }, ttlMs: 0 }
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
    this.#kept.delete(key)
    if (ttlMs <= 0) return
    this.#kept.set(key, { answer, until: this.#clock.now() + ttlMs })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= DNS_CACHE_MAX) break
      this.#kept.delete(oldest)
    }
  }

  async #question<T>(name: string, type: DnsType, read: Reading<T>): Promise<Told<T>> {
    let reason: 'servfail' | 'timeout' | 'other' = this.#servers.length > 0 ? 'timeout' : 'other'
    for (let attempt = 0; attempt < this.#tries; attempt++) {
      for (const server of this.#servers) {
        const message = await exchange({ server, name, type, timeoutMs: this.#timeoutMs, clock: this.#clock })
        const told = message && readAnswer(message, name, type, read)
        if (told) return told
        if (message) reason = message.rcode === SERVFAIL ? 'servfail' : 'other'
      }
      // Another try helps when nothing was heard; one that says no would say so again.
      if (reason !== 'timeout') break
    }
    return { answer: { status: 'failed', reason }, ttlMs: 0 }
  }
}

const NOERROR = 0
const SERVFAIL = 2
const NXDOMAIN = 3

/** null: it says that it does not know. */
function readAnswer<T>(message: DnsMessage, name: string, type: DnsType, read: Reading<T>): Told<T> | null {
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
  // RFC 2308 5: an absence without an SOA is not remembered.
  const ttlMs = Math.min((message.negativeTtl ?? 0) * 1_000, DNS_NEGATIVE_MAX_MS)
  return { answer: { status: message.rcode === NXDOMAIN ? 'nxdomain' : 'nodata' }, ttlMs }
}

/** Whoever writes large records must not fill our memory with them. */
function isSmall({ bytes }: DnsMessage): boolean {
  return bytes.length <= DNS_CACHE_ENTRY_MAX_BYTES
}

function parseServer(text: string): DnsServer {
  if (isIP(text)) return { host: text, port: 53 }
  const at = text.lastIndexOf(':')
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) }
}

/** A-labels; service names such as `_dmarc` stay, which domainToASCII would take too. null for what cannot be asked. */
function toAscii(name: string): string | null {
  const plain = name.replace(/\.$/, '')
  const ascii = /^[\u0000-\u007f]*$/.test(plain) ? plain : domainToASCII(plain)
  const labels = ascii.split('.')
  const fits = ascii.length <= 253 && labels.every((label) => label.length > 0 && label.length <= 63)
  return fits && !/[\s\u0000-\u0020\u007f]/.test(ascii) ? ascii : null
}
