/**
 * The only notation of schemas: a JSON Schema with its TypeScript type. The properties of JMAP types (jmap/type/property.ts) and the
 * bodies and queries of REST (rest/schema/schema.ts) are declared in it; validators, the OpenAPI document and the types of handlers
 * derive from it.
 */
import type { Json } from './json.ts'

type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

/** The keywords of JSON Schema in use. */
export type JsonSchema = StringRules &
  NumberRules &
  ArrayRules & {
    readonly type?: JsonType | readonly JsonType[]
    readonly enum?: readonly (string | null)[]
    readonly const?: Json
    readonly default?: unknown
    readonly items?: JsonSchema
    readonly properties?: { readonly [name: string]: JsonSchema }
    readonly required?: readonly string[]
    readonly additionalProperties?: boolean | JsonSchema
    readonly propertyNames?: JsonSchema
    readonly maxProperties?: number
    readonly anyOf?: readonly JsonSchema[]
    readonly writeOnly?: boolean
    readonly [NAME]?: string
  }

/** Marks a schema that the OpenAPI document lists under a name (`components.schemas`). */
export const NAME: unique symbol = Symbol('name')

export declare const TYPE: unique symbol

export interface Schema<T> {
  readonly json: JsonSchema
  /** May be left out. */
  readonly optional?: boolean
  /** Exists for the type checker only. */
  readonly [TYPE]?: T
}

export interface OptionalSchema<T> extends Schema<T> {
  readonly optional: true
}

export type Infer<S> = S extends Schema<infer T> ? T : never
export type Shape = { readonly [name: string]: Schema<unknown> }
type OptionalNames<S extends Shape> = { [K in keyof S]: S[K] extends { optional: true } ? K : never }[keyof S]
/** An object with the members of a shape. */
export type MembersOf<S extends Shape> = { readonly [K in Exclude<keyof S, OptionalNames<S>>]: Infer<S[K]> } & {
  readonly [K in OptionalNames<S>]?: Infer<S[K]>
}

/** Annotations and limits, with the names of JSON Schema. */
export interface StringRules {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
}

export interface NumberRules {
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
  readonly examples?: readonly unknown[]
}

export interface ArrayRules {
  readonly minItems?: number
  readonly maxItems?: number
  readonly description?: string
}

export interface MapRules {
  readonly maxProperties?: number
  readonly keyPattern?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
}

export function string(rules: StringRules = {}): Schema<string> {
  return { json: { type: 'string', ...rules } }
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

export function constant<const V extends string>(value: V): Schema<V> {
  return { json: { type: 'string', const: value } }
}

export function array<T>(items: Schema<T>, rules: ArrayRules = {}): Schema<readonly T[]> {
  return { json: { type: 'array', items: items.json, ...rules } }
}

export function object<S extends Shape>(
  shape: S,
  rules: { readonly description?: string; readonly additionalProperties?: false } = {},
): Schema<MembersOf<S>> {
  const members = Object.entries(shape)
  const required = members.filter(([, { json, optional }]) => !optional && !('default' in json)).map(([name]) => name)
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(members.map(([name, { json }]) => [name, json])),
      ...(required.length > 0 && { required }),
      ...rules,
    },
  }
}

/** An object with keys that the client chooses. */
export function map<T>(values: Schema<T>, rules: MapRules = {}): Schema<{ readonly [key: string]: T }> {
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

export function nullable<T>({ json }: Schema<T>): Schema<T | null> {
  if (json[NAME] !== undefined || typeof json.type !== 'string') return { json: { anyOf: [json, { type: 'null' }] } }
  return { json: { ...json, type: [json.type, 'null'], ...(json.enum && { enum: [...json.enum, null] }) } }
}

/** One of several shapes of different JSON types, so that a fault names the intended shape. */
export function union<S extends readonly Schema<unknown>[]>(
  schemas: S,
  description?: string,
): Schema<Infer<S[number]>> {
  return { json: { anyOf: schemas.map(({ json }) => json), ...(description && { description }) } }
}

export function optional<T>({ json }: Schema<T>): OptionalSchema<T> {
  return { json, optional: true }
}

/** A schema whose missing value is `value`. */
export function withDefault<T>({ json }: Schema<T>, value: T): Schema<T> {
  return { json: { ...json, default: value } }
}

/** A password or another value that no response and no example contains. */
export function writeOnly<T>({ json }: Schema<T>): Schema<T> {
  return { json: { ...json, writeOnly: true } }
}

export function named<T>(name: string, { json }: Schema<T>): Schema<T> {
  return { json: { ...json, [NAME]: name } }
}

/** Any JSON. */
export function anything(description?: string): Schema<unknown> {
  return { json: description ? { description } : {} }
}
