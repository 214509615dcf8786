/** The notation of REST's bodies, queries and answers: server/base/schema.ts, with REST's ids and timestamps. */
import {
  constant,
  named,
  object,
  type Schema,
  type Shape,
  type StringRules,
  string as text,
} from '../../server/base/schema.ts'

export {
  anything,
  array,
  boolean,
  constant,
  type Infer,
  integer,
  type JsonSchema,
  map,
  NAME,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Schema,
  union,
  withDefault,
  writeOnly,
} from '../../server/base/schema.ts'

/** @param rules of the formats only those that REST checks */
export function string(rules: StringRules & { readonly format?: 'date-time' | 'email' } = {}): Schema<string> {
  return text(rules)
}

/** An ISO 8601 instant. Answers have it in UTC with milliseconds. */
export function timestamp(description?: string): Schema<string> {
  return string({ format: 'date-time', examples: ['2026-01-01T12:00:00.000Z'], ...(description && { description }) })
}

/** An id. @param sample for the OpenAPI document */
export function id(sample: string, description?: string): Schema<string> {
  return string({ examples: [sample], ...(description !== undefined && { description }) })
}

/** A named object of the API, which has its kind in the member `object`. */
export function resource<const K extends string, S extends Shape>(name: string, kind: K, shape: S) {
  return named(name, object({ object: constant(kind), ...shape }))
}

/** A body that is no JSON, as it was sent. */
export function octets(description: string): Schema<Uint8Array> {
  return { json: { type: 'string', description } }
}
