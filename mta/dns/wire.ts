/** DNS messages (RFC 1035 4): a question to octets, an answer to its records, whose data readers take from the octets. Pure. */

export const TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DS: 43,
  TLSA: 52,
  CAA: 257,
} as const
export type DnsType = keyof typeof TYPES

const OPT = 41
const CLASS_IN = 1

export interface DnsRecord {
  /** In lower case, without a dot at the end. */
  readonly name: string
  readonly type: number
  /** Seconds. */
  readonly ttl: number
  /** Position of its data in the message; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

export interface DnsMessage {
  readonly bytes: Buffer
  readonly id: number
  readonly isAnswer: boolean
  readonly rcode: number
  readonly isTruncated: boolean
  /** AA: who answered is an authority for the name. */
  readonly isAuthoritative: boolean
  /** AD (RFC 4035 3.2.3): the resolver that answered has validated it. */
  readonly isAuthentic: boolean
  readonly question: { readonly name: string; readonly type: number } | null
  readonly answers: readonly DnsRecord[]
  readonly authority: readonly DnsRecord[]
  /** Seconds for which an absence holds (RFC 2308 5); null: it names no SOA. */
  readonly negativeTtl: number | null
}

/** @param isRecursive RD: a resolver searches; without it an authority answers from its own data */
export function encodeQuestion(id: number, name: string, type: DnsType, udpBytes: number, isRecursive = true): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(id, 0)
  // RFC 6840 5.7: AD in a query asks whether the answer was validated.
  header.writeUInt16BE(isRecursive ? 0x0120 : 0, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(1, 10)
  const question = Buffer.alloc(4)
  question.writeUInt16BE(TYPES[type], 0)
  question.writeUInt16BE(CLASS_IN, 2)
  // RFC 6891 6.1.2
  const opt = Buffer.alloc(11)
  opt.writeUInt16BE(OPT, 1)
  opt.writeUInt16BE(udpBytes, 3)
  return Buffer.concat([header, encodeName(name), question, opt])
}

/** RFC 1035 3.1. @throws RangeError for an invalid name */
export function encodeName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.').map((label) => Buffer.from(label, 'latin1'))
  if (labels.some(({ length }) => length === 0 || length > 63)) throw new RangeError('not a domain name')
  const encoded = Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.alloc(1)])
  if (encoded.length > 255) throw new RangeError('not a domain name')
  return encoded
}

/** @throws RangeError for octets that are not a DNS message */
export function decodeMessage(bytes: Buffer): DnsMessage {
  const flags = bytes.readUInt16BE(2)
  let at = 12
  let question: DnsMessage['question'] = null
  for (let i = bytes.readUInt16BE(4); i > 0; i--) {
    const { name, end } = readName(bytes, at)
    question ??= { name, type: bytes.readUInt16BE(end) }
    at = end + 4
  }
  const section = (count: number): DnsRecord[] => {
    const records: DnsRecord[] = []
    for (let i = 0; i < count; i++) {
      const { record, isInternet } = decodeRecord(bytes, at)
      if (isInternet) records.push(record)
      at = record.end
    }
    return records
  }
  const answers = section(bytes.readUInt16BE(6))
  const authority = section(bytes.readUInt16BE(8))
  const soa = authority.find(({ type, start, end }) => type === TYPES.SOA && end - start >= 4)
  return {
    bytes,
    id: bytes.readUInt16BE(0),
    isAnswer: (flags & 0x8000) !== 0,
    rcode: flags & 0x0f,
    isTruncated: (flags & 0x0200) !== 0,
    isAuthoritative: (flags & 0x0400) !== 0,
    isAuthentic: (flags & 0x0020) !== 0,
    question,
    answers,
    authority,
    // RFC 2308 5: the lesser of its own TTL and its last field.
    negativeTtl: soa ? Math.min(soa.ttl, bytes.readUInt32BE(soa.end - 4)) : null,
  }
}

function decodeRecord(bytes: Buffer, from: number): { record: DnsRecord; isInternet: boolean } {
  const { name, end: at } = readName(bytes, from)
  const start = at + 10
  const end = start + bytes.readUInt16BE(at + 8)
  if (end > bytes.length) throw new RangeError('a record is cut off')
  const record = { name, type: bytes.readUInt16BE(at), ttl: bytes.readUInt32BE(at + 4), start, end }
  return { record, isInternet: bytes.readUInt16BE(at + 2) === CLASS_IN }
}

/** RFC 1035 4.1.4: pointers lead backwards only, so that they end. In lower case. @throws RangeError */
export function readName(bytes: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  let end = -1
  let bound = start
  let length = 0
  for (;;) {
    const size = bytes.readUInt8(at)
    if ((size & 0xc0) === 0xc0) {
      if (end < 0) end = at + 2
      at = bytes.readUInt16BE(at) & 0x3fff
      if (at >= bound) throw new RangeError('a name points forward')
      bound = at
      continue
    }
    if (size > 63) throw new RangeError('a label of an unknown kind')
    if (size === 0) return { name: labels.join('.').toLowerCase(), end: end < 0 ? at + 1 : end }
    if (at + 1 + size > bytes.length) throw new RangeError('a name is cut off')
    length += size + 1
    if (length > 255) throw new RangeError('a name is too long')
    labels.push(bytes.toString('latin1', at + 1, at + 1 + size))
    at += size + 1
  }
}
