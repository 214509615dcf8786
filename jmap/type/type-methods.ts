/** The standard methods of a type: its definition and its rules, joined with the shared code in methods/. */
import { MethodContext } from '../context.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResponseArguments } from '../protocol/json-text.ts'
import type { StandardMethod, TypeDefinition } from './define-type.ts'
import { checkArguments, type Method, openAccount } from './method.ts'
import { CHANGES_ARGS, runChanges } from './methods/changes.ts'
import { COPY_ARGS, runCopy } from './methods/copy.ts'
import { GET_ARGS, runGet } from './methods/get.ts'
import { QUERY_ARGS, runQuery } from './methods/query.ts'
import { QUERY_CHANGES_ARGS, runQueryChanges } from './methods/query-changes.ts'
import { runSet, SET_ARGS } from './methods/set.ts'
import type { Properties } from './property.ts'
import type { Rules } from './rules.ts'

type Run = (method: MethodContext, type: TypeDefinition, rules: Rules, args: JsonObject) => Promise<ResponseArguments>

const STANDARD: Record<StandardMethod, { args: Properties; run: Run; writes: boolean }> = {
  get: { args: GET_ARGS, run: runGet, writes: false },
  changes: { args: CHANGES_ARGS, run: runChanges, writes: false },
  set: { args: SET_ARGS, run: runSet, writes: true },
  copy: { args: COPY_ARGS, run: runCopy, writes: true },
  query: { args: QUERY_ARGS, run: runQuery, writes: false },
  queryChanges: { args: QUERY_CHANGES_ARGS, run: runQueryChanges, writes: false },
}

/** A registered type: what the registry holds one line of. */
export interface RegisteredType {
  readonly type: TypeDefinition
  readonly rules: Rules
}

export function standardMethods({ type, rules }: RegisteredType): Method[] {
  return type.methods.map((name) => {
    const { args: standard, run, writes } = STANDARD[name]
    const own = type.args?.[name as 'get'] ?? {}
    // /query and /queryChanges take the same arguments of their own (RFC 8620 5.6).
    const args = { ...standard, ...own, ...(name === 'queryChanges' && type.args?.query) }
    const access = { accounts: type.accounts, scope: writes ? type.scopes.write : type.scopes.read }
    return {
      name: `${type.name}/${name}`,
      capability: type.capability,
      writes,
      access,
      args,
      async run(request, given) {
        const checked = checkArguments(args, given)
        const account = await openAccount(request, given['accountId'], { ...access, writes })
        return run(new MethodContext(request, account), type, rules, checked)
      },
    }
  })
}
