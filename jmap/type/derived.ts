/**
 * TypeScript types that derive from the declaration of a type: `ObjectOf<typeof Mailbox>`. For a TypeDefinition with unknown properties
 * they are plain JSON; the shared methods use that form.
 */
import type { Json, JsonObject } from '../../server/base/json.ts'
import type { ObjectStorage, TypeSpec } from './define-type.ts'
import type { ArgumentsOf, Flag, Flagged, Properties, WholeOf } from './property.ts'

type Declared<D extends TypeSpec, T> = string extends keyof D['properties'] ? JsonObject : T
type Names<D extends TypeSpec, F extends Flag> = Flagged<D['properties'], F>
type Types<D extends TypeSpec, K> = { readonly [N in K & keyof D['properties']]: D['properties'][N]['is']['type'] }
type Inputs<D extends TypeSpec, K> = { readonly [N in K & keyof D['properties']]: D['properties'][N]['is']['input'] }

/** An object with all properties that clients may read. */
export type ObjectOf<D extends TypeSpec> = Declared<D, Types<D, Exclude<keyof D['properties'], Names<D, 'secret'>>>>

/** A record to create, checked, with its defaults. */
export type CreateOf<D extends TypeSpec> = Declared<
  D,
  Inputs<D, Exclude<keyof D['properties'], Names<D, 'server' | 'maybe' | 'secret'>>> &
    Partial<Inputs<D, Exclude<Names<D, 'maybe' | 'secret'>, Names<D, 'server'>>>>
>

/** A record to create as a client sends it. */
export type NewOf<D extends TypeSpec> = Declared<
  D,
  Inputs<D, Exclude<keyof D['properties'], Names<D, 'server' | 'maybe' | 'secret' | 'default'>>> &
    Partial<Inputs<D, Exclude<Names<D, 'maybe' | 'secret' | 'default'>, Names<D, 'server'>>>>
>

/** An object after a patch. */
export type PatchedOf<D extends TypeSpec> = Declared<
  D,
  Inputs<D, Exclude<keyof D['properties'], Names<D, 'secret'>>> & Partial<Inputs<D, Names<D, 'secret'>>>
>

/** RFC 8620 5.3: a PatchObject. */
export type PatchOf<D extends TypeSpec> = {
  readonly [N in Exclude<keyof D['properties'], Names<D, 'server' | 'fixed'>>]?: D['properties'][N]['is'][
    | 'type'
    | 'input']
} & { readonly [pointer: `${string}/${string}`]: Json }

/** Properties that only the response to the creation has. */
export type AtCreationOf<D extends TypeSpec> = D extends { readonly atCreation: infer P extends Properties }
  ? WholeOf<P>
  : object

/** The declared properties that the generic store holds. */
export type StoredPropertiesOf<D extends TypeSpec> = Declared<
  D,
  Types<D, Exclude<keyof D['properties'], 'id' | Names<D, 'secret' | 'computed'>>>
>

/** What handlers store beside them. */
export type InternalOf<D extends TypeSpec> = D extends { readonly storage: ObjectStorage<infer I> } ? I : object

/** The data of an object in the generic store. */
export type StoredOf<D extends TypeSpec> = StoredPropertiesOf<D> & InternalOf<D>

/** Properties that handlers add when an object is read. */
export type ComputedOf<D extends TypeSpec> = Declared<D, Types<D, Names<D, 'computed'>>>

export type NameOf<D extends TypeSpec> = keyof ObjectOf<D> & string

/** Arguments of a standard method that are specific to this type. */
export type ExtraArguments<D extends TypeSpec, M extends 'get' | 'set' | 'query'> = D extends {
  readonly args: { readonly [method in M]: infer P extends Properties }
}
  ? ArgumentsOf<P>
  : JsonObject

/** RFC 8620 5.5: a FilterCondition, and a filter of such conditions. */
export type ConditionOf<D extends TypeSpec> = D extends { readonly filters: infer P extends Properties }
  ? { readonly [N in keyof P]?: P[N]['is']['type'] }
  : JsonObject
export interface FilterOperator<C> {
  readonly operator: 'AND' | 'OR' | 'NOT'
  readonly conditions: readonly Filter<C>[]
}
export type Filter<C> = FilterOperator<C> | C
export type FilterOf<D extends TypeSpec> = Filter<ConditionOf<D>>

export type SortOf<D extends TypeSpec> = D extends { readonly sorts: readonly (infer S extends string)[] } ? S : string
/** RFC 8620 5.5 */
export interface Comparator<S extends string = string> {
  readonly property: S
  readonly isAscending: boolean
  readonly [extra: string]: Json | undefined
}
