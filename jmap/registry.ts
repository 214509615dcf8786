/** Every type and verb of the core, one line each, and the capabilities they make up. */
import type { Method } from './type/method.ts'
import { type RegisteredType, standardMethods } from './type/type-methods.ts'

export interface Registry {
  readonly types: readonly RegisteredType[]
  readonly methods: ReadonlyMap<string, Method>
  readonly capabilities: ReadonlySet<string>
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
