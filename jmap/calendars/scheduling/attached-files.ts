/**
 * Files of the account that an event attaches by blobId (JMAP Calendars 5.3), in invitations: parts of the mail, which ATTACH of the calendar
 * names by their Content-ID (RFC 6047 4.3, RFC 2392).
 */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { SCHEDULING_ATTACHED_MAX_BYTES, SCHEDULING_ATTACHED_MAX_FILES } from '../../../server/base/scheduling-limits.ts'
import { findAccountBlob } from '../../../storage/repos/blobs.ts'
import { BLOB_ID, readStored } from '../../mail/blob/blobs.ts'
import { isObject } from '../../protocol/json-object.ts'
import type { Services } from '../../type/context.ts'
import { blobIdsOf } from '../event/attachments.ts'
import type { AttachedLink } from '../itip/scheduling-job.ts'
import type { Event } from '../jscalendar/event.ts'
import type { CalendarFile } from './calendar-mail.ts'

/** Content-IDs by blobId, of the files of an event that go with its invitations. The others have no place in a mail. */
export type AttachedFiles = ReadonlyMap<
  string,
  { readonly cid: string; readonly number: number; readonly size: number }
>

/** @param domain of the organizer */
export async function attachedFiles(
  { store, ids }: Pick<Services, 'store' | 'ids'>,
  account: number,
  event: Event | null,
  domain: string,
): Promise<AttachedFiles> {
  const files = new Map<string, { cid: string; number: number; size: number }>()
  const named = event === null ? [] : [...blobIdsOf(event as JsonObject)]
  if (named.length === 0) return files
  let room = SCHEDULING_ATTACHED_MAX_BYTES
  await store.read(async (reader) => {
    for (const id of named) {
      const decoded = ids.decode(BLOB_ID, id)
      if (decoded?.account !== account || decoded.path.length > 0 || files.size >= SCHEDULING_ATTACHED_MAX_FILES)
        continue
      const blob = await findAccountBlob(reader, account, decoded.object)
      if (!blob || blob.size > room) continue
      room -= blob.size
      files.set(id, { cid: `${id}@${domain}`, number: decoded.object, size: blob.size })
    }
  })
  return files
}

/** An event whose links name their files by Content-ID. */
export function withContentIds<E extends JsonObject | Event>(event: E, files: AttachedFiles): E {
  return files.size === 0 ? event : (named(event as JsonObject, files) as E)
}

/** Also where a patch names the blobId by its path. */
function named(value: Json, files: AttachedFiles): Json {
  if (!isObject(value)) return value
  const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    if (typeof member !== 'string') return [[name, named(member, files)]]
    const file = name === 'blobId' || name.endsWith('/blobId') ? files.get(member) : undefined
    if (!file) return [[name, member]]
    const beside = name.slice(0, -'blobId'.length)
    return [
      [name, member],
      [`${beside}href`, `cid:${file.cid}`],
      [`${beside}size`, file.size],
    ]
  })
  return Object.fromEntries(members)
}

/** The files of a message. */
export function readFiles(
  { store }: Pick<Services, 'store'>,
  account: number,
  files: AttachedFiles,
  links: readonly AttachedLink[],
): Promise<CalendarFile[]> {
  return store.read(async (reader) => {
    const found: CalendarFile[] = []
    for (const { blobId, title, contentType } of links) {
      const file = files.get(blobId)
      const bytes = file ? await readStored(store, reader, account, file.number) : null
      if (file && bytes) found.push({ cid: file.cid, name: title, type: contentType, bytes })
    }
    return found
  })
}
