/**
 * Properties of JMAP types: a schema (server/base/schema.ts) with the attributes of RFC 8620 5. Schemas, defaults, places of creation
 * ids and TypeScript types derive from it: `p.string().nullable().defaults(null)`. Data only, no behaviour.
 */
import type { Json } from '../../server/base/json.ts'
import * as schemas from '../../server/base/schema.ts'
import type { IdPlace } from '../protocol/creation-ids.ts'
import { ID_PATTERN } from '../protocol/primitives.ts'

/** Attributes that the type checker knows beside a property's type. */
export type Flag = 'server' | 'fixed' | 'maybe' | 'default' | 'secret' | 'computed'

interface Attributes {
  /** RFC 8620 5.3: only the server sets it. */
  readonly serverSet: boolean
  /** RFC 8620 5.3: set at creation only. */
  readonly immutable: boolean
  /** May be left out at creation although it has no default. */
  readonly optional: boolean
  /** Never returned, such as a password. */
  readonly writeOnly: boolean
  /** Returned only if requested by name. */
  readonly notByDefault: boolean
  /** Not stored: handlers compute it when an object is read. */
  readonly computed: boolean
  /** Where the value holds ids, for creation ids. */
  readonly idPlace: IdPlace | undefined
  /** URN of a capability beside the type's own, without which the property does not exist (RFC 8620 1.8). */
  readonly capability: string | undefined
}

/** A property with its types erased. */
export interface PropertySpec extends Attributes {
  readonly json: schemas.JsonSchema
  readonly default: Json | undefined
}

/**
 * A property of type T; the methods return changed copies.
 * @template I what a client may write: members that have a default or are optional may be missing
 */
export class Property<T, F extends Flag = never, I = T> implements PropertySpec, schemas.Schema<T> {
  /** Exists for the type checker only. */
  declare readonly is: { readonly type: T; readonly input: I; readonly flags: F }
  declare readonly [schemas.TYPE]?: T
  readonly json: schemas.JsonSchema
  readonly default: Json | undefined
  readonly serverSet: boolean
  readonly immutable: boolean
  readonly optional: boolean
  readonly writeOnly: boolean
  readonly notByDefault: boolean
  readonly computed: boolean
  readonly idPlace: IdPlace | undefined
  readonly capability: string | undefined

  constructor(json: schemas.JsonSchema, attributes: Partial<Attributes> = {}) {
    this.json = json
    this.default = json.default as Json | undefined
    this.serverSet = attributes.serverSet ?? false
    this.immutable = attributes.immutable ?? false
    this.optional = attributes.optional ?? false
    this.writeOnly = attributes.writeOnly ?? false
    this.notByDefault = attributes.notByDefault ?? false
    this.computed = attributes.computed ?? false
    this.idPlace = attributes.idPlace
    this.capability = attributes.capability
  }

  /** Faults say what the value itself must be. They do not mention null. */
  nullable(): Property<T | null, F, I | null> {
    return new Property({ anyOf: [this.json, { type: 'null' }] }, this)
  }
  defaults(value: T & Json): Property<T, F | 'default', I> {
    return new Property(schemas.withDefault(this, value).json, this)
  }
  server(): Property<T, F | 'server', I> {
    return this.#with({ serverSet: true })
  }
  fixed(): Property<T, F | 'fixed', I> {
    return this.#with({ immutable: true })
  }
  maybe(): Property<T, F | 'maybe', I> {
    return this.#with({ optional: true })
  }
  secret(): Property<T, F | 'secret', I> {
    return this.#with({ writeOnly: true, optional: true })
  }
  onRequest(): Property<T, F, I> {
    return this.#with({ notByDefault: true })
  }
  compute(): Property<T, F | 'computed', I> {
    return this.#with({ computed: true })
  }
  /** An extension of a type that another specification defines: returned only if requested by name. */
  extension({ urn }: { readonly urn: string }): Property<T, F, I> {
    return this.#with({ notByDefault: true, capability: urn })
  }

