/** The records of a /set of a type that judges them together (set-plan.ts). */
import type { JsonObject } from '../../../server/base/json.ts'
import { CreationIds, isCreationReference } from '../../protocol/creation-ids.ts'
import { setError } from '../../protocol/errors.ts'
import { plain } from '../../protocol/json-text.ts'
import type { PlannedRecord, WriteContext } from '../handlers.ts'
import { objectId, objectNumber } from '../object-id.ts'
import { type Settled, settle } from '../set-plan.ts'
import type { Entry, SetCall } from './set-call.ts'
import { readCreate } from './set-creates.ts'
import { withDiffering, withoutSent } from './set-records.ts'
import { changeOf, readForUpdates, readPatch } from './set-updates.ts'

interface Pending {
  readonly create: readonly Entry[]
  readonly update: readonly Entry[]
  readonly destroy: readonly string[]
}

/** A record with its key in the arguments. */
interface Named {
  readonly given: string
  readonly entry: Entry | null
  /** Of a record to create: what the client sent. */
  readonly sent?: JsonObject
  readonly record: PlannedRecord
}

export async function runPlanned(call: SetCall, write: WriteContext): Promise<void> {
  let pending: Pending = call
  // What is created here can be named by its creation id, and two keys can mean one object: one record after the other.
  while (pending.create.length + pending.update.length + pending.destroy.length > 0)
    pending = await runPart(call, write, pending)
}

/** Runs at most one record for each object. @returns those that have to wait for it */
async function runPart(call: SetCall, write: WriteContext, pending: Pending): Promise<Pending> {
  const names = new Set(pending.create.map(([creationId]) => creationId))
  const later: { update: Entry[]; destroy: string[] } = { update: [], destroy: [] }
  const destroys = new Map<number | string, string>()
  for (const given of pending.destroy) putFirst(call, destroys, names, given, given, later.destroy)
  const updates = new Map<number | string, Entry>()
  for (const entry of pending.update) putFirst(call, updates, names, entry[0], entry, later.update)
  const records = await readRecords(call, write, { create: pending.create, updates, destroys })
  const isDoomed = ({ record }: Named) => record.kind === 'update' && destroys.has(record.number)
  const named = new Map(records.filter((one) => !isDoomed(one)).map((one) => [one.record, one]))
  const plan = await call.handlers.plan!(write, [...named.keys()])
  const settled = settle(plan, [...named.keys()])
  const told = await plan.write(settled.made)
  report(call, named, settled, told)
  // What could not be destroyed may be updated.
  for (const { given, entry, record } of records.filter(isDoomed))
    if (settled.made.some(({ kind, number }) => kind === 'destroy' && number === record.number))
      call.notUpdated.set(given, setError('willDestroy'))
    else later.update.push(entry!)
  return { create: [], ...later }
}

/** By the object's number, or by the key if it names none. */
function putFirst<T>(
  call: SetCall,
  first: Map<number | string, T>,
  names: ReadonlySet<string>,
  given: string,
  item: T,
  later: T[],
): void {
  const isNew = isCreationReference(given) && names.has(given.slice(1))
  const key = objectNumber(call.method, call.type, call.resolve(given)) ?? given
  if (isNew || first.has(key)) later.push(item)
  else first.set(key, item)
}

interface First {
  readonly create: readonly Entry[]
  readonly updates: ReadonlyMap<number | string, Entry>
  readonly destroys: ReadonlyMap<number | string, string>
}

/** Destroys, updates, creates. Refuses what is not well-formed, and what is not there. */
async function readRecords(call: SetCall, write: WriteContext, { create, updates, destroys }: First): Promise<Named[]> {
  const { type, method } = call
  const records: Named[] = []
  const loaded = await loadAll(call, write, [...destroys.keys(), ...updates.keys()])
  for (const [number, given] of destroys)
    if (typeof number === 'number' && loaded.has(number))
      records.push({ given, entry: null, record: { kind: 'destroy', number } })
    else call.notDestroyed.set(given, setError('notFound'))
  const numbers = create.map(([creationId]) => [creationId, write.unit.nextObject()] as const)
  // As if all were created: whether they are is judged with the records that name them.
  const ids = new CreationIds({
    ...method.request.createdIds.toObject(),
    ...Object.fromEntries(numbers.map(([creationId, number]) => [creationId, objectId(method, type, number)])),
  })
  for (const [number, entry] of updates) {
    const [given, { value: patch }] = entry
    const before = typeof number === 'number' ? loaded.get(number) : undefined
    const read = before ? readPatch(call, given, patch, ids) : { error: setError('notFound') }
    const change = 'error' in read ? read : changeOf(type, before!, read)
    if ('error' in change) call.notUpdated.set(given, change.error)
    // RFC 8620 5.3: an update that changes nothing is no error, and no change.
    else if (change.changed.length === 0) call.updated.set(call.resolve(given), null)
    else records.push({ given, entry, record: { kind: 'update', number: number as number, change } })
  }
  for (const [i, entry] of create.entries()) {
    const [creationId, { value }] = entry
    const read = readCreate(call, creationId, value, ids)
    if ('error' in read) call.notCreated.set(creationId, read.error)
    else
      records.push({
        given: creationId,
        entry,
        sent: read.sent,
        record: { kind: 'create', number: numbers[i]![1], ...read },
      })
  }
  return records
}

async function loadAll(call: SetCall, write: WriteContext, keys: readonly (number | string)[]) {
  const { type, handlers } = call
  const numbers = keys.filter((key) => typeof key === 'number')
  const loaded = await handlers.load(write, { numbers, properties: readForUpdates(type, handlers, []), args: {} })
  return new Map([...loaded].map(([number, object]) => [number, plain(object) as JsonObject]))
}

function report(
  call: SetCall,
  named: ReadonlyMap<PlannedRecord, Named>,
  { made, refused }: Settled<PlannedRecord>,
  told: ReadonlyMap<number, JsonObject>,
): void {
  const { method, type } = call
  for (const record of made) {
    const { given, entry, sent } = named.get(record)!
    const id = objectId(method, type, record.number)
    const more = told.get(record.number)
    if (record.kind === 'destroy') call.destroyed.push(id)
    else if (record.kind === 'update') call.updated.set(id, withDiffering(more ?? null, entry![1], record.change.next))
    else {
      method.request.createdIds.add(given, id)
      call.created.set(given, { id, ...withDiffering(withoutSent(more ?? {}, sent!), entry![1], entry![1].value) })
    }
  }
  const notMade = { destroy: call.notDestroyed, update: call.notUpdated, create: call.notCreated }
  for (const [record, error] of refused) notMade[record.kind].set(named.get(record)!.given, error)
}
