/**
 * Ids of instances of an object, such as one occurrence of a recurring event (JMAP Calendars 5.11: synthetic ids). Instances are not
 * stored: the id carries the number of the object and a key of the instance. Within a request each instance has a number above those of
 * all objects, so that the shared methods handle it as an object.
 */

/** Numbers of objects have six octets (server/base/ids.ts). */
const FIRST = 2 ** 48

export interface Instance {
  /** Number of the object. */
  readonly object: number
  /** What the object's type tells its instances apart by: 0 to INSTANCE_KEY_MAX. */
  readonly key: number
}

/** The instances that a request names or lists. */
export class InstanceNumbers {
  /** By object, then by key. */
  readonly #numbers = new Map<number, Map<number, number>>()
  readonly #instances: Instance[] = []

  numberOf({ object, key }: Instance): number {
    let ofObject = this.#numbers.get(object)
    if (!ofObject) {
      ofObject = new Map()
      this.#numbers.set(object, ofObject)
    }
    const known = ofObject.get(key)
    if (known !== undefined) return known
    this.#instances.push({ object, key })
    const number = FIRST + this.#instances.length - 1
    ofObject.set(key, number)
    return number
  }

  /** null: the number is that of an object. */
  instanceOf(number: number): Instance | null {
    return number < FIRST ? null : (this.#instances[number - FIRST] ?? null)
  }
}
