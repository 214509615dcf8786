/** Records from the form of zone files to octets (RFC 1035 3.3): TXT unquoted and in one piece, names without a dot at the end. Pure. */
import { isIPv4 } from 'node:net'
import { encodeName, TYPES } from './wire.ts'

export interface PlainRecord {
  readonly name: string
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'SRV' | 'TLSA' | 'CAA'
  readonly value: string
  /** Of MX and SRV. */
  readonly priority?: number
  /** Seconds. */
  readonly ttl: number
  /** Its octets as they were read, where several forms mean the same; absent: they follow from the value. */
  readonly data?: Buffer
}

export const CLASS_IN = 1
export const CLASS_NONE = 254
export const CLASS_ANY = 255

/** A whole record. @throws RangeError for a value that its type cannot hold */
export function encodeRecord(record: PlainRecord, rrClass: number, ttl = record.ttl): Buffer {
  return encodeRaw(record.name, TYPES[record.type], rrClass, ttl, record.data ?? encodeData(record))
}

export function encodeRaw(name: string, type: number, rrClass: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(rrClass, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}

function encodeData({ type, value, priority = 0 }: PlainRecord): Buffer {
  switch (type) {
    case 'A':
      if (!isIPv4(value)) throw new RangeError('not an IPv4 address')
      return Buffer.from(value.split('.').map(Number))
    case 'AAAA':
      return encodeIpv6(value)
    case 'CNAME':
      return encodeName(value)
    case 'MX':
      return Buffer.concat([numbers(priority), encodeName(value)])
    case 'TXT':
      return encodeText(value)
    case 'SRV': {
      const [weight = '', port = '', target = ''] = value.split(' ')
      return Buffer.concat([numbers(priority, Number(weight), Number(port)), encodeName(target)])
    }
    case 'TLSA': {
      const [usage, selector, matching, data = ''] = value.split(' ')
      return Buffer.concat([Buffer.from([Number(usage), Number(selector), Number(matching)]), Buffer.from(data, 'hex')])
    }
    case 'CAA': {
      // RFC 8659 4.1
      const match = /^(\d+) ([a-z0-9]+) "(.*)"$/is.exec(value)
      if (!match) throw new RangeError('not a CAA record')
      const tag = Buffer.from(match[2]!, 'latin1')
      return Buffer.concat([Buffer.from([Number(match[1]), tag.length]), tag, Buffer.from(match[3]!, 'latin1')])
    }
  }
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, i * 2)
  return bytes
}

/** RFC 1035 3.3.14: strings of at most 255 octets. */
function encodeText(value: string): Buffer {
  const text = Buffer.from(value, 'utf8')
  const pieces: Buffer[] = []
  for (let at = 0; at === 0 || at < text.length; at += 255) {
    const piece = text.subarray(at, at + 255)
    pieces.push(Buffer.from([piece.length]), piece)
  }
  return Buffer.concat(pieces)
}

function encodeIpv6(value: string): Buffer {
  const url = URL.parse(`http://[${value}]/`)
  if (!url) throw new RangeError('not an IPv6 address')
  const [head = '', tail] = url.hostname.slice(1, -1).split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [groups(head), tail === undefined ? [] : groups(tail)]
  return numbers(...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after)
}
