/** Questions to the DNS, whose failures are values: what is not there, and what is not known now, mean different things to mail. */
import { Resolver } from 'node:dns/promises'
import { domainToASCII } from 'node:url'
import { DNS_TIMEOUT_MS, DNS_TRIES } from '../../server/base/outbound-limits.ts'

/**
 * `nxdomain`: there is no such name. `nodata`: the name has no records of this type. `failed`: not known now (SERVFAIL, no answer,
 * refused): to be asked again, never to be taken as absence.
 */
export type DnsAnswer<T> =
  | { readonly status: 'found'; readonly records: readonly T[] }
  | { readonly status: 'nxdomain' | 'nodata' }
  | { readonly status: 'failed'; readonly reason: 'servfail' | 'timeout' | 'other' }

export interface MxRecord {
  readonly preference: number
  /** Without the final dot; '' for the root, which a null MX names (RFC 7505). */
  readonly exchange: string
}

export interface DnsResolver {
  mx(name: string): Promise<DnsAnswer<MxRecord>>
  a(name: string): Promise<DnsAnswer<string>>
  aaaa(name: string): Promise<DnsAnswer<string>>
  /** Each record's strings joined, as RFC 7208 3.3 and RFC 6376 3.6.2.2 have it. */
  txt(name: string): Promise<DnsAnswer<string>>
  /** Host names of an address. */
  ptr(address: string): Promise<DnsAnswer<string>>
}

export interface DnsResolverOptions {
  /** `address:port` or `[address]:port` of a recursive server; null: those of the system. */
  readonly server: string | null
  readonly timeoutMs?: number
  readonly tries?: number
}

export function createDnsResolver(options: DnsResolverOptions): DnsResolver {
  const { server, timeoutMs = DNS_TIMEOUT_MS, tries = DNS_TRIES } = options
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (server) resolver.setServers([server])
  return {
    mx: (name) =>
      ask(name, async (ascii) =>
        (await resolver.resolveMx(ascii)).map(({ priority, exchange }) => ({ preference: priority, exchange })),
      ),
    a: (name) => ask(name, (ascii) => resolver.resolve4(ascii)),
    aaaa: (name) => ask(name, (ascii) => resolver.resolve6(ascii)),
    txt: (name) => ask(name, async (ascii) => (await resolver.resolveTxt(ascii)).map((strings) => strings.join(''))),
    ptr: (address) => settle(() => resolver.reverse(address)),
  }
}

function ask<T>(name: string, question: (ascii: string) => Promise<T[]>): Promise<DnsAnswer<T>> {
  const ascii = toAscii(name)
  // What is no name has no records, and asks nobody.
  return ascii === null ? Promise.resolve({ status: 'nxdomain' }) : settle(() => question(ascii))
}

async function settle<T>(question: () => Promise<T[]>): Promise<DnsAnswer<T>> {
  try {
    const records = await question()
    return records.length > 0 ? { status: 'found', records } : { status: 'nodata' }
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'ENOTFOUND':
      case 'EBADNAME':
      case 'EINVAL':
        return { status: 'nxdomain' }
      case 'ENODATA':
        return { status: 'nodata' }
      case 'ESERVFAIL':
        return { status: 'failed', reason: 'servfail' }
      case 'ETIMEOUT':
        return { status: 'failed', reason: 'timeout' }
      default:
        return { status: 'failed', reason: 'other' }
    }
  }
}

/** A-labels; service names such as `_dmarc` stay, which domainToASCII would take too. null for what cannot be asked. */
function toAscii(name: string): string | null {
  const plain = name.replace(/\.$/, '')
  const ascii = /^[\u0000-\u007f]*$/.test(plain) ? plain : domainToASCII(plain)
  const labels = ascii.split('.')
  const fits = ascii.length <= 253 && labels.every((label) => label.length > 0 && label.length <= 63)
  return fits && !/[\s\u0000-\u0020\u007f]/.test(ascii) ? ascii : null
}
