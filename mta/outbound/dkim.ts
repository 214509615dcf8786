/**
 * DKIM signatures (RFC 6376): rsa-sha256, relaxed/relaxed. Our own signer, since the libraries' do not oversign: a field that is
 * listed once more than it occurs cannot be added on the way (reliability.md S12). The RSA work runs in libuv's pool.
 */
import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import type { DkimKey } from '../../jmap/core.ts'
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

/**
 * The DKIM-Signature field, with its line end, to write in front of a message whose lines end with CRLF.
 * @param now epoch ms
 * @throws when the key is no RSA key
 */
export async function dkimSignature(bytes: Buffer, key: DkimKey, now: number): Promise<string> {
  const block = readHeaderBlock(bytes)
  const { names, canonical } = signedFields(bytes, block)
  const bodyStart = Math.min(block.end + 2, bytes.length)
  const bodyHash = createHash('sha256')
    .update(relaxBody(bytes.subarray(bodyStart)))
    .digest('base64')
  const seconds = Math.floor(now / 1000)
  const unsigned = [
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;',
    `d=${domainToASCII(key.domain)}; s=${key.selector};`,
    `t=${seconds}; x=${seconds + DKIM_EXPIRY_SECONDS};`,
    `h=${foldNames(names)};`,
    `bh=${bodyHash};`,
    'b=',
  ].join('\r\n ')
  // RFC 6376 3.7: the field itself comes last, with an empty b= and without its line end.
  const input = Buffer.from(`${canonical}${relaxField(unsigned)}`, 'latin1')
  const signature = await signAsync('sha256', input, privateKey(key.privateKey))
  return `${unsigned}${foldValue(signature.toString('base64'))}\r\n`
}

/** RFC 6376 3.4.4, of a body with CRLF line ends. */
export function relaxBody(body: Buffer): Buffer {
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
  for (const name of [...OVERSIGNED, ...SIGNED]) {
    // RFC 6376 5.4.2: several fields of a name are signed from the last to the first.
    const fields = block.fields.filter((field) => field.name === name).reverse()
    for (const { start, end } of fields) {
      names.push(name)
      canonical += `${relaxField(bytes.toString('latin1', start, end))}\r\n`
    }
    if (OVERSIGNED.includes(name)) names.push(name)
  }
  return { names, canonical }
}

const keys = new Map<string, KeyObject>()

/** Reading a PEM takes as long as a quarter of a signature: the keys in use are kept. */
function privateKey(pem: string): KeyObject {
  const known = keys.get(pem)
  if (known) return known
  if (keys.size >= 100) keys.clear()
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'rsa') throw new TypeError('a DKIM key for rsa-sha256 has to be an RSA key')
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
