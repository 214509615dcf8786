/** Bounds the answer to one request: the answers of calls count, and a reading call is refused when there is no more room. */
import type { Guard } from '../../server/base/guard.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { ANSWER_MAX_BYTES } from '../../server/base/reading-limits.ts'
import { JsonOctets, Slabs } from '../protocol/json-octets.ts'
import { JsonText, type ResponseArguments, type ResponseValue } from '../protocol/json-text.ts'
import { MethodError } from '../protocol/method-error.ts'

/** Longer texts are measured as JSON: escapes make up to six octets of a character. */
const SHORT_TEXT = 256
/** The texts of small answers are not written as JSON a second time to measure them. A sixtieth of the room: with escapes a tenth. */
const UNREAD_MAX_CHARACTERS = ANSWER_MAX_BYTES / 64

/** Octets of an answer from which on its large objects are held outside of the heap. */
const HELD_AS_TEXT_MAX = 1_048_576

export class AnswerRoom {
  readonly #asText: boolean
  readonly #guard: Pick<Guard, 'keep'>
  #left = ANSWER_MAX_BYTES
  /** Characters that may still be counted as octets without looking at them. */
  #unread = UNREAD_MAX_CHARACTERS
  /** Octets of the call that is under way. */
  #call = 0
  /** Octets of its large objects. */
  readonly #held = new Map<unknown, number>()
  readonly #slabs = new Slabs()

  /**
   * @param asText the answer becomes JSON text, so that large objects are written as soon as they are complete
   * @param guard hears of what is kept
   */
  constructor(asText: boolean, guard: Pick<Guard, 'keep'>) {
    this.#asText = asText
    this.#guard = guard
  }

  beginCall(): void {
    this.#call = 0
    this.#held.clear()
  }

  /** A large object of the answer. @throws MethodError requestTooLarge */
  hold(object: JsonObject): JsonObject | JsonText {
    const held = this.#asText ? this.#written(JSON.stringify(object)) : object
    const size = held instanceof JsonOctets ? held.size : this.#sizeOf(held)
    this.#held.set(held, size)
    this.#call += size
    if (this.#call > this.#left) throw tooLarge()
    this.#guard.keep(size)
    return held
  }

  /** Texts of large answers are octets outside of the heap. */
  #written(text: string): JsonText {
    const kept = ANSWER_MAX_BYTES - this.#left + this.#call
    return kept < HELD_AS_TEXT_MAX ? new JsonText(text) : this.#slabs.hold(text)
  }

  /** The whole answer of a call that has only read. @throws MethodError requestTooLarge */
  take(args: ResponseArguments): void {
    const size = this.#sizeOfAll(args)
    if (size > this.#left) throw tooLarge()
    this.#left -= size
    this.#guard.keep(Math.max(0, size - this.#call))
  }

  /** The result of a call that has written is always returned. */
  takeAnyway(args: ResponseArguments): void {
    this.#left -= this.#sizeOfAll(args)
  }

  #sizeOfAll(args: ResponseArguments): number {
    let size = 2
    for (const key of Object.keys(args)) size += key.length + 4 + this.#sizeOf(args[key]!)
    return size
  }

  /** Octets as JSON, approximately. */
  #sizeOf(value: ResponseValue | undefined): number {
    if (typeof value === 'string') return this.#sizeOfText(value)
    if (typeof value !== 'object' || value === null) return 5
    if (value instanceof JsonOctets) value.expectWrite()
    const held = this.#held.get(value)
    if (held !== undefined) return held
    if (value instanceof JsonText) return Buffer.byteLength(value.text)
    let size = 2
    if (Array.isArray(value)) for (const item of value) size += this.#sizeOf(item) + 1
    else for (const key of Object.keys(value)) size += key.length + 4 + this.#sizeOf((value as JsonObject)[key])
    return size
  }

  #sizeOfText(text: string): number {
    if (text.length <= SHORT_TEXT) return text.length + 3
    if (text.length > this.#unread) return Buffer.byteLength(JSON.stringify(text))
    this.#unread -= text.length
    return text.length + 3
  }
}

function tooLarge(): MethodError {
  const description = `The response would have more than ${ANSWER_MAX_BYTES} octets: ask for fewer objects, or for less of each.`
  return new MethodError('requestTooLarge', description)
}
