/** Blob ids of a new email that the client does not know. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { plain } from '../../protocol/json-text.ts'
import type { CreateOf } from '../../type/derived.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { DEFAULT_BODY_PROPERTIES } from './body-part.ts'
import type { Email } from './email.type.ts'
import { loadEmails } from './load.ts'

const BODIES = ['bodyStructure', 'textBody', 'htmlBody', 'attachments'] as const

/**
 * RFC 8620 6: an uploaded blob becomes a part of the new email's blob, under another id. Returns the properties in which the client
 * named blobs, with the new ids.
 */
export async function withNewBlobIds(
  read: ReadContext,
  number: number,
  input: CreateOf<typeof Email>,
): Promise<JsonObject> {
  const properties = BODIES.filter((name) => namesBlob(input[name]))
  if (properties.length === 0) return {}
  const args = { bodyProperties: [...DEFAULT_BODY_PROPERTIES, 'subParts'] }
  const loaded = (await loadEmails(read, { numbers: [number], properties, args })).get(number)
  const { id: _id, ...told } = plain(loaded!) as JsonObject
  return told
}

function namesBlob(body: Json | undefined): boolean {
  if (Array.isArray(body)) return body.some(namesBlob)
  return isObject(body) && (typeof body['blobId'] === 'string' || namesBlob(body['subParts']))
}
