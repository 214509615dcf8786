/** /query: RFC 8620 5.5, for every type: arguments, paging, anchors, total. What matches is the rules' part. */
import {
  FILTER_MAX_CONDITIONS,
  FILTER_MAX_DEPTH,
  FILTER_MAX_TEXT_CHARS,
  MAX_QUERY_IDS,
  SORT_MAX_COMPARATORS,
} from '../../../server/base/limits.ts'
import { stateOf } from '../../../storage/change-log.ts'
import type { MethodContext } from '../../context.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject, quote } from '../../protocol/json-object.ts'
import type { ResponseArguments } from '../../protocol/json-text.ts'
import type { TypeDefinition } from '../define-type.ts'
import { type PropertySpec, p } from '../property.ts'
import type { Comparator, QueryRequest, QueryResult, Rules } from '../rules.ts'
import { faultOf } from '../validate.ts'
import { isOpted, objectId, objectNumber } from './get.ts'

export const QUERY_FILTER_ARGS = {
  filter: p.json({ type: ['object', 'null'] }).defaults(null),
  sort: p.json({ type: ['array', 'null'] }).defaults(null),
}

export const QUERY_ARGS = {
  ...QUERY_FILTER_ARGS,
  position: p.int().defaults(0),
  anchor: p.string().nullable().defaults(null),
  anchorOffset: p.int().defaults(0),
  limit: p.uint().nullable().defaults(null),
  calculateTotal: p.bool().defaults(false),
}

/** RFC 8620 5.5, RFC 5051: what texts are sorted by, whether a client names it or not. */
export const COLLATIONS: readonly string[] = ['i;unicode-casemap']

export async function runQuery(
  method: MethodContext,
  type: TypeDefinition,
  rules: Rules,
  args: JsonObject,
): Promise<ResponseArguments> {
  const request = checkQuery(method, type, args)
  await rules.beforeQuery?.(method, request.filter)
  return method.read(async (reader) => {
    const queryState = String(await stateOf(reader, method.account.number, type.name))
    const result = await rules.query!({ method, reader }, request)
    const asked = args['limit'] as number | null
    const limit = Math.min(asked ?? MAX_QUERY_IDS, MAX_QUERY_IDS)
    const position = await startOf(method, type, result, args)
    const numbers = limit > 0 ? await result.slice(position, limit) : []
    return {
      accountId: method.account.id,
      queryState,
      canCalculateChanges: type.methods.includes('queryChanges') && (rules.canCalculateChanges?.(request) ?? true),
      position,
      ids: numbers.map((number) => objectId(method, type, number)),
      ...(args['calculateTotal'] === true && { total: await result.count() }),
      // RFC 8620 5.5: told when the server's limit is the smaller one.
      ...((asked === null || asked > limit) && { limit }),
    }
  })
}

/** RFC 8620 5.5: an anchor beats the position; a negative position counts from the end; neither goes below the first. */
async function startOf(
  method: MethodContext,
  type: TypeDefinition,
  result: QueryResult,
  args: JsonObject,
): Promise<number> {
  const anchor = args['anchor'] as string | null
  if (anchor !== null) {
    const index = await indexOfId(method, type, result, anchor)
    if (index === undefined) throw new MethodError('anchorNotFound')
    return Math.max(0, index + (args['anchorOffset'] as number))
  }
  const position = args['position'] as number
  return position >= 0 ? position : Math.max(0, (await result.count()) + position)
}

/** Where an object stands in a result list; undefined when it is not in it. */
export async function indexOfId(
  method: MethodContext,
  type: TypeDefinition,
  result: QueryResult,
  id: string,
): Promise<number | undefined> {
  const resolved = method.request.createdIds.resolveId(id)
  const number = 'unknown' in resolved ? null : objectNumber(method, type, resolved.value)
  return number === null ? undefined : (await result.indexesOf([number])).get(number)
}

