/**
 * /queryChanges: RFC 8620 5.6, for every type. What the change log names since the state, and whatever the rules add to it, may
 * have left the list or moved; those of them that are in the list now are told with their index. Removals of what was never in the
 * list are allowed, so nothing has to be known about the past.
 */
import { changesSince } from '../../../storage/change-log.ts'
import type { MethodContext } from '../../context.ts'
import type { JsonObject } from '../../core.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { ResponseArguments } from '../../protocol/json-text.ts'
import type { TypeDefinition } from '../define-type.ts'
import { p } from '../property.ts'
import type { ChangedObject, Rules } from '../rules.ts'
import { ChangePage, openLog } from './changes.ts'
import { objectId } from './get.ts'
import { checkQuery, QUERY_FILTER_ARGS } from './query.ts'

export const QUERY_CHANGES_ARGS = {
  ...QUERY_FILTER_ARGS,
  sinceQueryState: p.string(),
  maxChanges: p.uint({ min: 1 }).nullable().defaults(null),
  upToId: p.string().nullable().defaults(null),
  calculateTotal: p.bool().defaults(false),
}

/** More changed objects than this: a new query is cheaper for both sides. */
const MAX_CHANGED = 10_000

export async function runQueryChanges(
  method: MethodContext,
  type: TypeDefinition,
  rules: Rules,
  args: JsonObject,
): Promise<ResponseArguments> {
  const request = checkQuery(type, args)
  if (rules.canCalculateChanges && !rules.canCalculateChanges(request)) throw new MethodError('cannotCalculateChanges')
  const since = args['sinceQueryState'] as string
  await rules.beforeQuery?.(method, request.filter)
  return method.read(async (reader) => {
    const account = method.account.number
    const { state, start } = await openLog(reader, account, type.name, since)
    const page = new ChangePage(MAX_CHANGED)
    for (const row of await changesSince(reader, account, type.name, start, MAX_CHANGED + 1)) page.add(row)
    if (page.full) throw new MethodError('cannotCalculateChanges')
    const changed = (['c', 'u', 'd'] as const).flatMap((kind) =>
      page.numbers(kind).map((number): ChangedObject => ({ number, kind })),
    )
    const result = await rules.query!({ method, reader }, request)
    const { left, entered } = (await result.affected?.(changed, start)) ?? {
      left: changed.filter(({ kind }) => kind !== 'c').map(({ number }) => number),
      entered: changed.filter(({ kind }) => kind !== 'd').map(({ number }) => number),
    }
    const added: { id: string; index: number }[] = []
    for (const number of entered) {
      const index = await result.indexOf(number)
      if (index >= 0) added.push({ id: objectId(method, type, number), index })
    }
    added.sort((a, b) => a.index - b.index)
    const maxChanges = args['maxChanges'] as number | null
    if (maxChanges !== null && left.length + added.length > maxChanges) throw new MethodError('tooManyChanges')
    return {
      accountId: method.account.id,
      oldQueryState: since,
      newQueryState: String(state),
      removed: left.map((number) => objectId(method, type, number)),
      added,
      ...(args['calculateTotal'] === true && { total: await result.count() }),
    }
  })
}
