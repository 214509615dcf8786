/** ajv over the schemas of properties: one instance; each schema is compiled once. */
import { Ajv, type ValidateFunction } from 'ajv'
import type { Json, JsonObject } from '../../server/base/json.ts'
import { getOwn, setOwn } from '../protocol/json-object.ts'
import { isDate, isId, isUTCDate } from '../protocol/primitives.ts'
import type { ArgumentsOf, Properties, PropertySpec } from './property.ts'

// The schemas are ours, and a test checks them: compiling the schema of schemas would take each thread 60 ms at its first request.
const ajv = new Ajv({
  strict: false,
  allErrors: false,
  allowUnionTypes: true,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
})
// A creation id starts with `#` (RFC 8620 5.3).
ajv.addFormat('id', (text: string) => isId(text.startsWith('#') ? text.slice(1) : text))
ajv.addFormat('utc-date', (text: string) => isUTCDate(text))
ajv.addFormat('date', (text: string) => isDate(text))

const compiled = new WeakMap<object, ValidateFunction>()

/** What is wrong with a value, as the end of a sentence; null: nothing. */
export function faultOf({ json }: Pick<PropertySpec, 'json'>, value: unknown): string | null {
  let validate = compiled.get(json)
  if (!validate) {
    validate = ajv.compile(json)
    compiled.set(json, validate)
  }
  if (validate(value)) return null
  const [error] = validate.errors ?? []
  return `${error?.instancePath ?? ''} ${error?.message ?? 'has the wrong type'}`.trim()
}

/** The property of that name, if it is declared. */
export function memberOf(properties: Properties, name: string): Properties[string] | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

/** The declared members of an object, with defaults also for null; or the names of all wrong members, unknown ones first. */
export function checkMembers<P extends Properties>(
  properties: P,
  given: JsonObject,
): { readonly value: ArgumentsOf<P> } | { readonly wrong: readonly string[] } {
  const value: { [name: string]: Json } = {}
  const wrong = Object.keys(given).filter((name) => !memberOf(properties, name))
  for (const [name, property] of Object.entries(properties)) {
    const member = getOwn(given, name) ?? property.default
    if (member === undefined || faultOf(property, member) !== null) wrong.push(name)
    else setOwn(value, name, member)
  }
  // Every member has been checked against its declaration.
  return wrong.length > 0 ? { wrong } : { value: value as ArgumentsOf<P> }
}
