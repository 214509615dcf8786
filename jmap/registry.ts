/** Every type and verb of the core, one line each, and the capabilities they make up. */
import type { Principal } from '../server/base/principal.ts'
import type { AccountRef } from './context.ts'
import type { Method } from './type/method.ts'
import { type RegisteredType, standardMethods } from './type/type-methods.ts'

export interface Registry {
  readonly types: readonly RegisteredType[]
  readonly methods: ReadonlyMap<string, Method>
  readonly capabilities: ReadonlySet<string>
}

/** RFC 8620 2: the methods that a principal may use in its accounts of a kind. */
export function usableMethods({ methods }: Registry, { scopes }: Principal, kind: AccountRef['kind']): Method[] {
  return [...methods.values()].filter(
    ({ access }) => access?.accounts === kind && (scopes === null || scopes.includes(access.scope)),
  )
}

/** Whether none of them writes. */
export function isReadOnly(registry: Registry, principal: Principal, kind: AccountRef['kind']): boolean {
  return principal.scopes !== null && !usableMethods(registry, principal, kind).some(({ writes }) => writes)
}

export function createRegistry(
  types: readonly RegisteredType[],
  verbs: readonly Method[],
  more: readonly string[],
): Registry {
  const methods = new Map<string, Method>()
  for (const method of [...types.flatMap(standardMethods), ...verbs]) {
    if (methods.has(method.name)) throw new TypeError(`the method ${method.name} is registered twice`)
    methods.set(method.name, method)
  }
  return {
    types,
    methods,
    capabilities: new Set([...more, ...[...methods.values()].map((method) => method.capability)]),
  }
}
