/** Data of DNS records in the form of zone files: TXT unquoted and joined, names in lower case without the final dot. Pure. */
import { addressText, textOf } from './records.ts'
import { type DnsRecord, readName, TYPES } from './wire.ts'

export interface PresentedRecord {
  readonly value: string
  /** Of MX and SRV. */
  readonly priority?: number
}

/** null: the type is not supported. @throws RangeError for malformed data */
export function presentRecord(bytes: Buffer, record: DnsRecord): PresentedRecord | null {
  const { start, end, type } = record
  switch (type) {
    case TYPES.A:
    case TYPES.AAAA: {
      const value = addressText(bytes, record)
      return value === null ? null : { value }
    }
    case TYPES.NS:
    case TYPES.CNAME:
      return { value: readName(bytes, start).name }
    case TYPES.MX:
      return { priority: bytes.readUInt16BE(start), value: readName(bytes, start + 2).name }
    case TYPES.SRV: {
      const [weight, port] = [bytes.readUInt16BE(start + 2), bytes.readUInt16BE(start + 4)]
      return { priority: bytes.readUInt16BE(start), value: `${weight} ${port} ${readName(bytes, start + 6).name}` }
    }
    case TYPES.TXT:
      return { value: textOf(bytes, record) }
    case TYPES.TLSA:
      return { value: `${[...bytes.subarray(start, start + 3)].join(' ')} ${bytes.toString('hex', start + 3, end)}` }
    case TYPES.DS:
      return { value: bytes.toString('hex', start, end) }
    case TYPES.CAA: {
      // RFC 8659 4.1
      const tagEnd = Math.min(start + 2 + bytes.readUInt8(start + 1), end)
      const tag = bytes.toString('latin1', start + 2, tagEnd).toLowerCase()
      return { value: `${bytes.readUInt8(start)} ${tag} "${bytes.toString('latin1', tagEnd, end)}"` }
    }
    default:
      return null
  }
}
