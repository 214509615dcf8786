/** An example of a value from its schema: its own examples where it has some, and otherwise the plainest value that fits. */
import type { JsonSchema } from './schema.ts'

/** @param how.given for a request: members that may be left out are left out unless they have an example of their own */
export function exampleOf(schema: JsonSchema, how: { readonly given?: boolean } = {}): unknown {
  const examples = schema['examples'] as unknown[] | undefined
  if (examples && examples.length > 0) return examples[0]
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (Array.isArray(schema['anyOf'])) return exampleOf(schema['anyOf'][0] as JsonSchema, how)
  const type = schema['type']
  return ofType(Array.isArray(type) ? (type.includes('null') ? 'null' : type[0]) : type, schema, how)
}

function ofType(type: unknown, schema: JsonSchema, how: { readonly given?: boolean }): unknown {
  switch (type) {
    case 'object':
      return ofObject(schema, how)
    case 'array':
      return [exampleOf(schema['items'] as JsonSchema, how)]
    case 'string':
      return 'string'
    case 'integer':
      return schema['minimum'] ?? 0
    case 'boolean':
      return false
    default:
      return null
  }
}

function ofObject(schema: JsonSchema, how: { readonly given?: boolean }): unknown {
  const properties = Object.entries((schema['properties'] ?? {}) as { [name: string]: JsonSchema })
  const required = (schema['required'] ?? []) as string[]
  const shown = properties.filter(([name, child]) => !how.given || required.includes(name) || 'examples' in child)
  return Object.fromEntries(shown.map(([name, child]) => [name, exampleOf(child, how)]))
}
