/**
 * Kinds of properties, from which schemas, defaults, creation-id places and TypeScript types derive.
 * `p.string().nullable().default(null)`: data only, no behaviour.
 */

import type { IdPlace } from '../protocol/creation-ids.ts'
import type { Json } from '../protocol/json.ts'
import { ID_PATTERN } from '../protocol/primitives.ts'

export type JsonSchema = { readonly [key: string]: unknown }

export interface PropertySpec {
  readonly schema: JsonSchema
  readonly default: Json | undefined
  /** RFC 8620 5.3: only the server sets it. */
  readonly serverSet: boolean
  /** RFC 8620 5.3: set at creation only. */
  readonly immutable: boolean
  /** May be left out at creation though it has no default. */
  readonly optional: boolean
  /** Never returned, such as a password. */
  readonly writeOnly: boolean
  /** Returned only when asked for by name. */
  readonly notByDefault: boolean
  /** Where ids stand in the value, for creation ids. */
  readonly idPlace: IdPlace | undefined
  /** A capability beside the type's own, without which it is as if it were not there (RFC 8620 1.8). */
  readonly capability: string | undefined
}

/** A property of type T; the methods return changed copies. */
export class Property<T> implements PropertySpec {
  declare readonly type: T
  readonly schema: JsonSchema
  readonly default: Json | undefined
  readonly serverSet: boolean
  readonly immutable: boolean
  readonly optional: boolean
  readonly writeOnly: boolean
  readonly notByDefault: boolean
  readonly idPlace: IdPlace | undefined
  readonly capability: string | undefined

  constructor(spec: Partial<PropertySpec> & { schema: JsonSchema }) {
    this.schema = spec.schema
    this.default = spec.default
    this.serverSet = spec.serverSet ?? false
    this.immutable = spec.immutable ?? false
    this.optional = spec.optional ?? false
    this.writeOnly = spec.writeOnly ?? false
    this.notByDefault = spec.notByDefault ?? false
    this.idPlace = spec.idPlace
    this.capability = spec.capability
  }

  nullable(): Property<T | null> {
    return new Property({ ...this, schema: { anyOf: [this.schema, { type: 'null' }] } })
  }
  defaults(value: Json): Property<T> {
    return new Property({ ...this, default: value })
  }
  server(): Property<T> {
    return new Property({ ...this, serverSet: true })
  }
  fixed(): Property<T> {
    return new Property({ ...this, immutable: true })
  }
  maybe(): Property<T> {
    return new Property({ ...this, optional: true })
  }
  secret(): Property<T> {
    return new Property({ ...this, writeOnly: true, optional: true })
  }
  onRequest(): Property<T> {
    return new Property({ ...this, notByDefault: true })
  }
  /** An extension of a type that another specification defines; a property so is told only when asked for by name. */
  extension(capability: string): Property<T> {
    return new Property({ ...this, notByDefault: true, capability })
  }
}

export type Properties = { readonly [name: string]: Property<unknown> }

/** The object that properties describe. */
export type Infer<P extends Properties> = { readonly [K in keyof P]: P[K] extends Property<infer T> ? T : never }

export const p = {
  string: (limits: { min?: number; max?: number } = {}) =>
    new Property<string>({
      schema: {
        type: 'string',
        ...(limits.min !== undefined && { minLength: limits.min }),
        ...(limits.max !== undefined && { maxLength: limits.max }),
      },
    }),
  oneOf: <const T extends string>(values: readonly T[]) =>
    new Property<T>({ schema: { type: 'string', enum: values } }),
  bool: () => new Property<boolean>({ schema: { type: 'boolean' } }),
  /** RFC 8620 1.3 UnsignedInt */
  uint: (limits: { min?: number; max?: number } = {}) =>
    new Property<number>({
      schema: { type: 'integer', minimum: limits.min ?? 0, maximum: limits.max ?? Number.MAX_SAFE_INTEGER },
    }),
  /** RFC 8620 1.3 Int */
  int: () =>
    new Property<number>({
      schema: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    }),
  utcDate: () => new Property<string>({ schema: { type: 'string', format: 'utc-date' } }),
  date: () => new Property<string>({ schema: { type: 'string', format: 'date' } }),
  id: () => new Property<string>({ schema: { type: 'string', format: 'id' }, idPlace: 'id' }),
  ids: () =>
    new Property<readonly string[]>({
      schema: { type: 'array', items: { type: 'string', format: 'id' } },
      idPlace: 'ids',
    }),
  /** `Id[Boolean]`: every value is true. */
  idSet: () =>
    new Property<{ readonly [id: string]: true }>({
      schema: { type: 'object', additionalProperties: { const: true } },
      idPlace: 'keys',
    }),
  list: <T>(of: Property<T>) => new Property<readonly T[]>({ schema: { type: 'array', items: of.schema } }),
  /** An object with the members given; others are refused. */
  object: <P extends Properties>(members: P) =>
    new Property<Infer<P>>({
      schema: {
        type: 'object',
        properties: Object.fromEntries(Object.entries(members).map(([name, property]) => [name, property.schema])),
        required: Object.keys(members).filter(
          (name) => !members[name]!.optional && members[name]!.default === undefined,
        ),
        additionalProperties: false,
      },
    }),
  map: <T>(of: Property<T>) =>
    new Property<{ readonly [key: string]: T }>({ schema: { type: 'object', additionalProperties: of.schema } }),
  /** `Id[...]` under creation ids: such a key comes back in createdIds, so it is an Id as any other (RFC 8620 5.3). */
  creations: <T>(of: Property<T>) =>
    new Property<{ readonly [creationId: string]: T }>({
      schema: { type: 'object', additionalProperties: of.schema, propertyNames: { pattern: ID_PATTERN.source } },
    }),
  /** A shape that rules judge themselves. */
  json: <T = Json>(schema: JsonSchema = {}) => new Property<T>({ schema }),
}
