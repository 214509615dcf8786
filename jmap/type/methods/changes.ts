/** /changes: RFC 8620 5.2, for every type, from the change log alone. */
import { type ChangeRow, changesSince, floorAt, mergeProps, stateOf } from '../../../storage/change-log.ts'
import type { Reader } from '../../../storage/ports.ts'
import { MethodError } from '../../protocol/errors.ts'
import { type MethodContext, parseState } from '../context.ts'
import type { TypeDefinition } from '../define-type.ts'
import type { Handlers } from '../handlers.ts'
import { objectId } from '../object-id.ts'
import { type ArgumentsOf, p } from '../property.ts'

export const CHANGES_ARGS = {
  sinceState: p.string(),
  maxChanges: p.uint({ minimum: 1 }).nullable().defaults(null),
}

/** Rows read at a time. */
const PAGE = 1_000
/** Ids in one response if the client gives no limit. */
const DEFAULT_MAX = 10_000

export async function runChanges(
  method: MethodContext,
  type: TypeDefinition,
  handlers: Handlers,
  { sinceState, maxChanges }: ArgumentsOf<typeof CHANGES_ARGS>,
) {
  const account = method.account.number
  return method.read(async (reader) => {
    const { state, start } = await openLog(reader, account, type.name, sinceState)
    const page = new ChangePage(maxChanges ?? DEFAULT_MAX)
    let position = start
    while (position < state && !page.full) {
      method.request.guard.check()
      const rows = await changesSince(reader, account, type.name, position, PAGE)
      if (rows.length === 0) break
      for (const row of rows) {
        // Objects that the principal may not know do not count.
        if (handlers.mayKnow?.(method, row.object) !== false && !page.add(row)) break
        position = row.seq
      }
    }
    const idsOf = (kind: 'c' | 'u' | 'd') => page.numbers(kind).map((number) => objectId(method, type, number))
    return {
      accountId: method.account.id,
      oldState: sinceState,
      newState: String(page.full ? position : state),
      hasMoreChanges: page.full && position < state,
      created: idsOf('c'),
      updated: idsOf('u'),
      destroyed: idsOf('d'),
      ...handlers.extraChanges?.(page.updatedProps()),
    }
  })
}

/** @throws MethodError cannotCalculateChanges for a state older than the log, or not written by this server */
export async function openLog(
  reader: Reader,
  account: number,
  type: string,
  since: string,
): Promise<{ state: number; start: number }> {
  const start = parseState(since)
  const state = await stateOf(reader, account, type)
  if (start === null || start > state || start < (await floorAt(reader, account, type)))
    throw new MethodError('cannotCalculateChanges')
  return { state, start }
}

/** Objects of one response: rows of one object coalesce within it (RFC 8620 5.2). */
export class ChangePage {
  readonly #max: number
  readonly #objects = new Map<number, { kind: 'c' | 'u' | 'd'; props: string | null }>()
  full = false

  constructor(max: number) {
    this.#max = max
  }

  /** false: the row does not fit and starts the next page. */
  add(row: ChangeRow): boolean {
    const before = this.#objects.get(row.object)
    if (!before) {
      if (this.#objects.size >= this.#max) {
        this.full = true
        return false
      }
      this.#objects.set(row.object, { kind: row.kind, props: row.props })
    } else if (row.kind === 'd') {
      // Created and destroyed between the two states: the client never sees it.
      if (before.kind === 'c') this.#objects.delete(row.object)
      else before.kind = 'd'
    } else if (before.kind === 'u') {
      before.props = mergeProps(before.props, row.props)
    }
    return true
  }

  numbers(kind: 'c' | 'u' | 'd'): number[] {
    return [...this.#objects].filter(([, change]) => change.kind === kind).map(([number]) => number)
  }

  /** All properties that any update changed; null: unknown. */
  updatedProps(): ReadonlySet<string> | null {
    const names = new Set<string>()
    for (const { kind, props } of this.#objects.values()) {
      if (kind !== 'u' || props === null) return null
      for (const name of props.split(',')) names.add(name)
    }
    return names
  }
}
