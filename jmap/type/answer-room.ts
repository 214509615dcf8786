/** Bounds the answer to one request: the answers of calls count, and a reading call is refused when there is no more room. */
import type { JsonObject } from '../../server/base/json.ts'
import { ANSWER_MAX_BYTES } from '../../server/base/reading-limits.ts'
import { JsonText, type ResponseArguments, type ResponseValue } from '../protocol/json-text.ts'
import { MethodError } from '../protocol/method-error.ts'

export class AnswerRoom {
  readonly #asText: boolean
  #left = ANSWER_MAX_BYTES
  /** Octets of the call that is under way. */
  #call = 0

  /** @param asText the answer becomes JSON text, so that large objects are written as soon as they are complete */
  constructor(asText: boolean) {
    this.#asText = asText
  }

  beginCall(): void {
    this.#call = 0
  }

  /** A large object of the answer. @throws MethodError requestTooLarge */
  hold(object: JsonObject): JsonObject | JsonText {
    const held = this.#asText ? new JsonText(JSON.stringify(object)) : object
    this.#call += sizeOf(held)
    if (this.#call > this.#left) throw tooLarge()
    return held
  }

  /** The whole answer of a call that has only read. @throws MethodError requestTooLarge */
  take(args: ResponseArguments): void {
    const size = sizeOfAll(args)
    if (size > this.#left) throw tooLarge()
    this.#left -= size
  }

  /** The result of a call that has written is always returned. */
  takeAnyway(args: ResponseArguments): void {
    this.#left -= sizeOfAll(args)
  }
}

function tooLarge(): MethodError {
  const description = `The response would have more than ${ANSWER_MAX_BYTES} octets: ask for fewer objects, or for less of each.`
  return new MethodError('requestTooLarge', description)
}

function sizeOfAll(args: ResponseArguments): number {
  let size = 2
  for (const key of Object.keys(args)) size += key.length + 4 + sizeOf(args[key]!)
  return size
}

/** Longer texts are measured as JSON: escapes make up to six octets of one. */
const SHORT_TEXT = 256

/** Octets as JSON, approximately. */
function sizeOf(value: ResponseValue | undefined): number {
  if (typeof value === 'string')
    return value.length <= SHORT_TEXT ? value.length + 3 : Buffer.byteLength(JSON.stringify(value))
  if (value instanceof JsonText) return Buffer.byteLength(value.text)
  if (typeof value !== 'object' || value === null) return 5
  let size = 2
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item) + 1
  else for (const key of Object.keys(value)) size += key.length + 4 + sizeOf((value as JsonObject)[key])
  return size
}
