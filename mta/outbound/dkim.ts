/**
 * DKIM signatures (RFC 6376, RFC 8463): rsa-sha256 and ed25519-sha256, relaxed/relaxed. Our own signer, since the libraries' do not oversign: a field that is
 * listed once more than it occurs cannot be added on the way (promise S12). The RSA work runs in libuv's pool.
 */
import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import type { DkimKey } from '../../jmap/service/domain/dkim-store.ts'
import { DKIM_EXPIRY_SECONDS } from '../../server/base/outbound-limits.ts'
import { type HeaderBlock, readHeaderBlock } from '../smtp/header-block.ts'

const signAsync = promisify(sign)

/** Listed once more than they occur. */
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
/** Listed as often as they occur (RFC 6376 5.4.1). */
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
const LINE = 76

/** What signatures over one message share. */
interface Canonical {
  readonly names: readonly string[]
  readonly header: string
  readonly bodyHash: string
}

/**
 * A DKIM-Signature field for each key, with their line ends, to write in front of a message whose lines end with CRLF. A verifier that
 * does not know Ed25519 finds RSA (RFC 8463 3).
 * @param now epoch ms
 * @param block its header, where that has been read
 * @throws when a key is not what its algorithm asks for
 */
export async function dkimSignatures(
  bytes: Buffer,
  keys: readonly DkimKey[],
  now: number,
  block = readHeaderBlock(bytes),
): Promise<string> {
  const { names, canonical: header } = signedFields(bytes, block)
  const bodyStart = Math.min(block.end + 2, bytes.length)
  const body = relaxBody(bytes.subarray(bodyStart))
  const canonical = { names, header, bodyHash: hash('sha256', body, 'base64') }
  const fields = await Promise.all(keys.map((key) => signatureField(canonical, key, now)))
  return fields.join('')
}

async function signatureField({ names, header, bodyHash }: Canonical, key: DkimKey, now: number): Promise<string> {
  const seconds = Math.floor(now / 1000)
  const unsigned = [
    `DKIM-Signature: v=1; a=${key.algorithm}-sha256; c=relaxed/relaxed;`,
    `d=${domainToASCII(key.domain)}; s=${key.selector};`,
    `t=${seconds}; x=${seconds + DKIM_EXPIRY_SECONDS};`,
    `h=${foldNames(names)};`,
    `bh=${bodyHash};`,
    'b=',
  ].join('\r\n ')
  // RFC 6376 3.7: the field itself comes last, with an empty b= and without its line end.
  const input = Buffer.from(`${header}${relaxField(unsigned)}`, 'latin1')
  const signature = await signed(input, key)
  return `${unsigned}${foldValue(signature.toString('base64'))}\r\n`
}

function signed(input: Buffer, { algorithm, privateKey: pem }: DkimKey): Promise<Buffer> {
  const key = privateKey(pem, algorithm)
  if (algorithm === 'rsa') return signAsync('sha256', input, key)
  // RFC 8463 3: what Ed25519 signs is the hash. It takes less than the way to another thread.
  return Promise.resolve(sign(null, hash('sha256', input, 'buffer'), key))
}

/** What the canonical form of a line has none of, beside the empty lines at the end of a body. */
const NOT_RELAXED = ['\t', '  ', ' \r\n'].map((text) => Buffer.from(text))
const EMPTY_LINE = Buffer.from('\r\n\r\n')

/** RFC 6376 3.4.4, of a body with CRLF line ends. One that has its canonical form already is not copied. */
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

/** RFC 6376 3.4.2: name in lower case, unfolded, white space in runs of one. Octets go through as latin1. */
function relaxField(field: string): string {
  const colon = field.indexOf(':')
  const name = field.slice(0, colon).trimEnd().toLowerCase()
  const value = field
    .slice(colon + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '')
  return `${name}:${value}`
}

function signedFields(bytes: Buffer, block: HeaderBlock): { names: string[]; canonical: string } {
  const names: string[] = []
  let canonical = ''
  const byName = Map.groupBy(block.fields, ({ name }) => name)
  for (const name of [...OVERSIGNED, ...SIGNED]) {
    // RFC 6376 5.4.2: several fields of a name are signed from the last to the first.
    for (const { start, end } of byName.get(name)?.reverse() ?? []) {
      names.push(name)
      canonical += `${relaxField(bytes.toString('latin1', start, end))}\r\n`
    }
    if (OVERSIGNED.includes(name)) names.push(name)
  }
  return { names, canonical }
}

const keys = new Map<string, KeyObject>()

/** Reading a PEM takes as long as a quarter of a signature: the keys in use are kept. */
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
