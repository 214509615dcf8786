/**
 * Ids of instances of objects (jmap/type/instance-numbers.ts): the id of the object, and behind it the key of the instance as a number in
 * base32. The check in the id of the object covers no key: whether there is such an instance, the object says. A list may have thousands, so
 * that all of its ids are parts of one text: to put a text together costs more than its characters.
 */
import { base32Number, writeBase32Number } from './base32.ts'
import { INSTANCE_KEY_MAX } from './limits.ts'

/** Characters of a key: 45 bits. */
const KEY_CHARS = 9

/**
 * @param idOf the id of an object; all have the same length
 * @param keys one for each object
 */
export function instanceIds(
  idOf: (object: number) => string,
  objects: readonly number[],
  keys: readonly number[],
): string[] {
  if (objects.length === 0) return []
  const head = idOf(objects[0]!).length
  const length = head + KEY_CHARS
  const text = Buffer.allocUnsafe(length * objects.length)
  const known = new Map<number, Uint8Array>()
  for (let i = 0; i < objects.length; i++) {
    const object = objects[i]!
    let codes = known.get(object)
    if (codes === undefined) {
      codes = Buffer.from(idOf(object), 'latin1')
      known.set(object, codes)
    }
    const at = i * length
    for (let c = 0; c < head; c++) text[at + c] = codes[c]!
    writeBase32Number(text, at + head, KEY_CHARS, keys[i]!)
  }
  const all = text.toString('latin1')
  const ids: string[] = []
  for (let at = 0; at < all.length; at += length) ids.push(all.slice(at, at + length))
  return ids
}

/** null: the id is none of an instance, whatever the object is. */
export function splitInstanceId(id: string): { readonly objectId: string; readonly key: number } | null {
  const key = base32Number(id.slice(-KEY_CHARS))
  return key !== null && key <= INSTANCE_KEY_MAX ? { objectId: id.slice(0, -KEY_CHARS), key } : null
}
