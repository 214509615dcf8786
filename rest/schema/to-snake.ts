/** Members of JMAP objects are in camel case, those of REST in snake case. Where only the names differ, the schema maps one to the other. */
import type { JsonSchema, Schema } from './schema.ts'
import { instant } from './timestamps.ts'

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name

/** The JMAP object behind a REST object of type T. The kind of a resource, its member `object`, is in the schema. */
export type CamelOf<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly CamelOf<Item>[]
    : { readonly [K in keyof T as K extends 'object' ? never : Camel<K & string>]: CamelOf<T[K]> }

/**
 * A REST object from a JMAP object. Times get their milliseconds.
 * @param own members whose value is not that of the JMAP property of the same name
 */
export function toSnake<T>(schema: Schema<T>, source: CamelOf<T>): T
export function toSnake<T, Own extends Partial<T>>(schema: Schema<T>, source: CamelOf<Omit<T, keyof Own>>, own: Own): T
export function toSnake(schema: Schema<unknown>, source: unknown, own?: object): unknown {
  const mapped = converterOf(schema.json)(source)
  return own ? { ...(mapped as object), ...own } : mapped
}

type Converter = (value: unknown) => unknown

const converters = new WeakMap<JsonSchema, Converter>()

function converterOf(schema: JsonSchema): Converter {
  const made = converters.get(schema) ?? makeConverter(schema)
  converters.set(schema, made)
  return made
}

const same: Converter = (value) => value

function makeConverter({ format, items, properties, anyOf }: JsonSchema): Converter {
  if (format === 'date-time') return (value) => (typeof value === 'string' ? instant(value) : value)
  if (properties) return objectConverter(properties)
  if (anyOf) return anyOf.map(converterOf).find((converter) => converter !== same) ?? same
  const item = items ? converterOf(items) : same
  return item === same ? same : (value) => (Array.isArray(value) ? value.map(item) : value)
}

function objectConverter(properties: NonNullable<JsonSchema['properties']>): Converter {
  const members = Object.entries(properties).map(([name, schema]) => {
    return { name, camel: camelOf(name), convert: converterOf(schema), constant: schema.const }
  })
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const source = value as { readonly [name: string]: unknown }
    const result: { [name: string]: unknown } = {}
    for (const { name, camel, convert, constant } of members) result[name] = constant ?? convert(source[camel])
    return result
  }
}

/** The members of a body that the client has sent, under the names of JMAP. */
export function toCamel<B extends object, K extends keyof B & string>(
  body: B,
  names: readonly K[],
): { readonly [N in K as Camel<N>]?: Exclude<B[N], undefined> } {
  const given = names.filter((name) => body[name] !== undefined).map((name) => [camelOf(name), body[name]])
  return Object.fromEntries(given)
}

function camelOf(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
