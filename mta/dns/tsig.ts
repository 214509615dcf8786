/** Transaction signatures of DNS messages (RFC 8945): a request is signed, and the answer is taken only with a valid signature. Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { CLASS_ANY, encodeRaw } from './rdata.ts'
import { encodeName, readName } from './wire.ts'

export interface TsigKey {
  /** In lower case, without a dot at the end. */
  readonly name: string
  readonly algorithm: 'hmac-sha256' | 'hmac-sha384' | 'hmac-sha512'
  readonly secret: Buffer
}

export interface SignedMessage {
  readonly bytes: Buffer
  readonly mac: Buffer
}

const TSIG = 250

interface Times {
  /** Seconds since 1970. */
  readonly signedAt: number
  readonly fudge: number
}

/** Appends the signature to a message. @param before MAC of the request that the message answers */
export function signMessage(message: Buffer, key: TsigKey, times: Times, before: Buffer | null = null): SignedMessage {
  const mac = macOf(message, key, { ...times, error: 0, other: Buffer.alloc(0) }, before)
  const data = Buffer.concat([
    encodeName(key.algorithm),
    timeOf(times),
    short(mac.length),
    mac,
    message.subarray(0, 2),
    short(0),
    short(0),
  ])
  const signed = Buffer.concat([message, encodeRaw(key.name, TSIG, CLASS_ANY, 0, data)])
  signed.writeUInt16BE(message.readUInt16BE(10) + 1, 10)
  return { bytes: signed, mac }
}

export type TsigVerdict =
  | { readonly kind: 'valid'; readonly mac: Buffer }
  /** `error` of RFC 8945 5.2; null: there is no signature, or it is malformed. */
  | { readonly kind: 'invalid'; readonly error: number | null }

/**
 * RFC 8945 5.2 and 5.3.
 * @param before MAC of the request; null: the message is a request
 * @param now seconds since 1970
 */
export function verifyMessage(bytes: Buffer, key: TsigKey, now: number, before: Buffer | null): TsigVerdict {
  try {
    const found = findSignature(bytes)
    if (!found) return { kind: 'invalid', error: null }
    if (found.error !== 0) return { kind: 'invalid', error: found.error }
    if (found.name !== key.name || found.algorithm !== key.algorithm) return { kind: 'invalid', error: BADKEY }
    const message = Buffer.from(bytes.subarray(0, found.start))
    message.writeUInt16BE(bytes.readUInt16BE(10) - 1, 10)
    message.writeUInt16BE(found.originalId, 0)
    const mac = macOf(message, key, found, before)
    if (mac.length !== found.mac.length || !timingSafeEqual(mac, found.mac)) return { kind: 'invalid', error: BADSIG }
    return Math.abs(now - found.signedAt) > found.fudge ? { kind: 'invalid', error: BADTIME } : { kind: 'valid', mac }
  } catch {
    return { kind: 'invalid', error: null }
  }
}

export const BADSIG = 16
export const BADKEY = 17
export const BADTIME = 18

interface Found extends Times {
  readonly name: string
  readonly algorithm: string
  readonly mac: Buffer
  readonly originalId: number
  readonly error: number
  readonly other: Buffer
  /** Where the record begins. */
  readonly start: number
}

/** RFC 8945 5.1: the last record of the additional section. @throws RangeError */
function findSignature(bytes: Buffer): Found | null {
  let at = 12
  for (let i = bytes.readUInt16BE(4); i > 0; i--) at = readName(bytes, at).end + 4
  const count = bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10)
  let start = -1
  let data = -1
  for (let i = 0; i < count; i++) {
    start = at
    data = readName(bytes, at).end + 10
    at = data + bytes.readUInt16BE(data - 2)
  }
  if (start < 0 || bytes.readUInt16BE(10) === 0 || at !== bytes.length || bytes.readUInt16BE(data - 10) !== TSIG)
    return null
  const { name } = readName(bytes, start)
  const { name: algorithm, end } = readName(bytes, data)
  const macEnd = end + 10 + bytes.readUInt16BE(end + 8)
  const otherStart = macEnd + 6
  const other = bytes.subarray(otherStart, otherStart + bytes.readUInt16BE(macEnd + 4))
  return {
    name,
    algorithm,
    signedAt: bytes.readUIntBE(end, 6),
    fudge: bytes.readUInt16BE(end + 6),
    mac: bytes.subarray(end + 10, macEnd),
    originalId: bytes.readUInt16BE(macEnd),
    error: bytes.readUInt16BE(macEnd + 2),
    other,
    start,
  }
}

/** RFC 8945 4.3: the request's MAC, the message, and the variables of the signature. */
function macOf(
  message: Buffer,
  { name, algorithm, secret }: TsigKey,
  { error, other, ...times }: Times & Pick<Found, 'error' | 'other'>,
  before: Buffer | null,
): Buffer {
  const hash = createHmac(algorithm.slice('hmac-'.length), secret)
  if (before) hash.update(Buffer.concat([short(before.length), before]))
  hash.update(message)
  hash.update(Buffer.concat([encodeName(name), short(CLASS_ANY), Buffer.alloc(4), encodeName(algorithm)]))
  hash.update(Buffer.concat([timeOf(times), short(error), short(other.length), other]))
  return hash.digest()
}

function timeOf({ signedAt, fudge }: Times): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUIntBE(signedAt, 0, 6)
  bytes.writeUInt16BE(fudge, 6)
  return bytes
}

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
