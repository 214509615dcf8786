/**
 * A JMAP type, declared once as data. What clients may call, which schemas hold and which properties exist
 * derives from it; behaviour is in its rules (rules.ts).
 */
import type { IdKind } from '../../server/base/ids.ts'
import { type Infer, type Properties, Property } from './property.ts'

/** Number of the only object of a type in an account (RFC 8620 5.3: singleton). No object that is made gets it. */
export const SINGLETON = 0

export type StandardMethod = 'get' | 'changes' | 'set' | 'copy' | 'query' | 'queryChanges'

export interface TypeSpec<P extends Properties = Properties> {
  readonly name: string
  readonly capability: string
  /** The section that defines it, or `vendor`. */
  readonly spec: string
  /** `singleton`: each account has one object, with that id and the number SINGLETON. */
  readonly idKind: IdKind | 'singleton'
  /** In which accounts its objects are. */
  readonly accounts: 'organization' | 'mailbox'
  readonly methods: readonly StandardMethod[]
  readonly properties: P
  /** Filter conditions: name to the value they take. */
  readonly filters?: Properties
  /** Properties (or names of their own) that a Comparator may name. */
  readonly sorts?: readonly string[]
  /** Arguments beyond the standard ones. */
  readonly args?: Partial<Record<'get' | 'set' | 'query' | 'queryChanges', Properties>>
  /** Scopes that an API key needs (decision D6). */
  readonly scopes: { readonly read: string; readonly write: string }
}

export type TypeDefinition<P extends Properties = Properties> = TypeSpec<P> & {
  /** What `properties: null` returns. */
  readonly defaultProperties: readonly string[]
}

/** @throws TypeError for a combination that makes no sense, when the program starts. */
export function defineType<P extends Properties>(spec: TypeSpec<P>): TypeDefinition<P> {
  const id = spec.properties['id']
  if (!(id instanceof Property) || !id.serverSet || !id.immutable)
    throw new TypeError(`${spec.name}: id is server-set and immutable`)
  for (const [name, property] of Object.entries(spec.properties)) {
    if (property.serverSet && property.writeOnly)
      throw new TypeError(`${spec.name}.${name} cannot be both server-set and write-only`)
    if (property.serverSet && property.default !== undefined)
      throw new TypeError(`${spec.name}.${name}: a server-set property has no default`)
  }
  if (spec.methods.includes('queryChanges') && !spec.methods.includes('query'))
    throw new TypeError(`${spec.name}/queryChanges needs ${spec.name}/query`)
  const defaultProperties = Object.keys(spec.properties).filter(
    (name) => !spec.properties[name]!.notByDefault && !spec.properties[name]!.writeOnly,
  )
  return { ...spec, defaultProperties }
}

/** The object a type describes, as clients see it. */
export type ObjectOf<D extends TypeDefinition> = Infer<D['properties']>
