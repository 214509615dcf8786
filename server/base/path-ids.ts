/**
 * Ids of thousands of objects with paths, as IdCodec.encode makes them one by one: a list may have as many instances of events. What ids of
 * one object share is encoded once, and all ids are parts of one text, because to put a text together costs more than its characters.
 */
import { BASE32_CODES } from './base32.ts'
import { type HashState, hashFrom, hashState } from './half-siphash.ts'

export interface PathIds {
  /** Of the kind of the objects. */
  readonly prefix: string
  /** Octets of the account. */
  readonly account: Uint8Array
  /** Writes the octets of an object's number. */
  writeObject(octets: Uint8Array, offset: number, object: number): void
}

const PATH_START = 11
const CHECK_START = 17
const OCTETS = 21
/** Characters of the octets, without the prefix. */
const CHARS = 34
/** The first octets, which depend on the object alone, as characters and as words of the hash. */
const SHARED_OCTETS = 10
const SHARED_WORDS = 2

interface Shared {
  readonly characters: Uint8Array
  /** The octets that are not in the characters. */
  readonly last: number
  readonly state: HashState
}

/** @param paths three numbers of two octets for each object */
export function encodePathIds(
  key: Uint8Array,
  { prefix: kind, account, writeObject }: PathIds,
  objects: readonly number[],
  paths: Uint16Array,
): string[] {
  const prefix = `${kind}_`
  const length = prefix.length + CHARS
  const text = Buffer.allocUnsafe(length * objects.length)
  const octets = new Uint8Array(OCTETS)
  octets.set(account)
  const known = new Map<number, Shared>()
  for (let i = 0; i < objects.length; i++) {
    const object = objects[i]!
    let shared = known.get(object)
    if (!shared) {
      writeObject(octets, account.length, object)
      shared = sharedOf(key, prefix, octets)
      known.set(object, shared)
    }
    octets[8] = shared.last >>> 16
    octets[9] = shared.last >>> 8
    octets[10] = shared.last
    for (let step = 0; step < 3; step++) {
      const value = paths[3 * i + step]!
      octets[PATH_START + 2 * step] = value >>> 8
      octets[PATH_START + 2 * step + 1] = value
    }
    const check = hashFrom(shared.state, octets, CHECK_START, kind)
    octets[17] = check >>> 24
    octets[18] = check >>> 16
    octets[19] = check >>> 8
    octets[20] = check
    const at = i * length
    text.set(shared.characters, at)
    writeFive(text, at + prefix.length + 16, octets, SHARED_OCTETS)
    writeFive(text, at + prefix.length + 24, octets, SHARED_OCTETS + 5)
    text[at + length - 2] = BASE32_CODES[octets[20] >>> 3]!
    text[at + length - 1] = BASE32_CODES[(octets[20] & 7) << 2]!
  }
  const all = text.toString('latin1')
  const ids: string[] = []
  for (let at = 0; at < all.length; at += length) ids.push(all.slice(at, at + length))
  return ids
}

function sharedOf(key: Uint8Array, prefix: string, octets: Uint8Array): Shared {
  const characters = new Uint8Array(prefix.length + 16)
  for (let i = 0; i < prefix.length; i++) characters[i] = prefix.charCodeAt(i)
  writeFive(characters, prefix.length, octets, 0)
  writeFive(characters, prefix.length + 8, octets, 5)
  const last = (octets[8]! << 16) | (octets[9]! << 8) | octets[10]!
  return { characters, last, state: hashState(key, octets, SHARED_WORDS) }
}

/** The eight characters of five octets. */
function writeFive(text: Uint8Array, at: number, octets: Uint8Array, from: number): void {
  const [a, b, c] = [octets[from]!, octets[from + 1]!, octets[from + 2]!]
  const [d, e] = [octets[from + 3]!, octets[from + 4]!]
  text[at] = BASE32_CODES[a >>> 3]!
  text[at + 1] = BASE32_CODES[((a & 7) << 2) | (b >>> 6)]!
  text[at + 2] = BASE32_CODES[(b >>> 1) & 31]!
  text[at + 3] = BASE32_CODES[((b & 1) << 4) | (c >>> 4)]!
  text[at + 4] = BASE32_CODES[((c & 15) << 1) | (d >>> 7)]!
  text[at + 5] = BASE32_CODES[(d >>> 2) & 31]!
  text[at + 6] = BASE32_CODES[((d & 3) << 3) | (e >>> 5)]!
  text[at + 7] = BASE32_CODES[e & 31]!
}
