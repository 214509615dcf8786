/**
 * JSON Schemas with the TypeScript type of their values. From one declaration come the validator, the OpenAPI document and the types of
 * the handler's input and output.
 */

/** Marks a schema that the OpenAPI document lists under its own name (`components.schemas`). */
export const NAME: unique symbol = Symbol('name')

type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

/** The keywords of JSON Schema 2020-12 that are in use. */
export interface JsonSchema {
  readonly [NAME]?: string
  readonly type?: JsonType | readonly JsonType[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly const?: string
  readonly enum?: readonly (string | null)[]
  readonly format?: 'date-time' | 'email'
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | false
  readonly maxProperties?: number
  readonly anyOf?: readonly JsonSchema[]
  readonly writeOnly?: boolean
}

declare const TYPE: unique symbol
declare const OPTIONAL: unique symbol

export interface Schema<T> {
  readonly json: JsonSchema
  /** Absent at run time. */
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

type StringRules = Pick<JsonSchema, 'minLength' | 'maxLength' | 'pattern' | 'format' | 'description' | 'examples'>
type NumberRules = Pick<JsonSchema, 'minimum' | 'maximum' | 'description' | 'examples'>
type ArrayRules = Pick<JsonSchema, 'minItems' | 'maxItems' | 'description'>
type MapRules = Pick<JsonSchema, 'maxProperties' | 'description'>

export function string(rules: StringRules = {}): Schema<string> {
  return { json: { type: 'string', ...rules } }
}

/** An ISO 8601 instant. Answers have it in UTC with milliseconds. */
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

/** An id. @param sample for the OpenAPI document */
export function id(sample: string, description?: string): Schema<string> {
  return string({ examples: [sample], ...(description !== undefined && { description }) })
}

/** One value only, such as the kind of a resource in its member `object`. */
export function constant<const V extends string>(value: V): Schema<V> {
  return { json: { type: 'string', const: value } }
}

export function array<T>(items: Schema<T>, rules: ArrayRules = {}): Schema<readonly T[]> {
  return { json: { type: 'array', items: items.json, ...rules } }
}

export function object<S extends Shape>(shape: S): Schema<ObjectOf<S>> {
  const members = Object.entries(shape)
  const required = members
    .filter(([, member]) => !('optional' in member) && !('default' in member.json))
    .map(([name]) => name)
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(members.map(([name, { json }]) => [name, json])),
      ...(required.length > 0 && { required }),
    },
  }
}

/** An object whose keys the client chooses. */
export function map<T>(values: Schema<T>, rules: MapRules = {}): Schema<{ readonly [key: string]: T }> {
  return { json: { type: 'object', additionalProperties: values.json, ...rules } }
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { [NAME]: name, ...json } = schema.json
  if (name !== undefined || typeof json.type !== 'string') return { json: { anyOf: [schema.json, { type: 'null' }] } }
  const values = json.enum ? { enum: [...json.enum, null] } : {}
  return { json: { ...json, type: [json.type, 'null'], ...values } }
}

/** One of several shapes with different JSON types. The type of a wrong value decides which shape its error is about. */
export function union<S extends readonly Schema<unknown>[]>(
  schemas: S,
  description?: string,
): Schema<Infer<S[number]>> {
  return { json: { anyOf: schemas.map((schema) => schema.json), ...(description && { description }) } }
}

export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  return { json: schema.json, optional: true }
}

/** The validator fills it in when the client leaves it out. */
export function withDefault<T>(schema: Schema<T>, value: T & (string | number | boolean | null)): Schema<T> {
  return { json: { ...schema.json, default: value } }
}

/** A password or the like: in no answer. */
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
