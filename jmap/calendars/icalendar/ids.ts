/** Keys of objects in a JSCalendar event (the conversion draft, 2.1.3): stable, so that reading a text again gives the same keys. */
import { createHash } from 'node:crypto'

/** The conversion draft, 2.1.3. */
const NAMESPACE = Buffer.from('7f1e1965ae734454b088232c90730ce2', 'hex')

/** jscalendarbis 1.5.1. */
const ID = /^[A-Za-z0-9_-]{1,255}$/

export function isId(text: string): boolean {
  return ID.test(text)
}

/** RFC 9562 5.5: a UUID of version 5. */
export function uuidOf(text: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(text, 'utf8').digest().subarray(0, 16)
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** A key that `taken` does not have: the given one, or one of the line, which no other element has. */
export function freeKey(key: string, taken: object, line: number): string {
  return Object.hasOwn(taken, key) ? uuidOf(`${key} ${line}`) : key
}
