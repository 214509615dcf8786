/** The wire form of a queued message: CRLF line ends, DKIM signatures, and the extensions that the next hop needs for it. */
import { isAscii } from 'node:buffer'
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import { afterLineBreak, readWholeHeader } from '../../jmap/message/header-block.ts'
import { isNamed } from '../../jmap/message/headers.ts'
import { withoutFields } from '../../jmap/message/without-fields.ts'
import { dkimSignatures } from './dkim.ts'

export interface WireMessage {
  /** The signatures, if there are any, and the message: apart, so that it is not copied. Lines end with CRLF; each piece begins one. */
  readonly pieces: readonly Buffer[]
  /** Octets of all of them. */
  readonly size: number
  /** It has octets beyond ASCII, and needs 8BITMIME (RFC 6152). */
  readonly eightBit: boolean
  /** Its header has octets beyond ASCII, and needs SMTPUTF8 (RFC 6531). */
  readonly utf8Header: boolean
}

/** @param now epoch ms. Rejects when the message cannot be signed with its domain's key. */
export async function toWireMessage({ bytes, dkim }: QueuedSubmission, now: number): Promise<WireMessage> {
  let message = normalizeLineEnds(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  let header = readWholeHeader(message)
  // RFC 5321 4.4: only final delivery writes a Return-Path. Lines of the header that are no fields cannot be signed, and are removed.
  const pieces = withoutFields(message, (field) => isNamed(field, 'return-path'), { header, strict: true })
  if (pieces.length !== 1 || pieces[0]!.length < message.length) {
    message = Buffer.concat(pieces)
    header = readWholeHeader(message)
  }
  // Signatures are ASCII, so both can be found before signing.
  const utf8Header = !isAscii(message.subarray(0, header.headerEnd))
  const eightBit = utf8Header || !isAscii(message)
  if (dkim.length === 0) return { pieces: [message], size: message.length, eightBit, utf8Header }
  const text = await dkimSignatures(message, dkim, now, header)
  // They wait for a connection: in the memory that small buffers share they would hold what else was written there.
  const signatures = Buffer.allocUnsafeSlow(text.length)
  signatures.write(text, 'latin1')
  return { pieces: [signatures, message], size: signatures.length + message.length, eightBit, utf8Header }
}

/**
 * RFC 5321 2.3.8: CR and LF are sent only as CRLF. Each line end of the header reader (CRLF, LF, CR, CR CRLF) becomes CRLF. A message that has
 * only CRLF is not copied.
 */
export function normalizeLineEnds(bytes: Buffer): Buffer {
  const pieces: Buffer[] = []
  let copied = 0
  let cr = bytes.indexOf(CR)
  let lf = bytes.indexOf(LF)
  while (cr >= 0 || lf >= 0) {
    const at = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr
    const next = afterLineBreak(bytes, at, bytes.length)
    const isCrlf = at === cr && next === at + 2
    if (!isCrlf) {
      pieces.push(bytes.subarray(copied, at), CRLF)
      copied = next
    }
    // Each search goes on from the last match, so that the cost is linear.
    if (cr >= 0 && cr < next) cr = bytes.indexOf(CR, next)
    if (lf >= 0 && lf < next) lf = bytes.indexOf(LF, next)
  }
  return pieces.length === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(copied)])
}

const CR = 0x0d
const LF = 0x0a
const CRLF = Buffer.from('\r\n')
