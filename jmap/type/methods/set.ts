/**
 * /set: RFC 8620 5.3, for every type. One unit of work per call, in the order destroy, update, create. The order frees unique values
 * and room before they are used again. A record that refers to a record of this call waits until that exists. A refused record leaves
 * no trace, because handlers check before they write. Types whose objects depend on one another judge all records together.
 */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { stateOf } from '../../../storage/change-log.ts'
import { NotLocked } from '../../../storage/not-locked.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { isCreationReference } from '../../protocol/creation-ids.ts'
import { invalidArguments, setError } from '../../protocol/errors.ts'
import { plain } from '../../protocol/json-text.ts'
import { SERVICE } from '../capabilities.ts'
import { type MethodContext, requireState, requireThere } from '../context.ts'
import type { TypeDefinition } from '../define-type.ts'
import type { Handlers, WriteContext } from '../handlers.ts'
import type { IdempotentStep } from '../idempotent-steps.ts'
import { objectNumber } from '../object-id.ts'
import type { ArgumentsOf } from '../property.ts'
import type { SetResponse } from '../responses.ts'
import { selectProperties } from './get.ts'
import { type Prepared, type RecordedSet, type SET_ARGS, SetCall } from './set-call.ts'
import { createAll } from './set-creates.ts'
import { runPlanned } from './set-planned.ts'
import { objectOrNull, partition, refersTo } from './set-records.ts'
import { updateAll } from './set-updates.ts'

export { SET_ARGS } from './set-call.ts'

/** Each failed try means that another call has committed. */
const COMMIT_TRIES = 5

/** @param presets prepared input by creation id (/copy) */
export async function runSet(
  method: MethodContext,
  type: TypeDefinition,
  handlers: Handlers,
  args: ArgumentsOf<typeof SET_ARGS>,
  presets: ReadonlyMap<string, Prepared> = new Map(),
) {
  const call = new SetCall(method, type, handlers, args, presets)
  const returning = returnedProperties(call)
  await call.prepare()
  const states = await commit(call, returning)
  await handlers.afterSet?.(method, call)
  const { created, updated, destroyed } = call
  return {
    accountId: method.account.id,
    ...states,
    created: objectOrNull(created),
    updated: objectOrNull(updated),
    destroyed: destroyed.length > 0 ? destroyed : null,
    notCreated: objectOrNull(call.notCreated),
    notUpdated: objectOrNull(call.notUpdated),
    notDestroyed: objectOrNull(call.notDestroyed),
    ...(returning && { list: call.list }),
  }
}

type States = Pick<SetResponse<JsonObject>, 'oldState' | 'newState'>

async function commit(call: SetCall, returning: readonly string[] | null): Promise<States> {
  const step = call.method.request.steps?.next()
  for (let tries = 1; ; tries++) {
    try {
      return await commitOnce(call, step, returning)
    } catch (error) {
      // Another call changed which accounts are needed between their lookup and the lock.
      if (!(error instanceof NotLocked) || tries === COMMIT_TRIES) throw error
    }
  }
}

async function commitOnce(
  call: SetCall,
  step: IdempotentStep | undefined,
  returning: readonly string[] | null,
): Promise<States> {
  const { method, type, handlers, args } = call
  const account = method.account.number
  const others = (await handlers.accountsOf?.(method, args)) ?? []
  let unit: AccountUnit | undefined
  const oldState = await method.services.store.write([account, ...others], async (work) => {
    call.restore()
    unit = work.account(account)
    const state = await stateOf(unit, account, type.name)
    const recorded = await step?.recall<RecordedSet>(unit)
    if (recorded) {
      call.restore(recorded)
      return state
    }
    requireThere(unit)
    requireState(args.ifInState, state)
    const write: WriteContext = { method, reader: unit, unit, work, args, notes: call.notes }
    await (handlers.plan ? runPlanned(call, write) : runAll(call, write))
    await handlers.finish?.(write, call)
    if (returning) call.list = await loadReturned(call, write, returning)
    await step?.keep(unit, call.record())
    return state
  })
  for (const [creationId, { id }] of call.created) method.request.createdIds.add(creationId, String(id))
  return { oldState: String(oldState), newState: String(unit!.committedState(type.name) ?? oldState) }
}

/** null: nothing is asked for. @throws MethodError invalidArguments */
function returnedProperties({ method, type, handlers, args }: SetCall): readonly string[] | null {
  if (!args.returning) return null
  // RFC 8620 1.8: an extension that the request does not use does not exist for it.
  if (!method.request.using.has(SERVICE.urn)) throw invalidArguments("There is no argument 'returning'.", ['returning'])
  return selectProperties(method, type, handlers, args.returning)
}

/** Inside the unit of work, at its end: changes of others are not in it. */
async function loadReturned(call: SetCall, write: WriteContext, properties: readonly string[]): Promise<Json[]> {
  const { method, type, handlers, created, updated } = call
  const ids = [...[...created.values()].map(({ id }) => id), ...updated.keys()]
  const numbers = [...new Set(ids.flatMap((id) => objectNumber(method, type, String(id)) ?? []))]
  if (numbers.length === 0) return []
  const found = await handlers.load(write, { numbers, properties, args: {} })
  return [...found.values()].map((object) => plain(object) as Json)
}

/** RFC 8620 5.3: creates come before the updates and destroys of the same call that name their creation ids. */
async function runAll(call: SetCall, write: WriteContext): Promise<void> {
  const names = new Set(call.create.map(([creationId]) => creationId))
  const isNew = (id: string) => isCreationReference(id) && names.has(id.slice(1))
  const [updateLater, updateNow] = partition(
    call.update,
    ([id, { value }]) => isNew(id) || refersTo(call.type, value, names),
  )
  const [destroyLater, destroyNow] = partition(call.destroy, isNew)
  await destroyAll(call, write, destroyNow)
  await updateAll(call, write, updateNow, [])
  await createAll(call, write)
  await updateAll(call, write, updateLater, destroyLater)
  await destroyAll(call, write, destroyLater)
}

async function destroyAll(call: SetCall, write: WriteContext, ids: readonly string[]): Promise<void> {
  const { method, type, handlers } = call
  for (const given of ids) {
    const id = call.resolve(given)
    const number = objectNumber(method, type, id)
    const error = number === null || !handlers.destroy ? setError('notFound') : await handlers.destroy(write, number)
    if (error) call.notDestroyed.set(given, error)
    else if (!call.destroyed.includes(id)) call.destroyed.push(id)
  }
}
