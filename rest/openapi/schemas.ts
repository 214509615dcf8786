/** JSON Schemas as the OpenAPI document holds them: those with a name once, among the components. */
import { type JsonSchema, NAME } from '../schema/schema.ts'

export type Json = { [name: string]: unknown }

/** Components by name, filled while the document is made. */
export type Schemas = { [name: string]: unknown }

/** A named schema goes to the components, once; where it was used a reference stays. */
export function component(schema: JsonSchema, schemas: Schemas): unknown {
  const name = schema[NAME]
  if (name === undefined) return plain(schema, schemas)
  schemas[name] ??= plain(schema, schemas)
  return { $ref: `#/components/schemas/${name}` }
}

function plain(schema: JsonSchema, schemas: Schemas): JsonSchema {
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, inner(keyword, value, schemas)]))
}

function inner(keyword: string, value: unknown, schemas: Schemas): unknown {
  if (keyword === 'properties') {
    const properties = Object.entries(value as { [name: string]: JsonSchema })
    return Object.fromEntries(properties.map(([name, child]) => [name, component(child, schemas)]))
  }
  if (keyword === 'anyOf') return (value as JsonSchema[]).map((child) => component(child, schemas))
  if (keyword === 'items' || (keyword === 'additionalProperties' && typeof value === 'object')) {
    return component(value as JsonSchema, schemas)
  }
  return value
}
