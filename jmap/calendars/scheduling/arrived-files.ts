/**
 * Files that come with an invitation: parts of its mail, which ATTACH of the calendar names by their Content-ID (RFC 5545 3.8.1.1, RFC 2392).
 * The event has them as attachments of the account (JMAP Calendars 5.3), as long as it has links to them.
 */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { SCHEDULING_ATTACHED_MAX_BYTES, SCHEDULING_ATTACHED_MAX_FILES } from '../../../server/base/scheduling-limits.ts'
import { BLOB_ID, type PreparedBlob, prepareBlob, recordBlob, referTo } from '../../mail/blob/blobs.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import { isObject } from '../../protocol/json-object.ts'
import type { Services } from '../../type/context.ts'
import type { EventWrite } from '../event/event-change.ts'

export interface ArrivedFile {
  readonly cid: string
  readonly blob: PreparedBlob
  /** A media type. */
  readonly type: string
  readonly name: string | null
}

/** Outside of the unit of work. A part that is too large, or one too many, stays in the mail only. */
export async function arrivedFiles(
  { store, messageWork }: Pick<Services, 'store' | 'messageWork'>,
  { bytes, parsed }: { readonly bytes: Uint8Array; readonly parsed: ParsedMessage },
  events: readonly JsonObject[],
): Promise<readonly ArrivedFile[]> {
  const named = new Set<string>()
  for (const event of events) withBlobs(event, (cid) => void named.add(cid))
  const files: ArrivedFile[] = []
  let room = SCHEDULING_ATTACHED_MAX_BYTES
  for (const cid of named) {
    const part = parsed.structure.parts.find((one) => one.cid === cid && one.subParts === null)
    if (!part || part.size > room || files.length >= SCHEDULING_ATTACHED_MAX_FILES) continue
    room -= part.size
    const content = await messageWork.decode(bytes.subarray(part.bodyStart, part.bodyEnd), part.encoding)
    files.push({ cid, blob: await prepareBlob(store, content), type: part.type, name: part.name })
  }
  return files
}

/** Inside: the event with links to the files that it names, which the account has from now on. */
export async function withArrivedFiles<E extends JsonObject>(
  { services, work, unit }: EventWrite,
  event: E,
  files: readonly ArrivedFile[],
): Promise<E> {
  if (files.length === 0) return event
  const named = new Set<string>()
  withBlobs(event, (cid) => void named.add(cid))
  const links = new Map<string, JsonObject>()
  for (const { cid, blob, type, name } of files) {
    if (!named.has(cid)) continue
    await recordBlob(work, blob)
    const number = await referTo(unit, blob, type, null)
    const blobId = services.ids.encode(BLOB_ID, unit.account, number)
    links.set(cid, { blobId, contentType: type, size: blob.size, ...(name !== null && { title: name }) })
  }
  return withBlobs(event, (cid) => links.get(cid)) as E
}

/** @param linkOf members of a Link in place of its `href`; undefined: it stays as it is */
function withBlobs(value: Json, linkOf: (cid: string) => JsonObject | undefined): Json {
  if (!isObject(value)) return value
  let known: JsonObject = {}
  const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const isHref = name === 'href' || name.endsWith('/href')
    const cid = isHref && typeof member === 'string' ? cidOf(member) : null
    const link = cid === null ? undefined : linkOf(cid)
    if (link === undefined) return [[name, withBlobs(member, linkOf)]]
    if (name === 'href') {
      known = link
      return []
    }
    // A patch names the member of a Link by its path.
    return [
      [name, null],
      [`${name.slice(0, -'href'.length)}blobId`, link['blobId'] ?? null],
    ]
  })
  return { ...known, ...Object.fromEntries(members) }
}

/** RFC 2392 2: the Content-ID, percent-encoded where needed; null: another URL. */
function cidOf(href: string): string | null {
  const [, encoded = ''] = /^cid:(\S{1,1000})$/i.exec(href) ?? []
  if (encoded === '') return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
