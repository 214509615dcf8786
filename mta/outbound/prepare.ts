/** Makes a stored message ready for the wire: CRLF line ends, a signature, and what it asks of the next hop. */
import { isAscii } from 'node:buffer'
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import { readHeaderBlock, withoutFields } from '../smtp/header-block.ts'
import { dkimSignatures } from './dkim.ts'

export interface PreparedMessage {
  readonly bytes: Buffer
  readonly eightBit: boolean
  readonly utf8Header: boolean
}

/** @param now epoch ms. Rejects when the message cannot be signed with its domain's key. */
export async function prepareMessage({ bytes, dkim }: QueuedSubmission, now: number): Promise<PreparedMessage> {
  let message = normalizeLineEnds(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  let block = readHeaderBlock(message)
  // RFC 5321 4.4: a Return-Path is written at final delivery, not before.
  const pieces = withoutFields(message, block, ({ name }) => name === 'return-path')
  if (pieces.length > 1 || pieces[0]!.length < message.length) {
    message = Buffer.concat(pieces)
    block = readHeaderBlock(message)
  }
  // The signature is ASCII.
  const utf8Header = !isAscii(message.subarray(0, block.end))
  const eightBit = utf8Header || !isAscii(message)
  if (dkim.length === 0) return { bytes: message, eightBit, utf8Header }
  const signatures = await dkimSignatures(message, dkim, now, block)
  const signed = Buffer.allocUnsafe(signatures.length + message.length)
  signed.write(signatures, 'latin1')
  message.copy(signed, signatures.length)
  return { bytes: signed, eightBit, utf8Header }
}

/** RFC 5321 2.3.8: CR and LF leave us only together. A message that has them so is not copied. */
export function normalizeLineEnds(bytes: Buffer): Buffer {
  const pieces: Buffer[] = []
  let copied = 0
  let cr = bytes.indexOf(CR)
  let lf = bytes.indexOf(LF)
  while (cr >= 0 || lf >= 0) {
    const at = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr
    const paired = at === cr && lf === at + 1
    if (!paired) {
      pieces.push(bytes.subarray(copied, at), CRLF)
      copied = at + 1
    }
    // Each is searched on from where it was found, so that the whole stays linear.
    const next = paired ? at + 2 : at + 1
    if (cr >= 0 && cr < next) cr = bytes.indexOf(CR, next)
    if (lf >= 0 && lf < next) lf = bytes.indexOf(LF, next)
  }
  return pieces.length === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(copied)])
}

const CR = 0x0d
const LF = 0x0a
const CRLF = Buffer.from('\r\n')