  /** The value that the store holds as JSON text. It was checked when it was written. */
  fromText(text: string): T {
    return JSON.parse(text)
  }

  #with<G extends Flag>(attributes: Partial<Attributes>): Property<T, G, I> {
    return new Property(this.json, { ...this, ...attributes })
  }
}

export type Properties = { readonly [name: string]: Property<unknown, Flag> }

/** Names of the properties that have a flag. */
export type Flagged<P extends Properties, F extends Flag> = {
  [K in keyof P]: Extract<P[K]['is']['flags'], F> extends never ? never : K
}[keyof P]

/** An object with all members; those of `O` may be missing. */
export type WholeOf<P extends Properties, O extends keyof P = Flagged<P, 'maybe'>> = {
  readonly [K in Exclude<keyof P, O>]: P[K]['is']['type']
} & { readonly [K in O]?: P[K]['is']['type'] }
/** The same, as a client may write it. */
export type WrittenOf<P extends Properties, O extends keyof P = Flagged<P, 'maybe' | 'default'>> = {
  readonly [K in Exclude<keyof P, O>]: P[K]['is']['input']
} & { readonly [K in O]?: P[K]['is']['input'] }

/** Arguments after `checkArguments`: those with a default are set. */
export type ArgumentsOf<P extends Properties> = {
  readonly [K in Exclude<keyof P, Flagged<P, 'maybe'>>]: P[K]['is']['input']
} & { readonly [K in Flagged<P, 'maybe'>]?: P[K]['is']['input'] }

function property<T>({ json }: schemas.Schema<T>, attributes?: Partial<Attributes>): Property<T> {
  return new Property(json, attributes)
}

const id = schemas.string({ format: 'id' })
const TRUE: schemas.Schema<true> = { json: { const: true } }

export const p = {
  string: (rules?: schemas.StringRules) => property(schemas.string(rules)),
  oneOf: <const V extends string>(values: readonly V[]) => property(schemas.oneOf(values)),
  bool: () => property(schemas.boolean()),
  number: () => property(schemas.number()),
  /** RFC 8620 1.3 UnsignedInt */
  uint: (rules?: schemas.NumberRules) =>
    property(schemas.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...rules })),
  /** RFC 8620 1.3 Int */
  int: () => property(schemas.integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  utcDate: () => property(schemas.string({ format: 'utc-date' })),
  date: () => property(schemas.string({ format: 'date' })),
  id: () => property(id, { idPlace: 'id' }),
  ids: () => property(schemas.array(id), { idPlace: 'ids' }),
  /** `Id[Boolean]`: every value is true. */
  idSet: () => property(schemas.map(TRUE), { idPlace: 'keys' }),
  /** `String[Boolean]`: every value is true. */
  set: () => property(schemas.map(TRUE)),
  list: <T, F extends Flag, I>(of: Property<T, F, I>, rules?: schemas.ArrayRules) =>
    new Property<readonly T[], never, readonly I[]>(schemas.array(of, rules).json),
  /** An object with the given members; others are refused. */
  object: <P extends Properties>(members: P) =>
    new Property<WholeOf<P>, never, WrittenOf<P>>(schemas.object(members, { additionalProperties: false }).json),
  map: <T, F extends Flag, I>(of: Property<T, F, I>) =>
    new Property<{ readonly [key: string]: T }, never, { readonly [key: string]: I }>(schemas.map(of).json),
  /** `Id[...]` under creation ids: such a key is returned in createdIds, so it must be an Id (RFC 8620 5.3). */
  creations: <T, F extends Flag, I>(of: Property<T, F, I>) =>
    new Property<{ readonly [key: string]: T }, never, { readonly [key: string]: I }>(
      schemas.map(of, { keyPattern: ID_PATTERN.source }).json,
    ),
  /** Any JSON that fits the schema; handlers check the rest. */
  json: <T = Json, I = T>(schema: schemas.JsonSchema = {}) => new Property<T, never, I>(schema),
}
