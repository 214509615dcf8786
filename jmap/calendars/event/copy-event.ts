/** CalendarEvent/copy: RFC 8620 5.4, JMAP Calendars 5.10. */
import type { JsonObject } from '../../../server/base/json.ts'
import { findCalendarEvent } from '../../../storage/repos/calendar-events.ts'
import { prepareBlob } from '../../mail/blob/blobs.ts'
import type { MethodContext } from '../../type/context.ts'
import { type Attachments, blobIdsOf, readAttachment } from './attachments.ts'
import { eventOfRow } from './stored-event.ts'

/** The event and its attachments, whose octets the other account refers to under its own number. null: there is no such event. */
export async function prepareCopyOf(
  from: MethodContext,
  method: MethodContext,
  number: number,
): Promise<{ readonly input: JsonObject; readonly prepared: Attachments } | null> {
  const row = await from.read((reader) => findCalendarEvent(reader, from.account.number, number))
  if (!row) return null
  const { event, isDraft } = eventOfRow(row)
  // The copy leads to the same meeting, which belongs to the original.
  const { conferencing: _own, ...copied } = event
  const attachments = new Map<
    string,
    { readonly part: Awaited<ReturnType<typeof prepareBlob>>; readonly type: string }
  >()
  for (const id of blobIdsOf(event)) {
    const found = await readAttachment(from, id)
    if (found) attachments.set(id, { part: await prepareBlob(method.services.store, found.bytes), type: found.type })
  }
  return { input: { ...copied, isDraft }, prepared: attachments }
}
