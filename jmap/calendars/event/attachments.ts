/** Attachments of events: links with a blobId (JMAP Calendars 5.3). */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { BLOB_ID, openBlob, type PreparedBlob, prepareBlob, recordBlob, referTo } from '../../mail/blob/blobs.ts'
import { blobNotFound, type SetError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json-object.ts'
import type { MethodContext, Services } from '../../type/context.ts'
import type { WriteContext } from '../../type/handlers.ts'

/** A blob that a client names: one of the account's own, or a part of a message, which becomes one. */
type Attachment =
  | { readonly number: number; readonly isUpload: boolean }
  | { readonly part: PreparedBlob; readonly type: string }

/** By the blobId that the client sent. */
export type Attachments = ReadonlyMap<string, Attachment>

/** Outside the unit of work. @param values anything that may hold links: an event, a patch */
export async function prepareAttachments(
  method: MethodContext,
  values: Json,
): Promise<{ readonly prepared: Attachments } | { readonly error: SetError }> {
  const attachments = new Map<string, Attachment>()
  const missing: string[] = []
  const { services, request, account } = method
  for (const given of blobIdsOf(values)) {
    const blob = await openBlob(services, request.principal.credential, account.number, method.resolveId(given))
    if (!blob) missing.push(given)
    else if (blob.path.length === 0) attachments.set(given, { number: blob.number, isUpload: blob.isUpload })
    else attachments.set(given, { part: await prepareBlob(services.store, await blob.read()), type: blob.type })
  }
  return missing.length > 0 ? { error: blobNotFound(missing) } : { prepared: attachments }
}

/** Inside: the event with the ids under which the account keeps its attachments. */
export async function withAttachments(
  { work, unit, method }: Pick<WriteContext, 'work' | 'unit' | 'method'>,
  event: JsonObject,
  attachments: Attachments,
): Promise<JsonObject> {
  if (attachments.size === 0) return event
  const ids = new Map<string, string>()
  for (const [given, attachment] of attachments) {
    if ('number' in attachment) {
      ids.set(given, method.id(BLOB_ID, attachment.number))
      continue
    }
    await recordBlob(work, attachment.part)
    ids.set(given, method.id(BLOB_ID, await referTo(unit, attachment.part, attachment.type, null)))
  }
  const replaced = replace(event, (id) => ids.get(id) ?? id)
  return isObject(replaced) ? replaced : event
}

/** Numbers of the blobs that a stored event refers to, ascending. */
export function attachedBlobs({ ids }: Pick<Services, 'ids'>, account: number, event: JsonObject): number[] {
  const numbers = [...blobIdsOf(event)].flatMap((id) => {
    const decoded = ids.decode(BLOB_ID, id)
    return decoded?.account === account && decoded.path.length === 0 ? [decoded.object] : []
  })
  return [...new Set(numbers)].toSorted((a, b) => a - b)
}

/** The octets of an attachment of an event; null: the account has them no more. */
export async function readAttachment(
  { services, request, account }: MethodContext,
  id: string,
): Promise<{ readonly bytes: Uint8Array; readonly type: string } | null> {
  const blob = await openBlob(services, request.principal.credential, account.number, id)
  return blob && { bytes: await blob.read(), type: blob.type }
}

/** Links are in `links` of events, locations and participants, and in patches of these. */
export function blobIdsOf(value: Json): Set<string> {
  const found = new Set<string>()
  replace(value, (id) => {
    found.add(id)
    return id
  })
  return found
}

/** Replaces each member `blobId`, also where a patch names it by its path. */
function replace(value: Json, by: (id: string) => string): Json {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]): readonly [string, Json] => [
    name,
    typeof member === 'string' && (name === 'blobId' || name.endsWith('/blobId')) ? by(member) : replace(member, by),
  ])
  return Object.fromEntries(members)
}
