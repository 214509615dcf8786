/** The records in a DNS answer, at the end of their aliases, with their TTL. Pure. */
import { type DnsMessage, type DnsRecord, type DnsType, readName, TYPES } from './wire.ts'

const ALIASES_MAX = 16

export interface FoundRecords {
  readonly records: readonly DnsRecord[]
  /** Seconds: the least of the records and the aliases before them. */
  readonly ttl: number
}

/** The records of a type. CNAMEs are followed from the name that was asked (RFC 1034 3.6.2). */
export function recordsOf(message: DnsMessage, name: string, type: DnsType): FoundRecords {
  let owner = name.toLowerCase()
  let ttl = Number.MAX_SAFE_INTEGER
  for (let i = 0; i < ALIASES_MAX; i++) {
    const own = message.answers.filter((record) => record.name === owner)
    const records = own.filter((record) => record.type === TYPES[type])
    if (records.length > 0) return { records, ttl: Math.min(ttl, ...records.map((record) => record.ttl)) }
    const alias = own.find((record) => record.type === TYPES.CNAME)
    if (!alias) break
    ttl = Math.min(ttl, alias.ttl)
    owner = readName(message.bytes, alias.start).name
  }
  return { records: [], ttl }
}

export function addressText(bytes: Buffer, { start, end }: DnsRecord): string | null {
  const data = bytes.subarray(start, end)
  if (data.length === 4) return data.join('.')
  if (data.length !== 16) return null
  const groups = Array.from({ length: 8 }, (_, i) => data.readUInt16BE(i * 2).toString(16))
  // RFC 5952 4.2: `::` replaces the longest run of zeros, the first of equal ones, and never a single zero.
  const runs = groups.join(':').match(/(?:(?<![0-9a-f])0(?::0)+(?![0-9a-f]))/g) ?? []
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '')
  if (longest === '') return groups.join(':')
  const text = groups.join(':')
  const at = new RegExp(`(?<![0-9a-f])${longest}(?![0-9a-f])`).exec(text)!.index
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`
}

/** RFC 1035 3.3.14: the strings of a TXT record, joined. */
export function textOf(bytes: Buffer, { start, end }: DnsRecord): string {
  const pieces: Buffer[] = []
  for (let at = start; at < end; at += 1 + bytes[at]!)
    pieces.push(bytes.subarray(at + 1, Math.min(end, at + 1 + bytes[at]!)))
  return Buffer.concat(pieces).toString('utf8')
}

/** RFC 1035 3.3.9 */
export function exchangeOf(bytes: Buffer, { start }: DnsRecord): { preference: number; exchange: string } {
  return { preference: bytes.readUInt16BE(start), exchange: readName(bytes, start + 2).name }
}

export function nameOf(bytes: Buffer, { start }: DnsRecord): string {
  return readName(bytes, start).name
}

/** RFC 6698 2.1; the data is copied, because the message is not stored. */
export function tlsaOf(bytes: Buffer, { start, end }: DnsRecord) {
  const [usage, selector, matching] = [bytes[start]!, bytes[start + 1]!, bytes[start + 2]!]
  return end - start > 3 ? { usage, selector, matching, data: Buffer.from(bytes.subarray(start + 3, end)) } : null
}
