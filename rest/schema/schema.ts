/**
 * JSON Schemas with the TypeScript type they stand for: what an endpoint declares once becomes the validator, the OpenAPI
 * document and the type of the handler's input and output.
 */

export type JsonSchema = { [keyword: string]: unknown; [NAME]?: string }

/** Marks a schema that the OpenAPI document lists under a name of its own (`components.schemas`). */
export const NAME: unique symbol = Symbol('name')

declare const TYPE: unique symbol
declare const OPTIONAL: unique symbol

export interface Schema<T> {
  readonly json: JsonSchema
  /** Never there at run time. */
  readonly [TYPE]?: T
}

export interface OptionalSchema<T> extends Schema<T> {
  readonly optional: true
  readonly [OPTIONAL]?: true
}

export type Infer<S> = S extends Schema<infer T> ? T : never
export type Shape = { readonly [name: string]: Schema<unknown> }
type OptionalNames<S extends Shape> = { [K in keyof S]: S[K] extends { optional: true } ? K : never }[keyof S]
export type ObjectOf<S extends Shape> = { readonly [K in Exclude<keyof S, OptionalNames<S>>]: Infer<S[K]> } & {
  readonly [K in OptionalNames<S>]?: Infer<S[K]>
}

/** Annotations and limits, as JSON Schema names them. */
export interface StringRules {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: 'date-time' | 'email'
  readonly description?: string
  readonly examples?: readonly string[]
}

export interface NumberRules {
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
  readonly examples?: readonly number[]
}

export function string(rules: StringRules = {}): Schema<string> {
  return { json: { type: 'string', ...rules } }
}

/** An ISO 8601 instant in UTC with milliseconds, as all answers hold them. */
export function timestamp(description?: string): Schema<string> {
  return string({ format: 'date-time', examples: ['2026-01-01T12:00:00.000Z'], ...(description && { description }) })
}

export function integer(rules: NumberRules = {}): Schema<number> {
  return { json: { type: 'integer', ...rules } }
}

export function number(rules: NumberRules = {}): Schema<number> {
  return { json: { type: 'number', ...rules } }
}

export function boolean(description?: string): Schema<boolean> {
  return { json: { type: 'boolean', ...(description && { description }) } }
}

export function oneOf<const V extends string>(values: readonly V[], description?: string): Schema<V> {
  return { json: { type: 'string', enum: values, ...(description && { description }) } }
}

/** The kind of a resource, as its `object` member tells it. */
export function constant<const V extends string>(value: V): Schema<V> {
  return { json: { type: 'string', const: value } }
}

export function array<T>(
  items: Schema<T>,
  rules: { minItems?: number; maxItems?: number; description?: string } = {},
): Schema<readonly T[]> {
  return { json: { type: 'array', items: items.json, ...rules } }
}

export function object<S extends Shape>(shape: S, rules: { description?: string } = {}): Schema<ObjectOf<S>> {
  const names = Object.keys(shape)
  const required = names.filter((name) => !('optional' in shape[name]!) && !('default' in shape[name]!.json))
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, shape[name]!.json])),
      ...(required.length > 0 && { required }),
      ...rules,
    },
  }
}

/** An object with keys of the client's choosing. */
export function map<T>(
  values: Schema<T>,
  rules: { maxProperties?: number; keyPattern?: string; description?: string } = {},
): Schema<{ readonly [key: string]: T }> {
  const { keyPattern, ...rest } = rules
  return {
    json: {
      type: 'object',
      additionalProperties: values.json,
      ...(keyPattern !== undefined && { propertyNames: { type: 'string', pattern: keyPattern } }),
      ...rest,
    },
  }
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { [NAME]: name, ...json } = schema.json
  if (name !== undefined || typeof json['type'] !== 'string') {
    return { json: { anyOf: [schema.json, { type: 'null' }] } }
  }
  const values = Array.isArray(json['enum']) ? { enum: [...json['enum'], null] } : {}
  return { json: { ...json, type: [json['type'], 'null'], ...values } }
}

/** One of several shapes that differ in their JSON type, so that a wrong value is told against the shape it was meant to be. */
export function union<S extends readonly Schema<unknown>[]>(
  schemas: S,
  description?: string,
): Schema<Infer<S[number]>> {
  return { json: { anyOf: schemas.map((schema) => schema.json), ...(description && { description }) } }
}

export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  return { json: schema.json, optional: true }
}

/** Filled in when the client leaves it out; so a handler always sees a value. */
export function withDefault<T>(schema: Schema<T>, value: T & (string | number | boolean | null)): Schema<T> {
  return { json: { ...schema.json, default: value } }
}

/** Password and the like: never in an answer, never in an example. */
export function writeOnly<T>(schema: Schema<T>): Schema<T> {
  return { json: { ...schema.json, writeOnly: true } }
}

export function named<T>(name: string, schema: Schema<T>): Schema<T> {
  return { json: { ...schema.json, [NAME]: name } }
}

/** Any JSON. */
export function anything(description?: string): Schema<unknown> {
  return { json: description ? { description } : {} }
}
