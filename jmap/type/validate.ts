/** ajv over the properties' schemas: one instance, compiled once per property. */
import { Ajv, type ValidateFunction } from 'ajv'
import { isDate, isId, isUTCDate } from '../protocol/primitives.ts'
import type { PropertySpec } from './property.ts'

const ajv = new Ajv({ strict: false, allErrors: false, allowUnionTypes: true })
// A creation id has its `#` in front (RFC 8620 5.3).
ajv.addFormat('id', (text: string) => isId(text.startsWith('#') ? text.slice(1) : text))
ajv.addFormat('utc-date', (text: string) => isUTCDate(text))
ajv.addFormat('date', (text: string) => isDate(text))

const compiled = new WeakMap<object, ValidateFunction>()

/** What is wrong with a value, in words; null when it fits. */
export function faultOf(property: PropertySpec, value: unknown): string | null {
  let validate = compiled.get(property.schema)
  if (!validate) {
    validate = ajv.compile(property.schema)
    compiled.set(property.schema, validate)
  }
  if (validate(value)) return null
  const [error] = validate.errors ?? []
  return `${error?.instancePath ?? ''} ${error?.message ?? 'has the wrong type'}`.trim()
}
