/**
 * Ids of instances of objects (jmap/type/instance-numbers.ts): the id of the object, and behind it the key of the instance as a number in
 * base32. The check in the id of the object covers no key: whether there is such an instance, the object says.
 */
import { base32Twenty, parseBase32Number } from './base32.ts'
import { INSTANCE_KEY_MAX } from './limits.ts'
import { INSTANCE_IDS_KEPT, INSTANCE_MINUTES_KEPT } from './reading-limits.ts'

/** Characters of a key: 40 bits. */
const KEY_CHARS = 8
const HALF = 2 ** 20

/**
 * Makes ids of instances for lists, which may have thousands of a few objects at the same few times. The id of an instance is that of its
 * object with the text of its key behind it. Both parts are kept.
 */
export class InstanceEncoder {
  readonly #idOf: (object: number) => string
  readonly #objects = new Map<number, string>()
  /** By minute: integers below 2 ** 31 are looked up several times as fast as other numbers. */
  readonly #minutes = new Map<number, string>()

  /** @param idOf the id of an object */
  constructor(idOf: (object: number) => string) {
    this.#idOf = idOf
  }

  objectId(object: number): string {
    return kept(this.#objects, INSTANCE_IDS_KEPT, object, this.#idOf)
  }

  /** @param key 0 to INSTANCE_KEY_MAX */
  keyText(key: number): string {
    const minute = key / 60
    return Number.isInteger(minute) ? kept(this.#minutes, INSTANCE_MINUTES_KEPT, minute, textOfMinute) : textOf(key)
  }

  id(object: number, key: number): string {
    return this.objectId(object) + this.keyText(key)
  }
}

function kept(texts: Map<number, string>, most: number, number: number, make: (number: number) => string): string {
  let text = texts.get(number)
  if (text === undefined) {
    if (texts.size >= most) texts.clear()
    text = make(number)
    texts.set(number, text)
  }
  return text
}

function textOfMinute(minute: number): string {
  return textOf(minute * 60)
}

function textOf(key: number): string {
  const high = Math.floor(key / HALF)
  return base32Twenty(high) + base32Twenty(key - high * HALF)
}

/** null: the id is none of an instance, whatever the object is. */
export function splitInstanceId(id: string): { readonly objectId: string; readonly key: number } | null {
  const key = parseBase32Number(id.slice(-KEY_CHARS))
  return key !== null && key <= INSTANCE_KEY_MAX ? { objectId: id.slice(0, -KEY_CHARS), key } : null
}
