/** The updates of a /set: RFC 8620 5.3. */
import type { JsonObject } from '../../../server/base/json.ts'
import type { CreationIds } from '../../protocol/creation-ids.ts'
import { invalidProperties, setError } from '../../protocol/errors.ts'
import { plain } from '../../protocol/json-text.ts'
import { type PatchTree, splitPatch } from '../../protocol/patch.ts'
import { OTHERS, propertyOf, type TypeDefinition } from '../define-type.ts'
import type { Canonical, Handlers, Refusal, UpdateChange, UpdateOutcome, WriteContext } from '../handlers.ts'
import { objectNumber } from '../object-id.ts'
import type { Entry, SetCall } from './set-call.ts'
import { nextObject, withDiffering } from './set-records.ts'

/** @param willGo what this call destroys afterwards */
export async function updateAll(
  call: SetCall,
  write: WriteContext,
  updates: readonly Entry[],
  willGo: readonly string[],
): Promise<void> {
  const gone = new Set([...call.destroyed, ...willGo.map((given) => call.resolve(given))])
  for (const [given, patch] of updates) {
    const id = call.resolve(given)
    const outcome = gone.has(id) ? { error: setError('willDestroy') } : await updateOne(call, write, given, patch)
    if ('error' in outcome) call.notUpdated.set(given, outcome.error)
    else call.updated.set(id, outcome.updated)
  }
}

async function updateOne(call: SetCall, write: WriteContext, given: string, patch: Canonical): Promise<UpdateOutcome> {
  const { type, handlers, method } = call
  const number = objectNumber(method, type, call.resolve(given))
  if (number === null || !handlers.update) return { error: setError('notFound') }
  const read = readPatch(call, given, patch.value, method.request.createdIds)
  if ('error' in read) return read
  const properties = readForUpdates(type, handlers, [...read.tree.keys()])
  const loaded = (await handlers.load(write, { numbers: [number], properties, args: {} })).get(number)
  if (!loaded) return { error: setError('notFound') }
  const change = changeOf(type, plain(loaded) as JsonObject, read)
  if ('error' in change) return change
  const outcome = await handlers.update(write, number, change)
  return 'error' in outcome ? outcome : { updated: withDiffering(outcome.updated, patch, change.next) }
}

/** Names of the properties that are loaded of an object to patch. */
export function readForUpdates(
  type: TypeDefinition,
  { updateReads }: Pick<Handlers, 'updateReads'>,
  patched: readonly string[],
): string[] {
  const reads = new Set([...(updateReads ?? Object.keys(type.properties)), ...patched])
  if (type.others) reads.add(OTHERS)
  return [...reads].filter((name) => !propertyOf(type, name)!.writeOnly)
}

interface ReadPatch {
  readonly tree: PatchTree
  readonly prepared: unknown
}

/** A patch of known properties, with the ids that creation ids mean. */
export function readPatch(call: SetCall, given: string, patch: JsonObject, ids: CreationIds): ReadPatch | Refusal {
  const { type } = call
  const prepared = call.preparedUpdates.get(given)
  if (prepared && 'error' in prepared) return prepared
  const resolved = ids.resolveProperties(patch, (name) => type.properties[name]?.idPlace)
  if ('error' in resolved) return resolved
  const tree = splitPatch(resolved.value)
  if ('error' in tree) return tree
  const unknown = [...tree.properties.keys()].filter((name) => !propertyOf(type, name))
  if (unknown.length > 0) return { error: invalidProperties(unknown, `${type.name} has no such property.`) }
  return { tree: tree.properties, prepared: prepared?.prepared }
}

/** What a patch makes of its object. */
export function changeOf(
  type: TypeDefinition,
  before: JsonObject,
  { tree, prepared }: ReadPatch,
): UpdateChange | Refusal {
  const change = nextObject(type, before, tree)
  return 'error' in change ? change : { before, ...change, prepared }
}
