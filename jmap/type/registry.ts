/** The types and methods of a core, and what derives from all of them: capabilities, scopes, id prefixes. */
import type { AccountKind, IdKind } from '../../server/base/ids.ts'
import { hasScope, type Principal } from '../../server/base/principal.ts'
import type { ObjectTypes } from '../../storage/check/object-types.ts'
import { TABLES } from '../../storage/schema/database.ts'
import type { BlobType } from './blob-uses.ts'
import type { Capability } from './capability.ts'
import { SINGLETON_ID, type TypeDefinition } from './define-type.ts'
import type { NameOf } from './derived.ts'
import type { Handlers } from './handlers.ts'
import type { Invalidating } from './invalidated.ts'
import type { Method } from './method.ts'
import { type RegisteredType, registerType, standardMethods } from './type-methods.ts'

/** One line of the list of a core (standard-registry.ts): a type with its methods, or methods and capabilities without a type. */
export interface Registration {
  readonly registered?: RegisteredType
  /** Methods beyond the standard ones of the type. */
  readonly methods?: readonly Method[]
  /** Capabilities without a method. */
  readonly capabilities?: readonly Capability[]
  /** Kinds of ids beside the type's own. */
  readonly ids?: readonly IdKind[]
  /** Names of types in the generic store that clients do not see. */
  readonly hiddenTypes?: readonly string[]
}

/** A type with its handlers, and its methods beyond the standard ones. */
export function registration<D extends TypeDefinition, P, U, R extends NameOf<D>>(
  type: D,
  handlers: Handlers<D, P, U, R>,
  ...methods: Method[]
): Registration {
  return { registered: registerType(type, handlers), methods }
}

export interface Registry {
  readonly types: readonly RegisteredType[]
  readonly methods: ReadonlyMap<string, Method>
  /** By URN. */
  readonly capabilities: ReadonlyMap<string, Capability>
  /** All scopes that methods require of API keys. */
  readonly scopes: ReadonlySet<string>
  /** Names of the types whose objects describe accounts. */
  readonly accountTypes: readonly string[]
  readonly invalidating: Invalidating
  /** Types whose objects may lead to a blob. */
  readonly blobTypes: readonly BlobType[]
  /** Names of types in the generic store that clients do not see. */
  readonly hiddenTypes: readonly string[]
}

/** @throws TypeError if something is registered twice */
export function createRegistry(registrations: readonly Registration[]): Registry {
  const types = registrations.flatMap(({ registered }) => registered ?? [])
  const methods = registrations.flatMap(({ registered, methods: more = [] }) => [
    ...(registered ? standardMethods(registered) : []),
    ...more,
  ])
  const capabilities = [
    ...registrations.flatMap(({ capabilities: more = [] }) => more),
    ...methods.map(({ capability }) => capability),
  ]
  requireUnique(
    'type',
    types.map(({ type }) => type.name),
  )
  requireUnique(
    'method',
    methods.map(({ name }) => name),
  )
  const kinds = [...types.map(({ type }) => type), ...registrations.flatMap(({ ids = [] }) => ids)]
  requireUnique(
    'id prefix',
    kinds.map(({ idPrefix }) => idPrefix).filter((prefix) => prefix !== SINGLETON_ID),
  )
  return {
    types,
    methods: new Map(methods.map((method) => [method.name, method])),
    capabilities: new Map(capabilities.map((capability) => [capability.urn, capability])),
    scopes: new Set(methods.flatMap(({ access }) => access?.scope ?? [])),
    accountTypes: namesOf(types, ({ isAccount = false }) => isAccount),
    invalidating: {
      credentials: namesOf(types, ({ invalidates = [] }) => invalidates.includes('credentials')),
      deliverySettings: namesOf(types, ({ invalidates = [] }) => invalidates.includes('deliverySettings')),
    },
    blobTypes: types.flatMap(({ type: { ofBlob, ...type } }) => (ofBlob ? [{ ...type, ofBlob }] : [])),
    hiddenTypes: registrations.flatMap(({ hiddenTypes = [] }) => hiddenTypes),
  }
}

function namesOf(types: readonly RegisteredType[], test: (type: TypeDefinition) => boolean): string[] {
  return types.flatMap(({ type }) => (test(type) ? [type.name] : []))
}

function requireUnique(what: string, names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw new TypeError(`the ${what} ${twice} is registered twice`)
}

/** Facts about the types for the consistency check. */
export function objectTypes({ types, accountTypes, hiddenTypes }: Registry): ObjectTypes {
  const inTables = new Set(TABLES.flatMap(({ objectType }) => objectType ?? []))
  const computed = namesOf(types, ({ name, storage }) => storage === undefined && !inTables.has(name))
  return { accounts: accountTypes, computed, hidden: hiddenTypes }
}

/** RFC 8620 2: the methods that a principal may use in its accounts of a kind. */
export function usableMethods({ methods }: Registry, principal: Principal, kind: AccountKind): Method[] {
  return [...methods.values()].filter(({ access }) => {
    if (access?.accounts !== kind) return false
    return hasScope(principal, access.scope) || hasScope(principal, access.orScope ?? access.scope)
  })
}

/** Whether the principal can call no method that writes. */
export function isReadOnly(registry: Registry, principal: Principal, kind: AccountKind): boolean {
  return principal.scopes !== null && !usableMethods(registry, principal, kind).some(({ writes }) => writes)
}
