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
const CR = 0x0d
const LF = 0x0a
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
    if (type.startsWith('text/')) for (const text of sameText(content)) digest.update(text)
    else digest.update(content)
  }
  return { key, digest: digest.digest('base64url').slice(0, CHARS) }
}

/** What `trimEnd` removes of latin1. */
const WHITE = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0])
/** Octets of a text that are replaced at once: each line of them takes memory. */
const PIECE_BYTES = 65_536

/** Servers change line ends and the white space at the end of a text. In pieces: a text may have millions of lines. */
function* sameText(content: Buffer): Generator<string> {
  let end = content.length
  while (end > 0 && WHITE.has(content[end - 1]!)) end--
  for (let from = 0, to = 0; from < end; from = to) {
    to = Math.min(end, from + PIECE_BYTES)
    // A line end stays whole.
    if (content[to - 1] === CR && content[to] === LF && to < end) to++
    yield content.toString('latin1', from, to).replaceAll(CRLF, '\n')
  }
}
