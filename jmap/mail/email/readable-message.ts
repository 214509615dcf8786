/** RFC 8621 4.8, 4.9: whether a blob is a message. One rule for Email/parse, which answers notParsable, and Email/import. */
import { freeWhole } from '../../../server/base/free-memory.ts'
import { BLOB_PATH_MAX } from '../../../server/base/ids.ts'
import { headerFault } from '../../message/header-size.ts'
import type { OpenBlob } from '../blob/blobs.ts'

export type ReadMessage = { readonly bytes: Uint8Array } | { readonly fault: string }

/**
 * The octets of a message, or why the blob is not one, in words: no header field, too much header, or nested so deeply that its parts
 * have no ids.
 */
export async function readMessage(blob: OpenBlob): Promise<ReadMessage> {
  if (blob.path.length >= BLOB_PATH_MAX)
    return { fault: `The message is more than ${BLOB_PATH_MAX - 1} deep in others.` }
  const bytes = await blob.read()
  const fault = headerFault(bytes)
  if (fault === null) return { bytes }
  freeWhole(bytes)
  return { fault }
}
