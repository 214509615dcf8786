/** The notation of REST's bodies, queries and answers: server/base/schema.ts, with REST's timestamps. */
import { type Schema, type StringRules, string as text } from '../server/base/schema.ts'

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
} from '../server/base/schema.ts'

/** @param rules of the formats only those that REST checks */
export function string(rules: StringRules & { readonly format?: 'date-time' | 'email' } = {}): Schema<string> {
  return text(rules)
}

/** An ISO 8601 instant in UTC with milliseconds, as all answers hold them. */
export function timestamp(description?: string): Schema<string> {
  return string({ format: 'date-time', examples: ['2026-01-01T12:00:00.000Z'], ...(description && { description }) })
}
