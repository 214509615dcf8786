/**
 * /queryChanges: RFC 8620 5.6, for every type. What the change log names since the state, and whatever the rules add to it, may
 * have left the list or moved; those of them that are in the list now are told with their index. Removals of what was never in the
 * list are allowed, so nothing has to be known about the past.
 */
import { changesSince } from '../../../storage/change-log.ts'
import type { Reader } from '../../../storage/ports.ts'
import type { MethodContext } from '../../context.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ResponseArguments } from '../../protocol/json-text.ts'
import type { TypeDefinition } from '../define-type.ts'
import { p } from '../property.ts'
import type { ChangedObject, QueryResult, Rules } from '../rules.ts'
import { ChangePage, openLog } from './changes.ts'
import { objectId } from './get.ts'
import { checkQuery, indexOfId, QUERY_FILTER_ARGS } from './query.ts'

export const QUERY_CHANGES_ARGS = {
  ...QUERY_FILTER_ARGS,
  sinceQueryState: p.string(),
  maxChanges: p.uint().nullable().defaults(null),
  upToId: p.string().nullable().defaults(null),
  calculateTotal: p.bool().defaults(false),
}

/** More rows of the log than this: a new query is cheaper for both sides. */
const MAX_ROWS = 10_000

export async function runQueryChanges(
  method: MethodContext,
  type: TypeDefinition,
  rules: Rules,
  args: JsonObject,
): Promise<ResponseArguments> {
  const request = checkQuery(method, type, args)
  if (rules.canCalculateChanges && !rules.canCalculateChanges(request)) throw new MethodError('cannotCalculateChanges')
  const since = args['sinceQueryState'] as string
  await rules.beforeQuery?.(method, request.filter)
  return method.read(async (reader) => {
    const { state, start } = await openLog(reader, method.account.number, type.name, since)
    const changed = (await readChanged(reader, method, type, start)).filter(
      ({ number }) => rules.mayKnow?.(method, number) ?? true,
    )
    const result = await rules.query!({ method, reader }, request)
    const { left, entered } = (await result.affected?.(changed, start)) ?? byKind(changed)
    const added = await placed(method, type, result, entered)
    const end = rules.isImmutableQuery?.(request) ? await endOf(method, type, result, args) : Number.POSITIVE_INFINITY
    const told = added.filter(({ index }) => index <= end)
    const maxChanges = args['maxChanges'] as number | null
    if (maxChanges !== null && left.length + told.length > maxChanges) throw new MethodError('tooManyChanges')
    return {
      accountId: method.account.id,
      oldQueryState: since,
      newQueryState: String(state),
      removed: left.map((number) => objectId(method, type, number)),
      added: told,
      ...(args['calculateTotal'] === true && { total: await result.count() }),
    }
  })
}

/** What became of each object since a state. @throws MethodError cannotCalculateChanges when that is too much */
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

/** What changed may have left the list or come into it, and what is in it may have moved. */
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

/** RFC 8620 5.6: the index of `upToId`, after which the client has nothing cached. */
async function endOf(
  method: MethodContext,
  type: TypeDefinition,
  result: QueryResult,
  args: JsonObject,
): Promise<number> {
  const upToId = args['upToId'] as string | null
  const index = upToId === null ? undefined : await indexOfId(method, type, result, upToId)
  return index ?? Number.POSITIVE_INFINITY
}
