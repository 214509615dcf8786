/**
 * /queryChanges: RFC 8620 5.6, for every type. Objects that the change log names since the state, and those that the handlers add, may
 * have left the list or moved; those in the present list are returned with their index. The response may remove objects that were never
 * in the list, so the past list need not be known.
 */
import { changesSince } from '../../../storage/change-log.ts'
import type { Reader } from '../../../storage/ports.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { MethodContext } from '../context.ts'
import type { TypeDefinition } from '../define-type.ts'
import type { ChangedObject, Handlers, QueryResult } from '../handlers.ts'
import { objectId } from '../object-id.ts'
import { type ArgumentsOf, p } from '../property.ts'
import { ChangePage, openLog } from './changes.ts'
import { checkQuery, indexOfId, QUERY_FILTER_ARGS } from './query.ts'

export const QUERY_CHANGES_ARGS = {
  ...QUERY_FILTER_ARGS,
  sinceQueryState: p.string(),
  maxChanges: p.uint().nullable().defaults(null),
  upToId: p.string().nullable().defaults(null),
  calculateTotal: p.bool().defaults(false),
}

/** With more rows of the log than this, a new query is cheaper for both sides. */
const MAX_ROWS = 10_000

export async function runQueryChanges(
  method: MethodContext,
  type: TypeDefinition,
  handlers: Handlers,
  args: ArgumentsOf<typeof QUERY_CHANGES_ARGS>,
) {
  const request = checkQuery(method, type, args)
  if (handlers.canCalculateChanges && !handlers.canCalculateChanges(request))
    throw new MethodError('cannotCalculateChanges')
  const { sinceQueryState, maxChanges, upToId } = args
  await handlers.beforeQuery?.(method, request)
  return method.read(async (reader) => {
    const { state, start } = await openLog(reader, method.account.number, type.name, sinceQueryState)
    const changed = (await readChanged(reader, method, type, start)).filter(
      ({ number }) => handlers.mayKnow?.(method, number) ?? true,
    )
    const result = await handlers.query!({ method, reader }, request)
    const { left, entered } = (await result.affected?.(changed, start)) ?? byKind(changed)
    const added = await placed(method, type, result, entered)
    // RFC 8620 5.6: the client has cached nothing after `upToId`.
    const end =
      upToId !== null && handlers.isImmutableQuery?.(request) ? await endOf(method, type, result, upToId) : null
    const told = end === null ? added : added.filter(({ index }) => index <= end)
    if (maxChanges !== null && left.length + told.length > maxChanges) throw new MethodError('tooManyChanges')
    return {
      accountId: method.account.id,
      oldQueryState: sinceQueryState,
      newQueryState: String(state),
      removed: left.map((number) => objectId(method, type, number)),
      added: told,
      ...(args.calculateTotal && { total: await result.count() }),
    }
  })
}

/** The changes of each object since a state. @throws MethodError cannotCalculateChanges if there are too many */
async function readChanged(
  reader: Reader,
  method: MethodContext,
  type: TypeDefinition,
  start: number,
): Promise<ChangedObject[]> {
  const rows = await changesSince(reader, method.account.number, type.name, start, MAX_ROWS + 1)
  if (rows.length > MAX_ROWS) throw new MethodError('cannotCalculateChanges')
  const page = new ChangePage(MAX_ROWS)
  for (const row of rows) page.add(row)
  return (['c', 'u', 'd'] as const).flatMap((kind) => page.numbers(kind).map((number) => ({ number, kind })))
}

/** Changed objects may have left or entered the list, and objects in the list may have moved. */
export function byKind(changed: readonly ChangedObject[]): { left: number[]; entered: number[] } {
  return {
    left: changed.filter(({ kind }) => kind !== 'c').map(({ number }) => number),
    entered: changed.filter(({ kind }) => kind !== 'd').map(({ number }) => number),
  }
}

/** RFC 8620 5.6: sorted by index. */
async function placed(
  method: MethodContext,
  type: TypeDefinition,
  result: QueryResult,
  numbers: readonly number[],
): Promise<{ id: string; index: number }[]> {
  const indexes = await result.indexesOf(numbers)
  return [...indexes]
    .sort(([, a], [, b]) => a - b)
    .map(([number, index]) => ({ id: objectId(method, type, number), index }))
}

async function endOf(method: MethodContext, type: TypeDefinition, result: QueryResult, upToId: string) {
  return (await indexOfId(method, type, result, upToId)) ?? null
}
