/**
 * Return addresses (VERP): each recipient of a message gets a reverse-path of its own, so that the address of a bounce identifies the message
 * and the recipient. The token is authenticated (promise Q5): others can neither make one nor use it under another domain. Pure.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { base32Decode, base32Encode } from '../../server/base/base32.ts'
import { VERP_MAC_BYTES, VERP_VALID_DAYS } from '../../server/base/outbound-limits.ts'

/** The recipient that a return address identifies. */
export interface VerpToken {
  /** Number of the mailbox's account, and of the EmailSubmission in it. */
  readonly account: number
  readonly submission: number
  /** Position of the recipient in the envelope, from 0. */
  readonly position: number
}

const PREFIX = 'return-'
const DAY_MS = 86_400_000

/**
 * The return address of one recipient under a domain of the sender's organization.
 * @param key secret of the installation
 * @param now epoch ms
 */
export function verpAddress(token: VerpToken, domain: string, key: KeyObject, now: number): string {
  const day = Math.floor(now / DAY_MS)
  const payload = Buffer.from([
    ...varint(token.account),
    ...varint(token.submission),
    ...varint(token.position),
    day >>> 8,
    day & 255,
  ])
  return `${PREFIX}${base32Encode(Buffer.concat([payload, macOf(payload, domain, key)]))}@${domain}`
}

/** Whether an address has the form of a return address; its token is not checked. */
export function looksLikeVerp(address: string): boolean {
  return /^return-[a-z2-7]{24,57}@[^@]+$/i.test(address)
}

/**
 * The token of a return address; null: it is no return address, another key or domain made it, or it has expired.
 * @param keys the secret of the installation, and older ones that are still valid
 */
export function readVerp(address: string, keys: readonly KeyObject[], now: number): VerpToken | null {
  if (!looksLikeVerp(address)) return null
  const at = address.lastIndexOf('@')
  // RFC 5321 2.4: local parts may come back in another case.
  const bytes = base32Decode(address.slice(PREFIX.length, at).toLowerCase())
  if (!bytes || bytes.length <= VERP_MAC_BYTES) return null
  const payload = bytes.subarray(0, bytes.length - VERP_MAC_BYTES)
  const mac = bytes.subarray(payload.length)
  const domain = address.slice(at + 1)
  if (!keys.some((key) => timingSafeEqual(macOf(payload, domain, key), mac))) return null
  return readPayload(payload, Math.floor(now / DAY_MS))
}

function readPayload(payload: Uint8Array, today: number): VerpToken | null {
  const numbers: number[] = []
  let at = 0
  while (numbers.length < 3) {
    let value = 0
    let factor = 1
    for (;;) {
      const octet = payload[at++]
      if (octet === undefined) return null
      value += (octet & 127) * factor
      factor *= 128
      if (octet < 128) break
    }
    numbers.push(value)
  }
  if (payload.length !== at + 2) return null
  const age = today - (payload[at]! * 256 + payload[at + 1]!)
  // One day of tolerance: clocks of two nodes differ around midnight.
  if (age < -1 || age > VERP_VALID_DAYS) return null
  const [account, submission, position] = numbers as [number, number, number]
  return { account, submission, position }
}

function macOf(payload: Uint8Array, domain: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(payload).update(domain.toLowerCase()).digest().subarray(0, VERP_MAC_BYTES)
}

/** Seven bits in each octet, the lowest first. */
function varint(value: number): number[] {
  const octets: number[] = []
  while (value >= 128) {
    octets.push((value % 128) | 128)
    value = Math.floor(value / 128)
  }
  return [...octets, value]
}
