/**
 * Verifies DKIM signatures over the header of a message (RFC 6376, RFC 8463), as this server writes them: header canonicalization `relaxed`.
 * The body is not checked, because reports often return the header only. Pure.
 */
import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto'
import { type HeaderField, readWholeHeader } from './header-block.ts'
import { isNamed } from './headers.ts'

export interface DkimSignature {
  readonly domain: string
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  /** Names of the signed fields, in lower case, in the order of `h=`. */
  readonly names: readonly string[]
  readonly signature: Buffer
  readonly field: HeaderField
}

/** Signatures of one message that are read. */
const MAX_SIGNATURES = 20

/** Octets of an Ed25519 SPKI before the key itself (RFC 8410 4). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** RFC 6376 3.5: the signatures of a message that are well formed and of a kind that this server writes. */
export function dkimSignaturesIn(bytes: Buffer): DkimSignature[] {
  const fields = readWholeHeader(bytes).fields.filter((field) => isNamed(field, 'dkim-signature'))
  return fields.slice(0, MAX_SIGNATURES).flatMap((field) => readSignature(bytes, field) ?? [])
}

function readSignature(bytes: Buffer, field: HeaderField): DkimSignature | null {
  const tags = new Map<string, string>()
  for (const tag of bytes.toString('latin1', field.start, field.end).split(';')) {
    const equals = tag.indexOf('=')
    if (equals > 0) tags.set(tag.slice(0, equals).trim(), tag.slice(equals + 1).replace(/\s+/g, ''))
  }
  const [v, a = '', c = '', d = '', s = '', h = '', b = ''] = ['v', 'a', 'c', 'd', 's', 'h', 'b'].map((name) =>
    tags.get(name),
  )
  const algorithm = /^(rsa|ed25519)-sha256$/.exec(a)?.[1]
  if (v !== '1' || (algorithm !== 'rsa' && algorithm !== 'ed25519') || !/^relaxed(\/|$)/.test(c)) return null
  if (d === '' || s === '' || b === '') return null
  const names = h.toLowerCase().split(':')
  return { domain: d.toLowerCase(), selector: s, algorithm, names, signature: Buffer.from(b, 'base64'), field }
}

/** @param publicKey as `p=` of its record has it, base64 */
export function isSignedHeader(bytes: Buffer, signature: DkimSignature, publicKey: string): boolean {
  const { names, algorithm, field } = signature
  // RFC 6376 5.4.2: several fields of a name are signed from the last to the first; those that are not there count as empty.
  const left = Map.groupBy(readWholeHeader(bytes).fields, ({ name }) => name.toLowerCase())
  const signed = names.flatMap((name) => left.get(name)?.pop() ?? [])
  const lines = signed.map(({ lineStart, end }) => `${relaxField(bytes.toString('latin1', lineStart, end))}\r\n`)
  // RFC 6376 3.7: the signature field comes last, with an empty b= and without its line end.
  const own = bytes.toString('latin1', field.lineStart, field.end).replace(/([;:]\s*b\s*=)[^;]*/, '$1')
  const input = Buffer.from(`${lines.join('')}${relaxField(own)}`, 'latin1')
  try {
    const key = publicKeyOf(algorithm, publicKey)
    // RFC 8463 3: Ed25519 signs the hash.
    return algorithm === 'rsa'
      ? verify('sha256', input, key, signature.signature)
      : verify(null, hash('sha256', input, 'buffer'), key, signature.signature)
  } catch {
    return false
  }
}

function publicKeyOf(algorithm: DkimSignature['algorithm'], text: string): KeyObject {
  const given = Buffer.from(text, 'base64')
  const key = algorithm === 'rsa' ? given : Buffer.concat([ED25519_SPKI, given])
  return createPublicKey({ key, format: 'der', type: 'spki' })
}

/** RFC 6376 3.4.2: name in lower case, unfolded, each run of white space one space. Octets are latin1 characters. */
export function relaxField(field: string): string {
  const colon = field.indexOf(':')
  const name = field.slice(0, colon).trimEnd().toLowerCase()
  const value = field
    .slice(colon + 1)
    .replace(/\r?\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '')
  return `${name}:${value}`
}
