/**
 * A JMAP type, declared once as data. Methods, schemas, TypeScript types, ids, scopes, the session and push derive from the
 * declaration; behaviour is in its handlers (handlers.ts).
 */
import type { AccountKind, IdKind } from '../../server/base/ids.ts'
import type { JsonObject } from '../../server/base/json.ts'
import type { BlobType } from './blob-uses.ts'
import type { Capability, SessionAccount } from './capability.ts'
import type { Invalidated } from './invalidated.ts'
import { type Flag, type Properties, Property } from './property.ts'

/** Number of the only object of a singleton type (RFC 8620 5.3). No created object gets it. */
export const SINGLETON = 0
/** Id of a singleton object; also the `idPrefix` of its type. */
export const SINGLETON_ID = 'singleton'

/** In `defaultProperties` of an open type, and where a whole object is loaded: all properties that are not declared. */
export const OTHERS = '*'

export type StandardMethod = 'get' | 'changes' | 'set' | 'copy' | 'query' | 'queryChanges'

/** Objects in the generic store, one JSON text each. `Internal` is data that handlers store beside the declared properties. */
export interface ObjectStorage<Internal extends object> {
  readonly internal?: Internal
}

export function objectStorage<Internal extends object = object>(): ObjectStorage<Internal> {
  return {}
}

export interface TypeSpec extends IdKind {
  readonly name: string
  readonly capability: Capability
  /** The section that defines the type, or `vendor`. */
  readonly spec: string
  /** `org` in `org_...`. SINGLETON_ID: each account has one object, with that id and the number SINGLETON. */
  readonly idPrefix: string
  /** Objects describe accounts: the id of an object is the id of the account with the same number. */
  readonly isAccount?: boolean
  /** Kind of the accounts that hold its objects. */
  readonly accounts: AccountKind
  /** The generic store, for types without a table. */
  readonly storage?: ObjectStorage<object>
  readonly methods: readonly StandardMethod[]
  readonly properties: Properties
  /** An open type: any other name is a property too, of this kind. */
  readonly others?: Property<unknown, Flag>
  /** Its objects have instances with ids of their own (instance-numbers.ts). */
  readonly hasInstances?: boolean
  /** Properties that only the response to the creation of an object has, such as a secret. */
  readonly atCreation?: Properties
  /** Filter conditions: name to the value they take. */
  readonly filters?: Properties
  /** Properties (or names of their own) that a Comparator may name. */
  readonly sorts?: readonly string[]
  /** Arguments beside the standard ones. */
  readonly args?: { readonly [method in 'get' | 'set' | 'query']?: Properties }
  /** Scopes that an API key needs (decision D6). */
  readonly scopes: { readonly read: string; readonly write: string }
  /** What the type adds to its capability's object in `accountCapabilities`. */
  readonly account?: (session: SessionAccount) => JsonObject
  /** RFC 9404 4.3: numbers of the objects that lead to a blob. */
  readonly ofBlob?: BlobType['ofBlob']
  /** Data that is read again when its objects change. */
  readonly invalidates?: readonly Invalidated[]
  /** Further names of states that push reports for this type (RFC 8621 1.5). */
  readonly pushNames?: readonly string[]
}

export interface TypeDefinition extends TypeSpec {
  /** What `properties: null` returns. */
  readonly defaultProperties: readonly string[]
}

/** @throws TypeError when the program starts, if the declaration contradicts itself */
export function defineType<const S extends TypeSpec>(spec: S): S & Pick<TypeDefinition, 'defaultProperties'> {
  const { name, properties } = spec
  const { id } = properties
  if (!(id instanceof Property) || !id.serverSet || !id.immutable)
    throw new TypeError(`${name}: id is server-set and immutable`)
  for (const [member, property] of Object.entries(properties)) {
    if (property.serverSet && property.writeOnly)
      throw new TypeError(`${name}.${member} cannot be both server-set and write-only`)
    if (property.serverSet && property.default !== undefined)
      throw new TypeError(`${name}.${member}: a server-set property has no default`)
    if (property.computed && !property.serverSet)
      throw new TypeError(`${name}.${member}: a computed property is server-set`)
  }
  if (spec.methods.includes('queryChanges') && !spec.methods.includes('query'))
    throw new TypeError(`${name}/queryChanges needs ${name}/query`)
  const shown = Object.entries(properties).filter(([, { notByDefault, writeOnly }]) => !notByDefault && !writeOnly)
  return { ...spec, defaultProperties: [...shown.map(([member]) => member), ...(spec.others ? [OTHERS] : [])] }
}

/** The declaration of a property by its name; undefined: the type has none of that name. */
export function propertyOf({ properties, others }: TypeSpec, name: string): Property<unknown, Flag> | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : others
}
