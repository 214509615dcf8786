/** The updates of a /set: RFC 8620 5.3. */
import type { JsonObject } from '../../../server/base/json.ts'
import { invalidProperties, setError } from '../../protocol/errors.ts'
import { plain } from '../../protocol/json-text.ts'
import { splitPatch } from '../../protocol/patch.ts'
import type { Canonical, Refusal, UpdateChange, UpdateOutcome, WriteContext } from '../handlers.ts'
import { objectNumber } from '../object-id.ts'
import type { Entry, Refused, SetCall } from './set-call.ts'
import { nextObject, withDiffering } from './set-records.ts'

/**
 * The final state counts (RFC 8620 5.3): refused updates are tried again after the others, and at the end all of them together.
 * @param willGo ids that this call destroys afterwards
 */
export async function updateAll(
  call: SetCall,
  write: WriteContext,
  updates: readonly Entry[],
  willGo: readonly string[],
): Promise<void> {
  const gone = new Set([...call.destroyed, ...willGo.map((given) => call.resolve(given))])
  let refused: Refused = new Map()
  let waiting = updates
  while (waiting.length > 0) {
    refused = new Map()
    for (const [given, patch] of waiting) {
      const id = call.resolve(given)
      const outcome = gone.has(id) ? { error: setError('willDestroy') } : await updateOne(call, write, given, patch)
      if ('error' in outcome) refused.set(given, outcome.error)
      else call.updated.set(id, outcome.updated)
    }
    if (refused.size === waiting.length) break
    waiting = waiting.filter(([given]) => refused.has(given))
  }
  if (refused.size > 1 && (await updateTogether(call, write, waiting))) return
  for (const [given, error] of refused) call.notUpdated.set(given, error)
}

/** Two records that swap their names need this: neither can be first, but together they are valid. */
async function updateTogether(call: SetCall, write: WriteContext, waiting: readonly Entry[]): Promise<boolean> {
  const { updateTogether: together } = call.handlers
  if (!together) return false
  const changes = new Map<number, NumberedChange>()
  const updated = new Map<string, JsonObject | null>()
  for (const [given, patch] of waiting) {
    const change = await changeOf(call, write, given, patch)
    if ('error' in change) return false
    changes.set(change.number, change)
    updated.set(call.resolve(given), withDiffering(null, patch, change.next))
  }
  if (!(await together(write, changes))) return false
  for (const [id, told] of updated) call.updated.set(id, told)
  return true
}

async function updateOne(call: SetCall, write: WriteContext, given: string, patch: Canonical): Promise<UpdateOutcome> {
  const change = await changeOf(call, write, given, patch)
  if ('error' in change) return change
  const outcome = await call.handlers.update!(write, change.number, change)
  return 'error' in outcome ? outcome : { updated: withDiffering(outcome.updated, patch, change.next) }
}

type NumberedChange = UpdateChange & { readonly number: number }

/** The change of an object by its patch. */
async function changeOf(
  call: SetCall,
  write: WriteContext,
  given: string,
  { value: patch }: Canonical,
): Promise<NumberedChange | Refusal> {
  const { type, handlers, method } = call
  const number = objectNumber(method, type, call.resolve(given))
  if (number === null || !handlers.update) return { error: setError('notFound') }
  const prepared = call.preparedUpdates.get(given)
  if (prepared && 'error' in prepared) return prepared
  const resolved = method.request.createdIds.resolveProperties(patch, (name) => type.properties[name]?.idPlace)
  if ('error' in resolved) return resolved
  const tree = splitPatch(resolved.value)
  if ('error' in tree) return tree
  const unknown = [...tree.properties.keys()].filter((name) => !Object.hasOwn(type.properties, name))
  if (unknown.length > 0) return { error: invalidProperties(unknown, `${type.name} has no such property.`) }
  const reads = new Set([...(handlers.updateReads ?? Object.keys(type.properties)), ...tree.properties.keys()])
  const properties = [...reads].filter((name) => !type.properties[name]!.writeOnly)
  const loaded = (await handlers.load(write, { numbers: [number], properties, args: {} })).get(number)
  if (!loaded) return { error: setError('notFound') }
  const before = plain(loaded) as JsonObject
  const change = nextObject(type, before, tree.properties)
  return 'error' in change ? change : { number, before, ...change, prepared: prepared?.prepared }
}