/** Filter and sort judged against the definition, with the ids that creation ids in the filter mean. */
export function checkQuery(method: MethodContext, type: TypeDefinition, args: JsonObject): QueryRequest {
  const filter = args['filter'] ?? null
  const budget = { conditions: FILTER_MAX_CONDITIONS }
  const comparators = (args['sort'] ?? []) as readonly Json[]
  if (comparators.length > SORT_MAX_COMPARATORS)
    throw new MethodError('unsupportedSort', `At most ${SORT_MAX_COMPARATORS} comparators.`)
  const sort = comparators.map((comparator) => checkComparator(type, comparator))
  return {
    filter: filter === null ? null : checkFilter(method, type, filter, FILTER_MAX_DEPTH, budget),
    sort,
    args,
  }
}

function checkFilter(
  method: MethodContext,
  type: TypeDefinition,
  filter: Json,
  depth: number,
  budget: { conditions: number },
): JsonObject {
  if (!isObject(filter)) throw invalidArguments('A filter is a FilterOperator or a FilterCondition.', ['filter'])
  if (depth === 0 || --budget.conditions < 0) throw new MethodError('unsupportedFilter', 'The filter is too large.')
  if (Object.hasOwn(filter, 'operator')) {
    const { operator, conditions } = filter
    if (operator !== 'AND' && operator !== 'OR' && operator !== 'NOT')
      throw invalidArguments('operator is AND, OR or NOT.', ['filter'])
    if (!Array.isArray(conditions)) throw invalidArguments('A FilterOperator has conditions.', ['filter'])
    return { operator, conditions: conditions.map((inner) => checkFilter(method, type, inner, depth - 1, budget)) }
  }
  const checked: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(filter)) {
    const condition = type.filters && Object.hasOwn(type.filters, name) ? type.filters[name] : undefined
    if (!condition || !isOpted(method, condition))
      throw new MethodError('unsupportedFilter', `There is no filter '${quote(name)}' on ${type.name}.`)
    const fault = faultOf(condition, value)
    if (fault) throw invalidArguments(`The filter '${name}' ${fault}.`, ['filter'])
    if (typeof value === 'string' && value.length > FILTER_MAX_TEXT_CHARS)
      throw new MethodError('unsupportedFilter', `The text of the filter '${name}' is too long.`)
    checked[name] = resolved(method, condition, value)
  }
  return checked
}

/** RFC 8620 5.3: a creation id may stand wherever an id does. One that means nothing stays, and matches nothing. */
function resolved(method: MethodContext, { idPlace }: PropertySpec, value: Json): Json {
  const { createdIds } = method.request
  const idOf = (id: Json): Json => {
    const found = typeof id === 'string' ? createdIds.resolveId(id) : { value: id }
    return 'unknown' in found ? id : found.value
  }
  if (idPlace === 'id') return idOf(value)
  return idPlace === 'ids' && Array.isArray(value) ? value.map(idOf) : value
}

function checkComparator(type: TypeDefinition, comparator: Json): Comparator {
  if (!isObject(comparator) || typeof comparator['property'] !== 'string')
    throw invalidArguments('A Comparator names a property.', ['sort'])
  const { property, isAscending = true, collation } = comparator
  if (typeof isAscending !== 'boolean') throw invalidArguments('isAscending is a boolean.', ['sort'])
  if (collation !== undefined && typeof collation !== 'string')
    throw invalidArguments('collation is a string.', ['sort'])
  if (!type.sorts?.includes(property as string))
    throw new MethodError('unsupportedSort', `${type.name} cannot be sorted by '${quote(property as string)}'.`)
  // RFC 8620 5.5: a collation the server does not know refuses the sort.
  if (collation !== undefined && !COLLATIONS.includes(collation))
    throw new MethodError('unsupportedSort', `Texts are sorted by ${COLLATIONS.join(', ')} only.`)
  return { ...comparator, property: property as string, isAscending }
}
