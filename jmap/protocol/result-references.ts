/** RFC 8620 3.7: arguments from the results of earlier method calls of the same request. */

import type { Json, JsonObject } from '../../server/base/json.ts'
import { RESULT_REFERENCE_MAX_SIZE } from '../../server/base/limits.ts'
import { getOwn, isObject, quote, setOwn } from './json-object.ts'
import {
  JsonText,
  plain,
  plainArguments,
  type ResponseArguments,
  type ResponseInvocation,
  type ResponseValue,
} from './json-text.ts'
import { invalidArguments, invalidResultReference } from './method-error.ts'
import { arrayIndex, parsePointer } from './pointer.ts'

/**
 * Characters of JSON that the references of one request may still carry. Without this limit, calls of Core/echo that each refer several
 * times to the one before would double the response with every call.
 */
export interface ReferenceBudget {
  left: number
}

export function newReferenceBudget(): ReferenceBudget {
  return { left: RESULT_REFERENCE_MAX_SIZE }
}

/**
 * The arguments with each `#name` replaced by its value; the same object if there is none.
 * @param responses of the calls so far, in order
 * @param budget one for all calls of a request
 * @throws MethodError invalidArguments or invalidResultReference
 */
export function resolveReferences(
  args: JsonObject,
  responses: readonly ResponseInvocation[],
  budget: ReferenceBudget,
): JsonObject {
  const keys = Object.keys(args)
  if (!keys.some(isReference)) return args
  for (const key of keys) {
    // RFC 8620 3.7: the same argument in normal and referenced form.
    if (isReference(key) && Object.hasOwn(args, key.slice(1))) {
      const name = quote(key.slice(1))
      throw invalidArguments(`The argument '${name}' is given both as a value and as a result reference.`, [name])
    }
  }
  const result: { [key: string]: Json } = {}
  for (const key of keys) {
    if (isReference(key)) setOwn(result, key.slice(1), resolveReference(key, args[key]!, responses, budget))
    else setOwn(result, key, args[key]!)
  }
  return result
}

function isReference(key: string): boolean {
  return key.charCodeAt(0) === 0x23
}

function resolveReference(
  key: string,
  reference: Json,
  responses: readonly ResponseInvocation[],
  budget: ReferenceBudget,
): Json {
  const fail = (reason: string) => invalidResultReference(`'${quote(key)}': ${reason}`)
  if (!isObject(reference)) throw fail('a ResultReference is an object.')
  const { resultOf, name, path } = reference
  if (typeof resultOf !== 'string' || typeof name !== 'string' || typeof path !== 'string') {
    throw fail('a ResultReference has the strings resultOf, name and path.')
  }
  // RFC 8620 3.7, steps 1 and 2: the first response of that call counts, even if a later one has the name.
  const response = responses.find((candidate) => candidate[2] === resultOf)
  if (response === undefined) throw fail(`no earlier call has the id '${quote(resultOf)}'.`)
  if (response[0] !== name) throw fail(`the first response to '${quote(resultOf)}' is not '${quote(name)}'.`)
  const tokens = parsePointer(path)
  if (tokens === null) throw fail('path is not a JSON Pointer.')
  const value = tokens.length === 0 ? plainArguments(response[1]) : evaluateArguments(response[1], tokens, budget)
  if (value !== undefined) charge(value, budget)
  if (budget.left < 0) throw fail('the result references of this request carry too much.')
  if (value === undefined) throw fail(`the response has nothing at '${quote(path)}'.`)
  return value
}

function evaluateArguments(
  args: ResponseArguments,
  tokens: readonly string[],
  budget: ReferenceBudget,
): Json | undefined {
  const name = tokens[0]!
  return Object.hasOwn(args, name) ? evaluate(args[name]!, tokens, 1, budget) : undefined
}

/** Step 3; undefined: evaluation fails. A JsonText is parsed only if the path leads through it. */
function evaluate(
  value: ResponseValue,
  tokens: readonly string[],
  from: number,
  budget: ReferenceBudget,
): Json | undefined {
  let current: ResponseValue | undefined = value
  for (let i = from; i < tokens.length; i++) {
    if (budget.left-- < 0 || current === undefined) return undefined
    if (current instanceof JsonText) current = current.parse()
    const token = tokens[i]!
    if (Array.isArray(current)) {
      if (token === '*') return mapItems(current, tokens, i + 1, budget)
      const index = arrayIndex(token)
      current = index === null ? undefined : current[index]
    } else {
      current = isObject(current) ? getOwn(current, token) : undefined
    }
  }
  return current === undefined ? undefined : plain(current)
}

function mapItems(
  items: readonly (Json | JsonText)[],
  tokens: readonly string[],
  from: number,
  budget: ReferenceBudget,
): Json | undefined {
  const output: Json[] = []
  for (const item of items) {
    const result = evaluate(item, tokens, from, budget)
    if (result === undefined) return undefined
    // RFC 8620 3.7: an array is flattened by one level.
    if (Array.isArray(result)) for (const inner of result) output.push(inner)
    else output.push(result)
  }
  return output
}

/** Takes about the size of the value as JSON from the budget; stops when nothing is left. */
function charge(value: Json, budget: ReferenceBudget): void {
  budget.left -= 2
  if (budget.left < 0) return
  if (typeof value === 'string') {
    budget.left -= value.length
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length && budget.left >= 0; i++) charge(value[i], budget)
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      budget.left -= key.length + 3
      if (budget.left < 0) return
      charge(value[key]!, budget)
    }
  }
}
