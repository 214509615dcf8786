/** Dynamic updates of a zone (RFC 2136). Pure: from records to the octets of a message. */
import { CLASS_IN, CLASS_NONE, encodeRecord, type PlainRecord } from './rdata.ts'
import { encodeName, TYPES } from './wire.ts'

export interface ZoneUpdate {
  readonly add: readonly PlainRecord[]
  readonly remove: readonly PlainRecord[]
}

const UPDATE = 5

/**
 * One message, which the server carries out as a whole (RFC 2136 3.7). A record is removed by its value (2.5.4): one that was changed
 * meanwhile stays.
 */
export function encodeUpdate(id: number, zone: string, { add, remove }: ZoneUpdate): Buffer {
  const updates = [
    ...remove.map((record) => encodeRecord(record, CLASS_NONE, 0)),
    ...add.map((record) => encodeRecord(record, CLASS_IN)),
  ]
  const header = Buffer.alloc(12)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(UPDATE << 11, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(updates.length, 8)
  return Buffer.concat([header, encodeName(zone), pair(TYPES.SOA, CLASS_IN), ...updates])
}

/** A question without EDNS, for a connection that carries large answers. */
export function encodePlainQuestion(id: number, name: string, type: number): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(1, 4)
  return Buffer.concat([header, encodeName(name), pair(type, CLASS_IN)])
}

function pair(type: number, rrClass: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt16BE(type, 0)
  bytes.writeUInt16BE(rrClass, 2)
  return bytes
}
