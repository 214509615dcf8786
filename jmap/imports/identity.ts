/**
 * The identity of a message (decision D12): its Message-ID together with a digest of From, Date, Subject and decoded body; without a
 * Message-ID all its octets. Pure.
 */
import { createHash, hash } from 'node:crypto'
import { asBuffer } from '../message/charset.ts'
import type { ParsedMessage } from '../message/structure.ts'
import { decodeTransfer } from '../message/transfer.ts'

export interface Identity {
  readonly key: string
  readonly digest: string
}

const CHARS = 24
const CRLF = /\r\n?/g

/** @param messageId null or none: the octets count. @param octets SHA-256 of the whole message */
export function identityKey(messageId: readonly string[] | null, octets: Uint8Array): string {
  const [id] = messageId ?? []
  return id === undefined
    ? Buffer.from(octets).toString('base64url').slice(0, CHARS)
    : hash('sha256', `id\n${id}`, 'base64url').slice(0, CHARS)
}

/** @param octets SHA-256 of the whole message */
export function identityOf(message: Uint8Array, parsed: ParsedMessage, octets: Uint8Array): Identity {
  const key = identityKey(parsed.messageId, octets)
  if (!parsed.messageId?.length) return { key, digest: key }
  const digest = createHash('sha256')
  const addresses = (parsed.from ?? []).map(({ email }) => email.toLowerCase())
  digest.update(JSON.stringify([addresses, parsed.sentAt?.ms ?? null, parsed.subject?.trim() ?? '']))
  const bytes = asBuffer(message)
  for (const { type, subParts, bodyStart, bodyEnd, encoding } of parsed.structure.parts) {
    if (subParts !== null) continue
    const content = decodeTransfer(bytes.subarray(bodyStart, bodyEnd), encoding)
    digest.update(`\n${type}\n`)
    digest.update(type.startsWith('text/') ? sameText(content) : content)
  }
  return { key, digest: digest.digest('base64url').slice(0, CHARS) }
}

/** Servers change line ends and the white space at the end of a text. */
function sameText(content: Buffer): string {
  return content.toString('latin1').replaceAll(CRLF, '\n').trimEnd()
}
