/** JSON Schemas in the OpenAPI document: a named schema is there once, among the components. */
import { type JsonSchema, NAME } from '../schema/schema.ts'

export type Json = { [name: string]: unknown }

/** Components by name, filled while the document is built. */
export type Schemas = { [name: string]: unknown }

/** A named schema becomes a component, and its uses become references. */
export function component(schema: JsonSchema, schemas: Schemas): Json {
  const name = schema[NAME]
  if (name === undefined) return withReferences(schema, schemas)
  schemas[name] ??= withReferences(schema, schemas)
  return { $ref: `#/components/schemas/${name}` }
}

/**
 * The default of a member in words: generators of clients take a member with the keyword `default` for one that is always there, and
 * demand it of requests.
 */
function toldDefault(schema: JsonSchema): JsonSchema {
  if (!('default' in schema)) return schema
  const { default: value, description, ...rest } = schema
  const words = `Default: ${JSON.stringify(value)}.`
  return { ...rest, description: description === undefined ? words : `${description} ${words}` }
}

function withReferences({ [NAME]: _name, ...schema }: JsonSchema, schemas: Schemas): Json {
  const { properties, anyOf, items, additionalProperties: values } = schema
  const members =
    properties && Object.entries(properties).map(([name, child]) => [name, component(toldDefault(child), schemas)])
  // The spread comes first, so that each keyword keeps its place.
  return {
    ...schema,
    ...(members && { properties: Object.fromEntries(members) }),
    ...(anyOf && { anyOf: anyOf.map((child) => component(child, schemas)) }),
    ...(items && { items: component(items, schemas) }),
    ...(typeof values === 'object' && { additionalProperties: component(values, schemas) }),
  }
}
