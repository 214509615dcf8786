/**
 * Ids that clients see: `<prefix>_<base32>` of account number, object number and a short keyed check. REST finds the account from the
 * id alone; because of the check, a guessed id does not exist. They are valid JMAP Ids (RFC 8620 1.2), the same in REST and JMAP
 * (decision D29).
 */
import { randomBytes } from 'node:crypto'
import { base32DecodeInto, base32Encode } from './base32.ts'
import { halfSipHash } from './half-siphash.ts'
import { InstanceEncoder, splitInstanceId } from './instance-ids.ts'

/** The kind of object of an id. Every JMAP type is one (jmap/type/define-type.ts). */
export interface IdKind {
  /** No two kinds share a prefix. */
  readonly idPrefix: string
}

export type AccountKind = 'organization' | 'mailbox'

/** Ids of accounts. */
export const ACCOUNT_IDS: { readonly [kind in AccountKind]: IdKind } = {
  organization: { idPrefix: 'org' },
  mailbox: { idPrefix: 'mbx' },
}

export interface DecodedId {
  /** Number of the account that holds the object. */
  readonly account: number
  /** Number of the object within the account; 0 is the account itself. */
  readonly object: number
  /** For blobs: the number of a MIME part within the blob, 0 for the whole. */
  readonly part: number
  /** For blobs: that number and, if the part is a message, those of parts inside it. Empty for the whole. */
  readonly path: readonly number[]
}

export interface DecodedInstance {
  readonly account: number
  readonly object: number
  /** What tells the instance apart from others of the object. */
  readonly key: number
}

/** Maximum depth of nested messages in a blob id. */
export const BLOB_PATH_MAX = 8

const ACCOUNT_BYTES = 5
const OBJECT_BYTES = 6
const PART_BYTES = 2
const CHECK_BYTES = 4
const PATH_START = ACCOUNT_BYTES + OBJECT_BYTES
const SHORT = ACCOUNT_BYTES + OBJECT_BYTES + CHECK_BYTES
const LONG = SHORT + PART_BYTES * BLOB_PATH_MAX
/** The path of the whole. */
const WHOLE: readonly number[] = []

/** Encodes and decodes ids with the installation's key, so that ids of one installation are invalid in another. */
export class IdCodec {
  readonly #key: Uint8Array
  /** The octets of the id that is under way, and of one without a path: a list page makes and reads hundreds. */
  readonly #octets = new Uint8Array(LONG)
  readonly #short = this.#octets.subarray(0, SHORT)
  #last: { readonly kind: IdKind; readonly account: number; readonly encoder: InstanceEncoder } | null = null

  /** @param key 8 octets, created once per installation and stored with its data */
  constructor(key: Uint8Array) {
    if (key.length !== 8) throw new RangeError('an id key has 8 octets')
    this.#key = key
  }

