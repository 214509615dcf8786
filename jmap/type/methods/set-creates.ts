/** The records that a /set creates: RFC 8620 5.3. */
import type { JsonObject } from '../../../server/base/json.ts'
import type { CreationIds } from '../../protocol/creation-ids.ts'
import { setError } from '../../protocol/errors.ts'
import { SINGLETON_ID, type TypeDefinition } from '../define-type.ts'
import type { CreateOf } from '../derived.ts'
import type { CreateOutcome, Refusal, WriteContext } from '../handlers.ts'
import { objectId } from '../object-id.ts'
import type { SetCall } from './set-call.ts'
import { checkCreate, partition, refersTo, withDiffering, withoutSent } from './set-records.ts'

export async function createAll(call: SetCall, write: WriteContext): Promise<void> {
  const { method, type } = call
  // A record may refer to another of this call, in any order of the map: such records wait for a later round.
  let waiting = call.create
  while (waiting.length > 0) {
    const names = new Set(waiting.map(([creationId]) => creationId))
    const [later, now] = partition(waiting, ([own, { value }]) => refersTo(type, value, names, own))
    // Records that wait for each other are refused.
    const isStuck = now.length === 0
    for (const [creationId, input] of isStuck ? later : now) {
      const outcome = await createOne(call, write, creationId, input.value)
      if ('error' in outcome) {
        call.notCreated.set(creationId, outcome.error)
        continue
      }
      const { number, serverSet } = outcome.created
      const id = objectId(method, type, number)
      method.request.createdIds.add(creationId, id)
      call.created.set(creationId, { id, ...withDiffering(serverSet, input, input.value) })
    }
    waiting = isStuck ? [] : later
  }
}

async function createOne(
  call: SetCall,
  write: WriteContext,
  creationId: string,
  input: JsonObject,
): Promise<CreateOutcome> {
  const { type, handlers, method } = call
  // RFC 8620 5.3: the only object exists, whatever the new one would be.
  if (type.idPrefix === SINGLETON_ID) return { error: setError('singleton') }
  if (!handlers.create) return { error: setError('forbidden') }
  const read = readCreate(call, creationId, input, method.request.createdIds)
  if ('error' in read) return read
  const outcome = await handlers.create(write, read.input, read.prepared)
  if ('error' in outcome) return outcome
  const { number, serverSet } = outcome.created
  return { created: { number, serverSet: withoutSent(serverSet, read.sent) } }
}

interface ReadCreate {
  /** With ids in the place of creation ids. */
  readonly sent: JsonObject
  /** With the defaults of what was not sent. */
  readonly input: CreateOf<TypeDefinition>
  readonly prepared: unknown
}

/** A record to create, well-formed. */
export function readCreate(
  { type, handlers, preparedCreates }: SetCall,
  creationId: string,
  input: JsonObject,
  ids: CreationIds,
): ReadCreate | Refusal {
  const prepared = preparedCreates.get(creationId)
  if (prepared && 'error' in prepared) return prepared
  const resolved = ids.resolveProperties(input, (name) => type.properties[name]?.idPlace)
  if ('error' in resolved) return resolved
  const checked = checkCreate(type, handlers, resolved.value)
  return 'error' in checked ? checked : { sent: resolved.value, input: checked.value, prepared: prepared?.prepared }
}
