/**
 * Ids of instances of objects (jmap/type/instance-numbers.ts): the id of the object, and behind it the key of the instance as a number in
 * base32. The check in the id of the object covers no key: whether there is such an instance, the object says.
 */
import { base32Twenty, parseBase32Number } from './base32.ts'
import { INSTANCE_KEY_MAX } from './limits.ts'
import { INSTANCE_IDS_KEPT } from './reading-limits.ts'

/** Characters of a key: 40 bits. */
const KEY_CHARS = 8
const HALF = 2 ** 20

/** The id of an instance. @param key 0 to INSTANCE_KEY_MAX */
export type InstanceEncoder = (object: number, key: number) => string

/**
 * For lists, which may have thousands of instances of a few objects: the id of an object is made once, and so is what many keys begin with.
 * @param idOf the id of an object
 */
export function instanceEncoder(idOf: (object: number) => string): InstanceEncoder {
  const known = new Map<number, string>()
  let lastHigh = Number.NaN
  let start = ''
  return (object, key) => {
    let id = known.get(object)
    if (id === undefined) {
      if (known.size >= INSTANCE_IDS_KEPT) known.clear()
      id = idOf(object)
      known.set(object, id)
    }
    const high = Math.floor(key / HALF)
    if (high !== lastHigh) {
      start = base32Twenty(high)
      lastHigh = high
    }
    return id + (start + base32Twenty(key - high * HALF))
  }
}

/** null: the id is none of an instance, whatever the object is. */
export function splitInstanceId(id: string): { readonly objectId: string; readonly key: number } | null {
  const key = parseBase32Number(id.slice(-KEY_CHARS))
  return key !== null && key <= INSTANCE_KEY_MAX ? { objectId: id.slice(0, -KEY_CHARS), key } : null
}
