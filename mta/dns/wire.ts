/** DNS messages (RFC 1035 4): a question to octets, an answer to records. Pure; what is malformed throws, and costs nothing more. */

export const DNS_CODES = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28, SRV: 33, DS: 43, TLSA: 52, CAA: 257 } as const
export type WireType = keyof typeof DNS_CODES

const TYPES = new Map<number, WireType>(Object.entries(DNS_CODES).map(([name, code]) => [code, name as WireType]))
const OPT = 41
const CLASS_IN = 1

/** As in jmap/ports.ts: presentation form, TXT unquoted and in one piece; the priority of MX and SRV apart. */
export interface WireRecord {
  /** In lower case, without a dot at the end. */
  readonly name: string
  readonly type: WireType
  readonly ttl: number
  readonly value: string
  readonly priority?: number
}

export interface WireMessage {
  readonly id: number
  readonly isAnswer: boolean
  readonly rcode: number
  readonly authoritative: boolean
  readonly truncated: boolean
  /** RFC 4035 3.2.3 AD: the resolver that answered has validated it. */
  readonly authentic: boolean
  readonly question: { readonly name: string; readonly type: number } | null
  /** Records of types that are not known here are left out. */
  readonly answers: readonly WireRecord[]
  readonly authority: readonly WireRecord[]
}

export interface QuestionOptions {
  readonly id: number
  readonly name: string
  readonly type: WireType
  /** RFC 1035 4.1.1 RD: for resolvers; authoritative servers are asked without. */
  readonly recursive: boolean
  /** Octets that an answer over UDP may have (RFC 6891 6.2.3). */
  readonly udpBytes: number
}

export function encodeQuestion({ id, name, type, recursive, udpBytes }: QuestionOptions): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(id, 0)
  // RFC 6840 5.7: AD in a question asks to be told whether the answer was validated.
  header.writeUInt16BE(recursive ? 0x0120 : 0, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(1, 10)
  const question = Buffer.alloc(4)
  question.writeUInt16BE(DNS_CODES[type], 0)
  question.writeUInt16BE(CLASS_IN, 2)
  const opt = Buffer.alloc(11)
  opt.writeUInt16BE(OPT, 1)
  opt.writeUInt16BE(udpBytes, 3)
  return Buffer.concat([header, encodeName(name), question, opt])
}

/** RFC 1035 3.1. @throws RangeError for what is no name */
export function encodeName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.').map((label) => Buffer.from(label, 'latin1'))
  if (labels.some(({ length }) => length === 0 || length > 63)) throw new RangeError('not a domain name')
  const encoded = Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), label]),
    Buffer.alloc(1),
  ])
  if (encoded.length > 255) throw new RangeError('not a domain name')
  return encoded
}

/** @throws RangeError for what is no DNS message */
export function decodeMessage(bytes: Buffer): WireMessage {
  const flags = bytes.readUInt16BE(2)
  const [questions, answers, authorities] = [bytes.readUInt16BE(4), bytes.readUInt16BE(6), bytes.readUInt16BE(8)]
  let at = 12
  let question: WireMessage['question'] = null
  for (let i = 0; i < questions; i++) {
    const { name, end } = decodeName(bytes, at)
    question ??= { name, type: bytes.readUInt16BE(end) }
    at = end + 4
  }
  const section = (count: number): WireRecord[] => {
    const records: WireRecord[] = []
    for (let i = 0; i < count; i++) {
      const { record, end } = decodeRecord(bytes, at)
      if (record) records.push(record)
      at = end
    }
    return records
  }
  return {
    id: bytes.readUInt16BE(0),
    isAnswer: (flags & 0x8000) !== 0,
    rcode: flags & 0x0f,
    authoritative: (flags & 0x0400) !== 0,
    truncated: (flags & 0x0200) !== 0,
    authentic: (flags & 0x0020) !== 0,
    question,
    answers: section(answers),
    authority: section(authorities),
  }
}

function decodeRecord(bytes: Buffer, start: number): { record: WireRecord | null; end: number } {
  const { name, end: at } = decodeName(bytes, start)
  const type = TYPES.get(bytes.readUInt16BE(at))
  const isInternet = bytes.readUInt16BE(at + 2) === CLASS_IN
  const ttl = bytes.readUInt32BE(at + 4)
  const from = at + 10
  const end = from + bytes.readUInt16BE(at + 8)
  if (end > bytes.length) throw new RangeError('a record is cut off')
  if (!type || !isInternet) return { record: null, end }
  return { record: { name, type, ttl, ...decodeData(bytes, type, from, end) }, end }
}

function decodeData(bytes: Buffer, type: WireType, at: number, end: number): Pick<WireRecord, 'value' | 'priority'> {
  switch (type) {
    case 'A':
      return { value: [...bytes.subarray(at, at + 4)].join('.') }
    case 'AAAA':
      return { value: ipv6(bytes.subarray(at, end)) }
    case 'NS':
    case 'CNAME':
      return { value: decodeName(bytes, at).name }
    case 'MX':
      return { priority: bytes.readUInt16BE(at), value: decodeName(bytes, at + 2).name }
    case 'SRV': {
      const [priority, weight, port] = [bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2), bytes.readUInt16BE(at + 4)]
      return { priority, value: `${weight} ${port} ${decodeName(bytes, at + 6).name || '.'}` }
    }
    case 'TXT':
      return { value: strings(bytes, at, end) }
    case 'TLSA':
      return { value: `${bytes[at]} ${bytes[at + 1]} ${bytes[at + 2]} ${bytes.toString('hex', at + 3, end)}` }
    case 'DS':
      return { value: `${bytes.readUInt16BE(at)} ${bytes[at + 2]} ${bytes[at + 3]} ${bytes.toString('hex', at + 4, end)}` }
    case 'CAA': {
      // RFC 8659 4.1
      const tagEnd = at + 2 + bytes.readUInt8(at + 1)
      const tag = bytes.toString('latin1', at + 2, Math.min(tagEnd, end))
      return { value: `${bytes.readUInt8(at)} ${tag} "${bytes.toString('latin1', Math.min(tagEnd, end), end)}"` }
    }
  }
}

/** RFC 1035 3.3.14: character strings, joined; octets beyond ASCII as UTF-8 where they are that. */
function strings(bytes: Buffer, start: number, end: number): string {
  const parts: Buffer[] = []
  for (let at = start; at < end; ) {
    const next = at + 1 + bytes.readUInt8(at)
    if (next > end) throw new RangeError('a string is cut off')
    parts.push(bytes.subarray(at + 1, next))
    at = next
  }
  return Buffer.concat(parts).toString('utf8')
}

function ipv6(octets: Buffer): string {
  if (octets.length !== 16) throw new RangeError('not an IPv6 address')
  const groups = Array.from({ length: 8 }, (_, i) => octets.readUInt16BE(i * 2).toString(16))
  return groups.join(':')
}

/** RFC 1035 4.1.4: pointers lead backwards only, so that they end. */
function decodeName(bytes: Buffer, start: number): { name: string; end: number } {
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
