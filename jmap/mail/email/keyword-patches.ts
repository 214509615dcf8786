import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject, jsonEqual, setOwn } from '../../protocol/json-object.ts'
import type { Canonical } from '../../type/handlers.ts'

/** RFC 8621 4.1.1: keywords compare without case and are stored in lower case, in the paths of patches too. */
export function withLowerCaseKeywords(object: JsonObject): Canonical {
  const value: { [name: string]: Json } = {}
  let differs = false
  for (const [key, given] of Object.entries(object)) {
    const isKeyword = key.startsWith('keywords/')
    const inLowerCase = isKeyword ? key.toLowerCase() : key
    setOwn(value, inLowerCase, key === 'keywords' && isObject(given) ? lowerCaseKeys(given) : given)
    differs ||= inLowerCase !== key || (key === 'keywords' && !jsonEqual(value[key], given))
  }
  return differs ? { value, differing: ['keywords'] } : { value: object, differing: [] }
}

function lowerCaseKeys(keywords: JsonObject): JsonObject {
  const value: { [name: string]: Json } = {}
  for (const [keyword, given] of Object.entries(keywords)) setOwn(value, keyword.toLowerCase(), given)
  return value
}