  /** @param part a part's number, 0 for the whole, or the path to a part of a message within a message */
  encode(kind: IdKind, account: number, object = 0, part: number | readonly number[] = 0): string {
    const path = typeof part === 'number' ? (part === 0 ? WHOLE : [part]) : part
    const bytes = path.length === 0 ? this.#short : new Uint8Array(SHORT + PART_BYTES * path.length)
    writeUint(bytes, 0, ACCOUNT_BYTES, account)
    writeUint(bytes, ACCOUNT_BYTES, OBJECT_BYTES, object)
    for (const [i, step] of path.entries()) writeUint(bytes, PATH_START + i * PART_BYTES, PART_BYTES, step)
    const end = bytes.length - CHECK_BYTES
    writeUint(bytes, end, CHECK_BYTES, this.#check(kind, bytes, end))
    return `${kind.idPrefix}_${base32Encode(bytes)}`
  }

  /** Makes ids of instances of objects of an account. That of the account that was asked for last is kept: its lists are asked for again. */
  instanceEncoder(kind: IdKind, account: number): InstanceEncoder {
    if (this.#last?.kind !== kind || this.#last.account !== account)
      this.#last = { kind, account, encoder: new InstanceEncoder((object) => this.encode(kind, account, object)) }
    return this.#last.encoder
  }

  /** The numbers in an id of this kind; null: this installation did not make it. */
  decode(kind: IdKind, id: string): DecodedId | null {
    const prefix = kind.idPrefix
    if (!id.startsWith(prefix) || id.charCodeAt(prefix.length) !== 0x5f) return null
    const bytes = this.#octets
    const length = base32DecodeInto(bytes, id, prefix.length + 1)
    if (length === null || length < SHORT || (length - SHORT) % PART_BYTES !== 0) return null
    const end = length - CHECK_BYTES
    if (readUint(bytes, end, CHECK_BYTES) !== this.#check(kind, bytes, end)) return null
    const path = length === SHORT ? WHOLE : readPath(bytes, (length - SHORT) / PART_BYTES)
    const account = readUint(bytes, 0, ACCOUNT_BYTES)
    return { account, object: readUint(bytes, ACCOUNT_BYTES, OBJECT_BYTES), part: path[0] ?? 0, path }
  }

  /** The numbers in an id of an instance; null: this installation made no id of such an object. */
  decodeInstance(kind: IdKind, id: string): DecodedInstance | null {
    const split = splitInstanceId(id)
    const decoded = split && this.decode(kind, split.objectId)
    return decoded && decoded.path.length === 0
      ? { account: decoded.account, object: decoded.object, key: split.key }
      : null
  }

  accountId(kind: AccountKind, account: number): string {
    return this.encode(ACCOUNT_IDS[kind], account)
  }

  /** The number of the account; null: not an id of such an account. */
  accountNumber(kind: AccountKind, id: string): number | null {
    const decoded = this.decode(ACCOUNT_IDS[kind], id)
    return decoded?.object === 0 && decoded.path.length === 0 ? decoded.account : null
  }

  /** @param end number of octets before the check */
  #check(kind: IdKind, bytes: Uint8Array, end: number): number {
    // The check covers the prefix, so that an id of one kind is invalid as another.
    return halfSipHash(this.#key, bytes, end, kind.idPrefix)
  }
}

/** A buffer of random octets: fetching a few each time costs more than the rest of an id. */
let stock = new Uint8Array(0)
let taken = 0
const RANDOM_BYTES = 13
const STOCKED_IDS = 256

/** A random id without numbers in it, for requests, events and other things that are not rows of an account. 100 bits. */
export function randomId(prefix: string): string {
  if (taken === stock.length) {
    stock = randomBytes(RANDOM_BYTES * STOCKED_IDS)
    taken = 0
  }
  const bytes = stock.subarray(taken, taken + RANDOM_BYTES)
  taken += RANDOM_BYTES
  return `${prefix}_${base32Encode(bytes).slice(0, 20)}`
}

/** 256 to the power of the index. */
const POWERS = Array.from({ length: OBJECT_BYTES + 1 }, (_, octets) => 256 ** octets)

function writeUint(bytes: Uint8Array, offset: number, length: number, value: number): void {
  if (!(value >= 0 && value < POWERS[length]!)) throw new RangeError(`number ${value} does not fit ${length} octets`)
  let word = value >>> 0
  for (let octets = 0; octets < length; octets++) {
    if (octets === 4) word = Math.floor(value / 2 ** 32)
    bytes[offset + length - 1 - octets] = word
    word >>>= 8
  }
}

function readUint(bytes: Uint8Array, offset: number, length: number): number {
  let value = 0
  for (let i = offset; i < offset + length; i++) value = value * 256 + bytes[i]!
  return value
}

function readPath(bytes: Uint8Array, steps: number): number[] {
  return Array.from({ length: steps }, (_, i) => readUint(bytes, PATH_START + i * PART_BYTES, PART_BYTES))
}
