/**
 * Writes DKIM signatures (RFC 6376, RFC 8463): rsa-sha256 and ed25519-sha256, relaxed/relaxed. The libraries' signers do not oversign; here a field
 * is listed once more than it occurs, so that nobody can add one on the way (promise S12). RSA runs in libuv's thread pool.
 */
import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import { relaxField } from '../../jmap/message/dkim-signature.ts'
import { type HeaderField, readWholeHeader } from '../../jmap/message/header-block.ts'
import type { DkimKey } from '../../jmap/policy/domain/dkim-store.ts'
import { DKIM_EXPIRY_SECONDS } from '../../server/base/outbound-limits.ts'

const signAsync = promisify(sign)

/** Fields that are listed once more than they occur. */
const OVERSIGNED = [
  'from',
  'to',
  'cc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
]
/** Fields that are listed as often as they occur (RFC 6376 5.4.1). */
const SIGNED = [
  'sender',
  'list-id',
  'list-help',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-subscribe',
  'list-post',
  'list-owner',
  'list-archive',
  'auto-submitted',
  'feedback-id',
  'content-id',
  'content-description',
]
/** Of these, listed once more where they occur: mail programs act on them (RFC 8058 4), also on one that somebody added. */
const SEALED = new Set(['list-unsubscribe', 'list-unsubscribe-post'])
const LINE = 76

/** The input that all signatures of a message share. */
interface Canonical {
  /** The names of h=, folded. */
  readonly names: string
  readonly header: string
  readonly bodyHash: string
}

/**
 * A DKIM-Signature field for each key, with line ends, to write in front of a message whose lines end with CRLF. A verifier without Ed25519 uses the
 * RSA signature (RFC 8463 3).
 * @param now epoch ms
 * @param header of the message, where it has been read
 * @throws TypeError for a key of another algorithm
 */
export async function dkimSignatures(
  bytes: Buffer,
  keys: readonly DkimKey[],
  now: number,
  header = readWholeHeader(bytes),
): Promise<string> {
  const body = relaxBody(bytes.subarray(header.bodyStart))
  const canonical = { ...signedFields(bytes, header.fields), bodyHash: hash('sha256', body, 'base64') }
  const fields = await Promise.all(keys.map((key) => signatureField(canonical, key, now)))
  return fields.join('')
}

async function signatureField({ names, header, bodyHash }: Canonical, key: DkimKey, now: number): Promise<string> {
  const seconds = Math.floor(now / 1000)
  const unsigned = [
    `DKIM-Signature: v=1; a=${key.algorithm}-sha256; c=relaxed/relaxed;`,
    `d=${domainToASCII(key.domain)}; s=${key.selector};`,
    `t=${seconds}; x=${seconds + DKIM_EXPIRY_SECONDS};`,
    `h=${names};`,
    `bh=${bodyHash};`,
    'b=',
  ].join('\r\n ')
  // RFC 6376 3.7: the signature field comes last, with an empty b= and without its line end.
  const input = Buffer.from(`${header}${relaxField(unsigned)}`, 'latin1')
  const signature = await signed(input, key)
  return `${unsigned}${foldValue(signature.toString('base64'))}\r\n`
}

function signed(input: Buffer, { algorithm, privateKey: pem }: DkimKey): Promise<Buffer> {
  const key = privateKey(pem, algorithm)
  if (algorithm === 'rsa') return signAsync('sha256', input, key)
  // RFC 8463 3: Ed25519 signs the hash. This takes less time than a switch to another thread.
  return Promise.resolve(sign(null, hash('sha256', input, 'buffer'), key))
}

/** Octets that do not occur in the canonical form of a body. */
const NOT_RELAXED = ['\t', '  ', ' \r\n'].map((text) => Buffer.from(text))
const EMPTY_LINE = Buffer.from('\r\n\r\n')

/** RFC 6376 3.4.4, for a body with CRLF line ends. A body in canonical form is not copied. */
export function relaxBody(body: Buffer): Buffer {
  const isRelaxed =
    body.length > 2 &&
    body.subarray(-2).equals(EMPTY_LINE.subarray(2)) &&
    !body.subarray(-4).equals(EMPTY_LINE) &&
    !NOT_RELAXED.some((text) => body.includes(text))
  return isRelaxed ? body : relaxed(body)
}

function relaxed(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length + 2)
  let length = 0
  /** End of the last line that was not empty. */
  let kept = 0
  let space = false
  for (let i = 0; i < body.length; i++) {
    const octet = body[i]!
    if (octet === 0x20 || octet === 0x09) space = true
    else if (octet === 0x0d && body[i + 1] === 0x0a) {
      const empty = length === 0 || out[length - 1] === 0x0a
      out[length++] = 0x0d
      out[length++] = 0x0a
      if (!empty) kept = length
      space = false
      i++
    } else {
      if (space) out[length++] = 0x20
      space = false
      out[length++] = octet
    }
  }
  if (length > 0 && out[length - 1] !== 0x0a) {
    out[length++] = 0x0d
    out[length++] = 0x0a
    kept = length
  }
  return out.subarray(0, kept)
}

function signedFields(bytes: Buffer, fields: readonly HeaderField[]): Pick<Canonical, 'names' | 'header'> {
  const names: string[] = []
  let header = ''
  const byName = Map.groupBy(fields, ({ name }) => name.toLowerCase())
  for (const name of [...OVERSIGNED, ...SIGNED]) {
    // RFC 6376 5.4.2: several fields of a name are signed from the last to the first.
    for (const { lineStart, end } of byName.get(name)?.reverse() ?? []) {
      names.push(name)
      header += `${relaxField(bytes.toString('latin1', lineStart, end))}\r\n`
    }
    if (OVERSIGNED.includes(name) || (SEALED.has(name) && byName.has(name))) names.push(name)
  }
  return { names: foldNames(names), header }
}

const keys = new Map<string, KeyObject>()

/** Parsing a PEM takes a quarter of the time of a signature: the keys in use are cached. */
function privateKey(pem: string, algorithm: DkimKey['algorithm']): KeyObject {
  const known = keys.get(pem)
  if (known) return known
  if (keys.size >= 100) keys.clear()
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== algorithm) throw new TypeError(`a DKIM key for ${algorithm}-sha256 is of another kind`)
  keys.set(pem, key)
  return key
}

/** The names of h=, folded after colons (RFC 6376 3.5 allows white space there). */
function foldNames(names: readonly string[]): string {
  let text = ''
  let width = ' h='.length
  for (const [i, name] of names.entries()) {
    const word = i < names.length - 1 ? `${name}:` : name
    if (width + word.length > LINE) {
      text += '\r\n '
      width = 1
    }
    text += word
    width += word.length
  }
  return text
}

function foldValue(base64: string): string {
  return (base64.match(/.{1,72}/g) ?? []).map((line) => `\r\n ${line}`).join('')
}
