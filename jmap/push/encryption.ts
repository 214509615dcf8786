/** RFC 8291: encrypted messages for Web Push. Only the client that made the keys can read them. The content coding is RFC 8188. Pure. */
import { createCipheriv, createECDH, ECDH, hkdfSync, randomBytes } from 'node:crypto'

const CURVE = 'prime256v1'
const PUBLIC_BYTES = 65
const AUTH_BYTES = 16
/** RFC 8291 4: one record; RFC 8030 7.2 lets services refuse more than 4096 octets. */
const RECORD_BYTES = 4_096
const HEADER_BYTES = 16 + 4 + 1 + PUBLIC_BYTES
const TAG_BYTES = 16
/** Octets of a message that fit into one record with header, delimiter and tag. */
export const PUSH_MESSAGE_MAX_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1

export interface PushKeys {
  /** A point of P-256, uncompressed, URL-safe base64. */
  readonly p256dh: string
  /** 16 octets, URL-safe base64. */
  readonly auth: string
}

/** Describes what is wrong with keys; null if they can be used. */
export function pushKeysFault({ p256dh, auth }: PushKeys): string | null {
  const point = decode(p256dh)
  if (point?.length !== PUBLIC_BYTES || point[0] !== 4) return 'p256dh is no uncompressed point of P-256 in base64url'
  try {
    ECDH.convertKey(point, CURVE)
  } catch {
    return 'p256dh is no point of P-256'
  }
  return decode(auth)?.length === AUTH_BYTES ? null : 'auth is not 16 octets in base64url'
}

/** The message as one aes128gcm record with its header (RFC 8188 2.1). @throws RangeError if the message does not fit */
export function encryptPush(message: Uint8Array, keys: PushKeys): Buffer {
  if (message.length > PUSH_MESSAGE_MAX_BYTES)
    throw new RangeError(`a push message has at most ${PUSH_MESSAGE_MAX_BYTES} octets`)
  const theirs = decode(keys.p256dh)!
  const auth = decode(keys.auth)!
  // RFC 8291 3.1: each message has its own key pair.
  const own = createECDH(CURVE)
  const ours = own.generateKeys()
  const shared = own.computeSecret(theirs)
  // RFC 8291 3.4
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours])
  const secret = Buffer.from(hkdfSync('sha256', shared, auth, keyInfo, 32))
  const salt = randomBytes(16)
  // RFC 8188 2.2, 2.3
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16))
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12))
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_BYTES)
  // RFC 8188 2: the octet 2 ends the last record.
  const sealed = [cipher.update(message), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([salt, size, Buffer.of(PUBLIC_BYTES), ours, ...sealed])
}

/** RFC 4648 5, with or without padding; null for anything else. */
function decode(text: string): Buffer | null {
  return /^[A-Za-z0-9_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null
}
