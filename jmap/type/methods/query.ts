/** /query: RFC 8620 5.5, for every type: arguments, paging, anchors, total. Handlers decide which objects match. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import {
  FILTER_MAX_CONDITIONS,
  FILTER_MAX_DEPTH,
  FILTER_MAX_TEXT_CHARS,
  MAX_QUERY_IDS,
  SORT_MAX_COMPARATORS,
} from '../../../server/base/limits.ts'
import { stateOf } from '../../../storage/change-log.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { isObject, quote } from '../../protocol/json-object.ts'
import type { MethodContext } from '../context.ts'
import type { TypeDefinition, TypeSpec } from '../define-type.ts'
import type { Comparator, Filter } from '../derived.ts'
import type { Handlers, QueryRequest, QueryResult } from '../handlers.ts'
import { objectId, objectNumber } from '../object-id.ts'
import { type ArgumentsOf, type PropertySpec, p } from '../property.ts'
import { faultOf } from '../validate.ts'
import { isOpted } from './get.ts'

export const QUERY_FILTER_ARGS = {
  filter: p.json<JsonObject | null>({ type: ['object', 'null'] }).defaults(null),
  sort: p.json<readonly Json[] | null>({ type: ['array', 'null'] }).defaults(null),
}

export const QUERY_ARGS = {
  ...QUERY_FILTER_ARGS,
  position: p.int().defaults(0),
  anchor: p.string().nullable().defaults(null),
  anchorOffset: p.int().defaults(0),
  limit: p.uint().nullable().defaults(null),
  calculateTotal: p.bool().defaults(false),
}

/** RFC 8620 5.5, RFC 5051: the collation of texts, whether a client names it or not. */
export const COLLATIONS: readonly string[] = ['i;unicode-casemap']

export async function runQuery(
  method: MethodContext,
  type: TypeDefinition,
  handlers: Handlers,
  args: ArgumentsOf<typeof QUERY_ARGS>,
) {
  const request = checkQuery(method, type, args)
  await handlers.beforeQuery?.(method, request)
  return method.read(async (reader) => {
    const queryState = String(await stateOf(reader, method.account.number, type.name))
    const result = await handlers.query!({ method, reader }, request)
    const limit = Math.min(args.limit ?? MAX_QUERY_IDS, MAX_QUERY_IDS)
    const position = await startOf(method, type, result, args)
    return {
      accountId: method.account.id,
      queryState,
      canCalculateChanges: type.methods.includes('queryChanges') && (handlers.canCalculateChanges?.(request) ?? true),
      position,
      ids: limit > 0 ? await idsOf(method, type, result, position, limit) : [],
      ...(args.calculateTotal && { total: await result.count() }),
      // RFC 8620 5.5: only if the server's limit is smaller.
      ...((args.limit === null || args.limit > limit) && { limit }),
    }
  })
}

async function idsOf(
  method: MethodContext,
  type: TypeDefinition,
  result: QueryResult,
  position: number,
  limit: number,
): Promise<string[]> {
  if (result.ids) return result.ids(position, limit)
  const numbers = await result.slice(position, limit)
  return numbers.map((number) => objectId(method, type, number))
}

/** RFC 8620 5.5: an anchor takes precedence over the position. A negative position counts from the end. The index is at least 0. */
async function startOf(
  method: MethodContext,
  type: TypeDefinition,
  result: QueryResult,
  { anchor, anchorOffset, position }: ArgumentsOf<typeof QUERY_ARGS>,
): Promise<number> {
  if (anchor !== null) {
    const index = await indexOfId(method, type, result, anchor)
    if (index === undefined) throw new MethodError('anchorNotFound')
    return Math.max(0, index + anchorOffset)
  }
  return position >= 0 ? position : Math.max(0, (await result.count()) + position)
}

/** The index of an object in a result list; undefined: the list does not hold it. */
export async function indexOfId(
  method: MethodContext,
  type: TypeDefinition,
  result: QueryResult,
  id: string,
): Promise<number | undefined> {
  const number = objectNumber(method, type, method.resolveId(id))
  return number === null ? undefined : (await result.indexesOf([number])).get(number)
}

/** Filter and sort, checked against the declaration. Creation ids in the filter become ids. */
export function checkQuery<D extends TypeSpec>(
  method: MethodContext,
  type: D,
  args: Partial<ArgumentsOf<typeof QUERY_FILTER_ARGS>>,
): QueryRequest<D> {
  const comparators = args.sort ?? []
  if (comparators.length > SORT_MAX_COMPARATORS)
    throw new MethodError('unsupportedSort', `At most ${SORT_MAX_COMPARATORS} comparators.`)
  const sort = comparators.map((comparator) => checkComparator(type, comparator))
  const budget = { conditions: FILTER_MAX_CONDITIONS }
  const filter = args.filter && checkFilter(method, type, args.filter, FILTER_MAX_DEPTH, budget)
  // Every condition and comparator has been checked against the declaration.
  return { filter, sort, args } as unknown as QueryRequest<D>
}

function checkFilter(
  method: MethodContext,
  type: TypeSpec,
  filter: Json,
  depth: number,
  budget: { conditions: number },
): Filter<JsonObject> {
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

/** RFC 8620 5.3: a creation id may stand wherever an id does. An unknown one stays and matches nothing. */
function resolved(method: MethodContext, { idPlace }: PropertySpec, value: Json): Json {
  const idOf = (id: Json) => (typeof id === 'string' ? method.resolveId(id) : id)
  if (idPlace === 'id') return idOf(value)
  return idPlace === 'ids' && Array.isArray(value) ? value.map(idOf) : value
}

function checkComparator(type: TypeSpec, comparator: Json): Comparator {
  if (!isObject(comparator)) throw invalidArguments('A Comparator names a property.', ['sort'])
  const { property, isAscending = true, collation, ...extra } = comparator
  if (typeof property !== 'string') throw invalidArguments('A Comparator names a property.', ['sort'])
  if (typeof isAscending !== 'boolean') throw invalidArguments('isAscending is a boolean.', ['sort'])
  if (collation !== undefined && typeof collation !== 'string')
    throw invalidArguments('collation is a string.', ['sort'])
  if (!type.sorts?.includes(property))
    throw new MethodError('unsupportedSort', `${type.name} cannot be sorted by '${quote(property)}'.`)
  // RFC 8620 5.5: a sort with an unknown collation is refused.
  if (collation !== undefined && !COLLATIONS.includes(collation))
    throw new MethodError('unsupportedSort', `Texts are sorted by ${COLLATIONS.join(', ')} only.`)
  return { ...extra, property, isAscending }
}
