/** The standard methods of a type: its declaration and its handlers with the shared code in methods/. */

import type { ResponseArguments } from '../protocol/json-text.ts'
import { MethodContext } from './context.ts'
import type { StandardMethod, TypeDefinition, TypeSpec } from './define-type.ts'
import type { NameOf } from './derived.ts'
import type { Handlers } from './handlers.ts'
import { checkArguments, type Method, openAccount } from './method.ts'
import { CHANGES_ARGS, runChanges } from './methods/changes.ts'
import { COPY_ARGS, runCopy } from './methods/copy.ts'
import { GET_ARGS, runGet } from './methods/get.ts'
import { QUERY_ARGS, runQuery } from './methods/query.ts'
import { QUERY_CHANGES_ARGS, runQueryChanges } from './methods/query-changes.ts'
import { runSet, SET_ARGS } from './methods/set.ts'
import type { ArgumentsOf, Properties } from './property.ts'
import type { Weight } from './weight.ts'

/** A type with its handlers. */
export interface RegisteredType {
  readonly type: TypeDefinition
  readonly handlers: Handlers
}

/** Checks that the handlers belong to the type. Beyond this point the shared methods see both without their types. */
export function registerType<D extends TypeSpec & TypeDefinition, P, U, R extends NameOf<D>>(
  type: D,
  handlers: Handlers<D, P, U, R>,
): RegisteredType {
  return { type, handlers: handlers as Handlers }
}

export function standardMethods(registered: RegisteredType): Method[] {
  return registered.type.methods.map((name) => STANDARD[name](registered))
}

const STANDARD: { readonly [name in StandardMethod]: (registered: RegisteredType) => Method } = {
  get: standard('get', GET_ARGS, runGet),
  changes: standard('changes', CHANGES_ARGS, runChanges),
  set: standard('set', SET_ARGS, runSet, { writes: true }),
  copy: standard('copy', COPY_ARGS, runCopy, { writes: true }),
  query: standard('query', QUERY_ARGS, runQuery),
  // RFC 8620 5.6: /queryChanges takes the extra arguments of /query.
  queryChanges: standard('queryChanges', QUERY_CHANGES_ARGS, runQueryChanges, { argumentsOf: 'query' }),
}

type Run<P extends Properties> = (
  method: MethodContext,
  type: TypeDefinition,
  handlers: Handlers,
  args: ArgumentsOf<P>,
) => Promise<ResponseArguments>

function standard<P extends Properties>(
  verb: StandardMethod,
  common: P,
  run: Run<P>,
  { writes = false, argumentsOf = verb }: { writes?: boolean; argumentsOf?: StandardMethod } = {},
) {
  return ({ type, handlers }: RegisteredType): Method => {
    const own: { readonly [name in StandardMethod]?: Properties } = type.args ?? {}
    const args: P = { ...own[argumentsOf], ...common }
    const access = { accounts: type.accounts, scope: writes ? type.scopes.write : type.scopes.read }
    return {
      name: `${type.name}/${verb}`,
      capability: type.capability,
      writes,
      weight: (given) => handlers.weigh?.(verb, given) ?? usualWeight(verb),
      access,
      args,
      async run(request, given) {
        const checked = checkArguments(args, given)
        const account = await openAccount(request, given, { ...access, writes })
        return run(new MethodContext(request, account), type, handlers, checked)
      },
    }
  }
}

/** maxObjectsInGet bounds a /get. */
function usualWeight(verb: StandardMethod): Weight {
  return verb === 'get' ? 'little' : 'some'
}
