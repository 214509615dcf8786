/** Blob/upload: RFC 9404 4.1: creates blobs from texts, base64 and ranges of other blobs, within a request. */
import type { JsonObject } from '../../../server/base/json.ts'
import { MEDIA_TYPE_MAX_CHARS } from '../../../server/base/limits.ts'
import { isCreationReference } from '../../protocol/creation-ids.ts'
import { invalidProperties, MethodError, type SetError, setError } from '../../protocol/errors.ts'
import { isObject, setOwn } from '../../protocol/json-object.ts'
import type { MethodContext } from '../../type/context.ts'
import { defineMethod } from '../../type/method.ts'
import { p } from '../../type/property.ts'
import { BLOB } from './blob-capability.ts'
import { BLOB_ID, prepareBlob } from './blobs.ts'
import { openSources } from './sources.ts'
import { keepUpload } from './uploads.ts'

/** RFC 9404 4.1 */
const NO_TYPE = 'application/octet-stream'

export const blobUploadMethod = defineMethod({
  name: 'Blob/upload',
  capability: BLOB,
  accounts: 'mailbox',
  scope: 'messages:write',
  writes: true,
  args: { create: p.creations(p.json<JsonObject>({ type: 'object' })) },
  run: (method, { create }) => runUpload(method, Object.entries(create)),
})

type Created = { readonly number: number; readonly type: string; readonly size: number }

async function runUpload(method: MethodContext, create: readonly Entry[]) {
  const { maxObjectsInSet } = method.services.limits
  if (create.length > maxObjectsInSet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInSet} blobs.`)
  const created: { [creationId: string]: JsonObject } = {}
  const notCreated: { [creationId: string]: SetError } = {}
  const group = new Set<number>()
  for (const [creationId, upload] of inOrder(create)) {
    const outcome = await createOne(method, upload, group)
    if ('error' in outcome) {
      setOwn(notCreated, creationId, outcome.error)
      continue
    }
    const { number, type, size } = outcome
    group.add(number)
    const id = method.id(BLOB_ID, number)
    method.request.createdIds.add(creationId, id)
    setOwn(created, creationId, { id, type, size })
  }
  const orNull = <T>(map: { readonly [key: string]: T }) => (Object.keys(map).length > 0 ? map : null)
  return { accountId: method.account.id, created: orNull(created), notCreated: orNull(notCreated) }
}

type Entry = readonly [creationId: string, upload: JsonObject]

/** RFC 8620 5.3: a record may refer to another of the same call, in any order. Records in a circle come last. */
function inOrder(create: readonly Entry[]): Entry[] {
  const ordered: Entry[] = []
  let waiting = create
  while (waiting.length > 0) {
    const names = new Set(waiting.map(([creationId]) => creationId))
    const ready = waiting.filter(([own, upload]) => !refersTo(upload, names, own))
    ordered.push(...(ready.length > 0 ? ready : waiting))
    waiting = ready.length > 0 ? waiting.filter((entry) => !ready.includes(entry)) : []
  }
  return ordered
}

function refersTo({ data }: JsonObject, names: ReadonlySet<string>, own: string): boolean {
  return (
    Array.isArray(data) &&
    data.some((source) => {
      const id = isObject(source) ? source['blobId'] : null
      return typeof id === 'string' && isCreationReference(id) && id.slice(1) !== own && names.has(id.slice(1))
    })
  )
}

async function createOne(
  method: MethodContext,
  upload: JsonObject,
  group: ReadonlySet<number>,
): Promise<Created | { readonly error: SetError }> {
  const { services, request, account } = method
  const { type: givenType = null, data, ...others } = upload
  const unknown = Object.keys(others)
  if (unknown.length > 0) return { error: invalidProperties(unknown, 'An upload has data and type.') }
  if (givenType !== null && (typeof givenType !== 'string' || givenType.length > MEDIA_TYPE_MAX_CHARS))
    return { error: invalidProperties(['type'], 'type is a media type.') }
  const sources = await openSources(method, data ?? null)
  if ('error' in sources) return sources
  const blob = await prepareBlob(services.store, await sources.read())
  const type = givenType ?? NO_TYPE
  const { credential } = request.principal
  const number = await services.store.write([account.number], (work) =>
    keepUpload(services, { work, unit: work.account(account.number) }, { blob, type, credential }, group),
  )
  return number === null
    ? { error: setError('overQuota', 'What this call uploads is more than may be kept.') }
    : { number, type, size: blob.size }
}
